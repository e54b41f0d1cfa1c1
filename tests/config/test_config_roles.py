"""A table for one role, and the settings that it is another form of. Covers: G5, K1."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.config.describe import setting_row
from sparing.config.edit import with_setting
from sparing.config.load import load
from sparing.config.sources import SettingsFile, Sources
from sparing.errors import ConfigError

ROLE = """\
[roles.security-reviewer]
backend = "codex"
model = "gpt-5.5"
fallback = false

[models.roles]
prd-author = "strong"
"""


def sources(text: str) -> Sources:
    return Sources(user=SettingsFile(Path("/u.toml"), text), environ={"HOME": "/h"})


def test_a_table_for_a_role_is_added_to_the_lists() -> None:
    loaded = load(sources(ROLE), {})
    settings = loaded.settings
    assert settings.roles.backends == ("security-reviewer codex",)
    assert settings.roles.stay == ("security-reviewer",)
    assert settings.models.roles == ("prd-author strong", "security-reviewer gpt-5.5")
    assert loaded.origins["roles.backends"] == "user file /u.toml"
    assert settings.roles.backend_of("security-reviewer") == "codex"
    assert settings.roles.backend_of("prd-author") == ""
    assert settings.by_role


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('backend = "codx"', 'roles.x.backend = "codx" is not one of auto, claude, codex, '),
        ('backends = "codex"', "there is no setting roles.x.backends"),
        ("fallback = 3", "roles.x.fallback = 3 is not true or false"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, what: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(sources(f"[roles.x]\n{text}"), {})
    assert refused.value.what.startswith(f"user file /u.toml: {what}")


def test_a_project_may_not_choose_who_gets_its_code() -> None:
    """K1: another agent is another vendor, and a file of the repository names none."""
    project = SettingsFile(Path("/r/sparing.toml"), '[roles.x]\nbackend = "codex"')
    with pytest.raises(ConfigError, match="may not be set by a project"):
        load(Sources(project=(project,), environ={"HOME": "/h"}), {})


def test_one_roles_setting_can_be_read_and_written() -> None:
    loaded = load(sources(ROLE), {})
    assert setting_row(loaded, "roles.security-reviewer.backend").value == "codex"
    assert setting_row(loaded, "roles.security-reviewer.fallback").value is False
    assert setting_row(loaded, "roles.prd-author.backend").value == "auto"
    assert setting_row(loaded, "roles.prd-author.model").value == "strong"
    changed = with_setting(ROLE, "roles.security-reviewer.backend", "claude")
    assert changed == ROLE.replace('"codex"', '"claude"')
    assert with_setting("", "roles.x.backend", "codex") == '[roles.x]\nbackend = "codex"\n'


def test_a_model_of_another_vendor_is_not_sent_to_an_agent() -> None:
    """G5: a role that works elsewhere for once has a model of its class there."""
    models = load(sources(ROLE), {}).settings.models
    assert models.of("strong", "codex", "security-reviewer") == "gpt-5.5"
    assert models.of("strong", "claude", "security-reviewer") == "claude-opus-5-5"
    own = load(sources('models.strong = "claude-mine"'), {}).settings.models
    assert own.of("strong", "claude") == "claude-mine"
    assert own.of("strong", "codex") == "gpt-5.5"
