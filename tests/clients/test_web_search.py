"""Who may search the web: the setting, the client and a person's word together.

Covers: B8
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.clients.web_search import (
    RESEARCHER,
    agreed_use,
    answer_of,
    assistants_of,
    equipped,
    keep_web_answer,
    revoke_web,
)
from sparing.config.load import load
from sparing.config.roles import WebUse
from sparing.config.settings import Settings
from sparing.config.sources import Sources
from sparing.prompts.render import names
from sparing.roles.load import RoleClass, shipped

ROLES = [shipped(name) for name in names("roles")]


def settings(web: WebUse) -> Settings:
    return load(Sources(environ={"HOME": "/nowhere"}), {"roles.web": web.value}).settings


@pytest.mark.parametrize("use", WebUse)
def test_the_web_is_the_researchers_or_all_reviewers(use: WebUse) -> None:
    """B8: a whole group or none of it, and never an author."""
    having = {role.name for role in ROLES if "web" in equipped(role, use).tools}
    reviewers = {role.name for role in ROLES if role.role_class is RoleClass.REVIEWER}
    assert having == (reviewers if use.reviews else set()) | (
        {RESEARCHER} if use.researches else set()
    )
    assert (RESEARCHER in assistants_of(settings(use), use)) == use.researches


def test_what_was_said_is_kept_and_can_be_taken_back(tmp_path: Path) -> None:
    """B8: nothing without a yes to just that; a yes to both is one to each."""
    wanted = settings(WebUse.REVIEWERS)
    assert answer_of(WebUse.REVIEWERS, tmp_path) is None
    keep_web_answer(WebUse.RESEARCHER, tmp_path, agreed=True)
    assert agreed_use(wanted, tmp_path) is WebUse.OFF
    keep_web_answer(WebUse.REVIEWERS, tmp_path, agreed=False)
    assert answer_of(WebUse.REVIEWERS, tmp_path) is False
    keep_web_answer(WebUse.BOTH, tmp_path, agreed=True)
    assert agreed_use(wanted, tmp_path) is WebUse.REVIEWERS
    assert revoke_web(tmp_path) == 2
    assert agreed_use(wanted, tmp_path) is WebUse.OFF
