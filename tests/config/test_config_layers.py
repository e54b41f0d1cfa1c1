"""Default < user file < project file < environment < flags, and every key knows its origin.

Covers: K1, A7
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.config.faults import shown
from sparing.config.load import Loaded, current, load
from sparing.config.rules import Narrow
from sparing.config.settings import Setting, Settings, SettingScope, every_setting
from sparing.config.sources import SettingsFile, Sources, read_sources
from sparing.config.table_forms import ChoiceTable, CountTable, Pairs, PhraseTable
from sparing.config.value_forms import (
    FolderPath,
    Lines,
    Money,
    Names,
    OneOf,
    Prices,
    Seconds,
    Switch,
    Text,
    ThreeWay,
    Value,
    Whole,
)
from sparing.dispatch_policy import Policy
from tests.config.plain import plain_values
from tests.config.samples import DEFAULT_SAMPLES, LINES, SAMPLES

USER = Path("/home/ada/.config/sparing/config.toml")
PROJECT = Path("/repo/sparing.toml")
HOME = {"HOME": "/home/ada"}
LAYERS = ("user", "project", "environment", "flag")


def sources(user: str = "", project: str = "", environ: Mapping[str, str] | None = None) -> Sources:
    return Sources(
        SettingsFile(USER, user), (SettingsFile(PROJECT, project),), {**HOME, **(environ or {})}
    )


def good_values(setting: Setting) -> st.SearchStrategy[Value]:
    match setting.rule.kind:
        case OneOf(names) | ThreeWay(names):
            return st.sampled_from(list(names))
        case Whole(low, high):
            return st.integers(low, high)
        case Seconds(high) | Money(high):
            return st.integers(1, high * 1000).map(lambda one: one / 1000)
        case Prices() | Lines() | Pairs() | ChoiceTable():
            return st.lists(st.sampled_from(LINES[setting.key]), unique=True).map(tuple)
        case FolderPath() | Switch() | CountTable() | PhraseTable() as plain:
            return plain_values(plain)
        case Names(known):
            return st.lists(st.sampled_from(known), unique=True).map(tuple)
        case Text():
            return st.sampled_from(SAMPLES.get(setting.key, DEFAULT_SAMPLES))
        case other:
            raise AssertionError(f"no values for {other}")


def layers_of(setting: Setting) -> tuple[str, ...]:
    start = {SettingScope.ANY: 0, SettingScope.USER: 0, SettingScope.RUN: 2}[setting.rule.scope]
    return tuple(one for one in LAYERS[start:] if one != "project" or setting.rule.scope == "any")


def narrowed(setting: Setting, drawn: Value, below: Value) -> Value:
    """The drawn value, brought to where a project may go."""
    if setting.rule.narrow is Narrow.LOWER:
        assert isinstance(drawn, int | float)
        assert isinstance(below, int | float)
        return min(drawn, below)
    if setting.rule.narrow is Narrow.MORE:
        assert isinstance(drawn, tuple)
        assert isinstance(below, tuple)
        return tuple(dict.fromkeys(below + drawn))
    return drawn


def as_text(setting: Setting, value: Value) -> str:
    kind = setting.rule.kind
    between = (
        kind.between if isinstance(kind, Lines) else ";" if isinstance(kind, PhraseTable) else ","
    )
    return between.join(value) if isinstance(value, tuple) else str(value)


def as_file(values: Mapping[str, Value]) -> str:
    return "".join(f"{key} = {shown(value)}\n" for key, value in values.items())


def origin(setting: Setting, setters: list[str]) -> str:
    names = {
        "default": "default",
        "user": f"user file {USER}",
        "project": f"project file {PROJECT}",
        "environment": f"environment {setting.variable}",
        "flag": "flag",
    }
    return names[setters[-1] if setters else "default"]


@st.composite
def stacks(draw: st.DrawFn) -> dict[str, dict[str, Value]]:
    """For some settings, a good value in some of the layers that may set it."""
    stack: dict[str, dict[str, Value]] = {layer: {} for layer in LAYERS}
    # The client depends on the policy, and others depend on the effort or the policy.
    alone = sorted(set(every_setting()) - {"agent.client", "flow.effort", "review.policy"})
    for key in draw(st.sets(st.sampled_from(alone))):
        setting = every_setting()[key]
        for layer in sorted(draw(st.sets(st.sampled_from(layers_of(setting)))), key=LAYERS.index):
            value = draw(good_values(setting))
            if layer == "project":
                value = narrowed(setting, value, stack["user"].get(key, setting.default))
            stack[layer][key] = value
    return stack


@settings(deadline=None)
@given(stacks())
def test_the_highest_layer_wins_and_is_named(stack: dict[str, dict[str, Value]]) -> None:
    """K1: whatever is set where, the value is the highest layer's and so is the origin."""
    variables = {k: every_setting()[k].variable for k in stack["environment"]}
    environ = {
        variables[k]: as_text(every_setting()[k], value)
        for k, value in stack["environment"].items()
    }
    found = sources(as_file(stack["user"]), as_file(stack["project"]), environ)
    loaded = load(found, stack["flag"])
    for key, setting in every_setting().items():
        setters = [layer for layer in LAYERS if key in stack[layer]]
        expected = stack[setters[-1]][key] if setters else setting.default
        value: Value = attrgetter(key)(loaded.settings)
        assert value == expected, key
        assert type(value) is type(setting.default), key
        assert loaded.origins[key] == origin(setting, setters), key


def test_nothing_set_is_the_defaults() -> None:
    loaded = load(Sources(environ=HOME), {})
    assert loaded == Loaded(
        values={key: one.default for key, one in every_setting().items()},
        origins=dict.fromkeys(every_setting(), "default"),
        state_root=Path("/home/ada/.local/state/sparing"),
        agent_script=None,
    )
    assert loaded.settings == Settings()


def test_pyproject_is_a_project_file() -> None:
    text = '[tool.sparing.review]\npolicy = "seed"\n[project]\nname = "x"\n'
    loaded = load(
        Sources(project=(SettingsFile(Path("/repo/pyproject.toml"), text),), environ=HOME), {}
    )
    assert loaded.settings.review.policy is Policy.SEED
    assert loaded.origins["review.policy"] == "project file /repo/pyproject.toml"


@pytest.mark.parametrize("text", ['name = "x"', "this is [ not TOML", '[tool.x]\ny = "sparing"'])
def test_pyproject_of_others_says_nothing(text: str) -> None:
    documents = (
        SettingsFile(PROJECT, "review.cap = 2"),
        SettingsFile(Path("/repo/pyproject.toml"), text),
    )
    assert load(Sources(project=documents, environ=HOME), {}).settings.review.cap == 2


def test_a_flag_may_be_text_or_value_or_not_given() -> None:
    flags: dict[str, object] = {"review.cap": "2", "agent.concurrency": 7, "agent.max_turns": None}
    loaded = load(sources("agent.max_turns = 9"), flags)
    assert (loaded.settings.review.cap, loaded.settings.agent.concurrency) == (2, 7)
    assert loaded.origins["agent.max_turns"] == f"user file {USER}"


def test_a_whole_number_of_seconds_is_a_number_of_seconds() -> None:
    assert repr(load(sources("engine.poll_seconds = 2"), {}).settings.engine.poll_seconds) == "2.0"


def test_models_for_a_backend_and_for_a_role() -> None:
    """A role's own word goes first, then the backend's model of its class, then the class."""
    text = (
        '[models.roles]\nsecurity-reviewer = "strong"\nprd-author = "my-model"\n'
        '[models.backends.codex]\nstrong = "gpt-x"\n'
    )
    models = load(sources(text), {}).settings.models
    assert models.of("standard", "claude", "security-reviewer") == models.strong
    assert models.of("standard", "codex", "security-reviewer") == "gpt-x"
    assert models.of("cheap", "codex", "prd-author") == "my-model"
    assert models.of("unheard-of", "codex", "builder") == "gpt-5.6-terra"
    environ = {
        "SPARING_MODELS__ROLES": "judge=cheap, builder=strong",
        "SPARING_MODELS__BACKENDS": "codex.cheap=gpt-y",
    }
    models = load(sources(text, environ=environ), {}).settings.models
    assert models.of("strong", "codex", "judge") == "gpt-y"
    own = {"models.backends": {"claude": {"cheap": "claude-z"}}}
    assert load(sources(), own).settings.models.of("cheap", "auto") == "claude-z"
    assert models.named_roles == ("judge", "builder")


def test_a_gate_named_twice_is_one_gate() -> None:
    loaded = load(sources('flow.gates = ["plan", "done", "plan"]'), {})
    assert loaded.settings.flow.gates == ("plan", "done")


@pytest.mark.parametrize(
    ("gates", "stops"),
    [
        ("default", {"plan", "done"}),
        ("default,implement", {"plan", "done", "implement"}),
        ("implement, verify", {"implement", "verify"}),
        ("", set[str]()),
    ],
)
def test_gates_are_configurable_per_stage(gates: str, stops: set[str]) -> None:
    """A7: the flow's own gates, more of them, others, or none."""
    loaded = load(sources(environ={"SPARING_FLOW__GATES": gates}), {})
    assert loaded.settings.flow.stops(["plan", "done"]) == stops


@pytest.mark.parametrize(
    ("environ", "folder", "root"),
    [
        ({"HOME": "/h"}, "", "/h/.local/state/sparing"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "", "/s/sparing"),
        ({"HOME": "/h", "XDG_STATE_HOME": "relative"}, "", "/h/.local/state/sparing"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "~/mine", "/h/mine"),
        ({}, "/mine", "/mine"),
    ],
)
def test_where_state_is_kept(environ: dict[str, str], folder: str, root: str) -> None:
    assert load(Sources(environ=environ), {"state.folder": folder}).state_root == Path(root)


def test_a_script_in_the_home_folder() -> None:
    loaded = load(sources('agent.script = "~/demo.toml"'), {})
    assert loaded.agent_script == Path("/home/ada/demo.toml")


@pytest.mark.parametrize(
    "environ",
    [{"XDG_CONFIG_HOME": "{}/x"}, {"XDG_CONFIG_HOME": "", "HOME": "{}"}, {"HOME": "{}"}],
)
def test_where_the_user_file_is_looked_for(tmp_path: Path, environ: dict[str, str]) -> None:
    for folder, cap in (("x", 1), (".config", 2)):
        (tmp_path / folder / "sparing").mkdir(parents=True)
        (tmp_path / folder / "sparing" / "config.toml").write_text(f"review.cap = {cap}")
    real = {name: value.format(tmp_path) for name, value in environ.items()}
    found = read_sources({"HOME": "/nowhere", **real}, None)
    assert load(found, {}).settings.review.cap == (1 if environ.get("XDG_CONFIG_HOME") else 2)


def test_only_our_variables_are_kept() -> None:
    found = read_sources({"HOME": "/h", "API_KEY": "secret", "SPARING_REVIEW__CAP": "2"}, None)
    assert found.environ == {"HOME": "/h", "SPARING_REVIEW__CAP": "2"}


def test_variables_that_look_like_no_setting_are_left_alone() -> None:
    loaded = load(sources(environ={"SPARING_DEMO": "1", "SPARINGLY__X": "1"}), {})
    assert loaded.settings == Settings()


def test_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All layers from the real disk and environment at once."""
    (tmp_path / "home/sparing").mkdir(parents=True)
    (tmp_path / "home/sparing/config.toml").write_text("[agent]\nmax_turns = 50\nconcurrency = 8\n")
    (tmp_path / "sparing.toml").write_bytes(b"\xef\xbb\xbf[agent]\r\nconcurrency = 5\r\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPARING_ENGINE__POLL_SECONDS", "0.02")
    monkeypatch.setenv("SPARING_STATE__FOLDER", str(tmp_path / "state"))
    loaded = current(tmp_path, {"review.cap": 1})
    assert {
        key: loaded.origins[key] for key in loaded.origins if loaded.origins[key] != "default"
    } == {
        "agent.max_turns": f"user file {tmp_path}/home/sparing/config.toml",
        "agent.concurrency": f"project file {tmp_path}/sparing.toml",
        "engine.poll_seconds": "environment SPARING_ENGINE__POLL_SECONDS",
        "state.folder": "environment SPARING_STATE__FOLDER",
        "review.cap": "flag",
    }
    assert loaded.settings.agent.concurrency == 5
    assert loaded.settings.engine.poll_seconds == 0.02
    assert loaded.state_root == tmp_path / "state"
    assert current(None).settings.agent.concurrency == 8
