"""Who may search the web: what the settings want, the client can and a person agreed to.

Off unless all three say so. An agent that reads a repository and asks the web can carry one to
the other in its questions, so a person is asked before the first one, and the answer is kept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing.config.roles import WebUse
from sparing.config.settings import Settings
from sparing.roles.load import Role, RoleClass
from sparing.workspace.setup.setup_plan import answer_to, keep_answer

WEB = "web"
"""The tool of a role that is a search."""
RESEARCHER = "researcher"
"""The role that has no other."""


def agreed_use(settings: Settings, state: Path) -> WebUse:
    """What is wanted, as far as a person has agreed to it."""
    wanted = settings.roles.web
    return wanted if answer_of(wanted, state) else WebUse.OFF


def answer_of(wanted: WebUse, state: Path) -> bool | None:
    """What was said to it; None if nobody was asked. A yes to both is one to each."""
    if wanted is WebUse.OFF:
        return False
    said = answer_to(state, _question(wanted))
    return said or answer_to(state, _question(WebUse.BOTH)) or said


def keep_web_answer(wanted: WebUse, state: Path, *, agreed: bool) -> None:
    keep_answer(state, _question(wanted), agreed=agreed)


def revoke_web(state: Path) -> int:
    """Nothing is agreed to any more; how much was."""
    given = [one for one in WebUse if answer_to(state, _question(one))]
    for one in given:
        keep_answer(state, _question(one), agreed=False)
    return len(given)


def _question(wanted: WebUse) -> str:
    return f"web search: {wanted}"


def assistants_of(settings: Settings, use: WebUse) -> frozenset[str]:
    """Who helps. Somebody who could only search is not asked where nothing can be searched."""
    named = frozenset(settings.flow.assistants)
    return named if use.researches else named - {RESEARCHER}


def equipped(role: Role, use: WebUse) -> Role:
    """With the tools that it really has."""
    if role.role_class is RoleClass.REVIEWER and use.reviews:
        return replace(role, tools=(*role.tools, WEB))
    if WEB in role.tools and not use.researches:
        return replace(role, tools=tuple(one for one in role.tools if one != WEB))
    return role
