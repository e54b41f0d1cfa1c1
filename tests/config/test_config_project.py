"""A project file may narrow what agents may do, never widen it, and sets nothing that runs.

Covers: K1, A7, E3
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.config.faults import shown
from sparing.config.load import load
from sparing.config.rules import Narrow
from sparing.config.settings import Setting, SettingScope, every_setting
from sparing.config.sources import SettingsFile, Sources
from sparing.errors import ConfigError

USER = Path("/home/ada/.config/sparing/config.toml")
PROJECT = Path("/repo/sparing.toml")
HOME = {"HOME": "/home/ada"}
ALL = list(every_setting().values())
LOWER = [one for one in ALL if one.rule.narrow is Narrow.LOWER]
PRIVATE = [one for one in ALL if one.rule.scope is not SettingScope.ANY]
FREE = {
    "flow.assistants",
    "flow.budgets",
    "flow.continuity",
    "commits.author",
    "commits.draft",
    "commits.history",
    "commits.subject",
    "commits.sync",
    "commits.trailer",
    "flow.default",
    "flow.features_folder",
    "flow.knowledge_folder",
    "flow.knowledge_tokens",
    "flow.logs",
    "flow.sections",
    "review.bar",
    "review.panel",
    "review.policy",
    "workspace.base_branch",
    "workspace.root",
    "workspace.sparse",
    "workspace.sparse_above",
    "workspace.sparse_folders",
}
ASKED = {"workspace.setup", "workspace.copy", "workspace.services", "workspace.lend_env"}
"""Nothing comes of them before a person has seen them: tests/workspace/test_setup.py."""


def sources(user: str, project: str) -> Sources:
    return Sources(SettingsFile(USER, user), (SettingsFile(PROJECT, project),), HOME)


def number(setting: Setting) -> float:
    assert isinstance(setting.default, int | float)
    return setting.default


def test_every_setting_is_private_or_narrowing_or_known_to_be_harmless() -> None:
    """A new setting lands in none of the three and must be thought about."""
    narrowing = {one.key for one in LOWER} | {"flow.gates", "flow.other_person"}
    assert FREE | ASKED | narrowing | {one.key for one in PRIVATE} == set(every_setting())


@pytest.mark.parametrize("setting", PRIVATE, ids=lambda one: one.key)
def test_a_project_does_not_set_what_is_the_users(setting: Setting) -> None:
    """Not even to the value it has anyway."""
    with pytest.raises(ConfigError) as caught:
        load(sources("", f"{setting.key} = {shown(setting.default)}"), {})
    assert caught.value.what.startswith(f"project file {PROJECT}: {setting.key} may not be set by")
    assert setting.variable in caught.value.repair


@pytest.mark.parametrize("setting", LOWER, ids=lambda one: one.key)
def test_a_project_only_lowers_a_limit(setting: Setting) -> None:
    limit = number(setting)
    assert load(sources("", f"{setting.key} = {limit}"), {}).origins[setting.key].endswith(".toml")
    assert load(sources("", f"{setting.key} = {limit - 1}"), {}).settings
    with pytest.raises(ConfigError) as caught:
        load(sources("", f"{setting.key} = {limit + 1}"), {})
    assert (caught.value.what, caught.value.repair) == (
        f"project file {PROJECT}: {setting.key} = {limit + 1} is above {limit}; "
        "a project may only lower it",
        f"write {limit} or less; the user file and {setting.variable} may go higher",
    )


@pytest.mark.parametrize("setting", LOWER, ids=lambda one: one.key)
def test_the_limit_is_the_one_the_user_chose(setting: Setting) -> None:
    limit = number(setting)
    with pytest.raises(ConfigError, match=f"is above {limit - 1};"):
        load(sources(f"{setting.key} = {limit - 1}", f"{setting.key} = {limit}"), {})
    assert load(sources(f"{setting.key} = {limit + 1}", f"{setting.key} = {limit + 1}"), {})


@pytest.mark.parametrize("setting", LOWER, ids=lambda one: one.key)
def test_the_person_at_the_keyboard_goes_above_the_project(setting: Setting) -> None:
    limit = number(setting)
    project = Sources(
        project=(SettingsFile(PROJECT, f"{setting.key} = {limit - 1}"),),
        environ={**HOME, setting.variable: str(limit + 1)},
    )
    assert load(project, {}).origins[setting.key] == f"environment {setting.variable}"


@pytest.mark.parametrize(
    ("user", "project", "missing"),
    [
        ("", "[]", '"default"'),
        ("", '["implement"]', '"default"'),
        ('flow.gates = ["plan", "done"]', '["default", "plan"]', '"done"'),
        ('flow.gates = ["plan", "done"]', '["verify"]', '"done", "plan"'),
    ],
)
def test_a_project_never_removes_a_gate(user: str, project: str, missing: str) -> None:
    """A7: otherwise a stranger's file would let agents run to the end alone."""
    with pytest.raises(ConfigError) as caught:
        load(sources(user, f"flow.gates = {project}"), {})
    assert (caught.value.what, caught.value.repair) == (
        f"project file {PROJECT}: flow.gates leaves out {missing}; a project may only add to it",
        f"add {missing}; the user file and SPARING_FLOW__GATES may leave it out",
    )


def test_a_project_adds_a_gate() -> None:
    """A7: per stage configurable, for a project too."""
    loaded = load(sources("", 'flow.gates = ["implement", "default"]'), {})
    assert loaded.settings.flow.stops(["plan"]) == {"plan", "implement"}


def test_pyproject_is_held_to_the_same_rules() -> None:
    text = '[tool.sparing]\nagent.backend = "claude"'
    found = Sources(project=(SettingsFile(Path("/repo/pyproject.toml"), text),), environ=HOME)
    with pytest.raises(ConfigError, match="agent.backend may not be set by a project"):
        load(found, {})


def test_no_file_sets_a_crash_point() -> None:
    with pytest.raises(ConfigError) as caught:
        load(sources('engine.crash_at = "x"', ""), {})
    assert (caught.value.what, caught.value.repair) == (
        f"user file {USER}: engine.crash_at may not be set by a file",
        "remove it there; it can be set in the environment (SPARING_ENGINE__CRASH_AT)",
    )
    assert load(Sources(environ=HOME), {"engine.crash_at": "x"}).settings.engine.crash_at == "x"


@pytest.mark.parametrize(
    "folder",
    [
        *("", "/", "/etc", "..", "../x", "a/../b", "a//b", ".", "./a", "a/.", "~/x", "~", "a\\\\b"),
        *(".git", ".GIT", ".git/x", "a/.Git", ".git.", ".git ", "git~1", "a:b", "-x", " a", "a\\n"),
        *(".g\\u200cit", "a\\u0000", "x" * 201),
    ],
)
def test_features_stay_inside_the_repository(folder: str) -> None:
    with pytest.raises(ConfigError, match="is not a relative folder inside the repository"):
        load(sources("", f'flow.features_folder = "{folder}"'), {})


@pytest.mark.parametrize("folder", ["docs", "docs/features/", "a b/c.d", ".github/x", "größe"])
def test_a_folder_may_have_an_ordinary_name(folder: str) -> None:
    loaded = load(sources("", f'flow.features_folder = "{folder}"'), {})
    assert loaded.settings.flow.features_folder == folder.removesuffix("/")


@pytest.mark.parametrize(
    "branch",
    ["-x", "--upload-pack=x", "a..b", "a b", "a/", "/a", "a.lock", "a@{1}", "a//b", "a/.b", "a\\n"],
)
def test_a_base_branch_is_nothing_else_than_a_branch(branch: str) -> None:
    with pytest.raises(ConfigError, match="is not a branch name"):
        load(sources("", f'workspace.base_branch = "{branch}"'), {})


def test_gates_pass_by_rule_only_if_the_user_wants_it() -> None:
    """A7: no repository turns auto mode on."""
    found = every_setting()["flow.auto"]
    assert (found.default, found.rule.scope) == (False, SettingScope.USER)
