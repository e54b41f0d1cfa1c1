"""The settings for people: rows for `sparing config show` and the page in the docs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, assert_never, cast

from sparing.config.faults import shown
from sparing.config.load import DEFAULT, Loaded
from sparing.config.roles import BACKEND, FALLBACK, FIELDS, role_setting
from sparing.config.rules import Narrow, Rule, Setting, SettingScope
from sparing.config.settings import every_setting
from sparing.config.value_forms import Value

INTRODUCTION = """\
# Settings

Each layer overrides the ones before it:

1. the defaults below
2. the user file: `$XDG_CONFIG_HOME/sparing/config.toml`, else `~/.config/sparing/config.toml`
3. the project file: `sparing.toml` in the repository's root, or `[tool.sparing]` in its
   `pyproject.toml`
4. the environment: `review.cap` is `SPARING_REVIEW__CAP`; lists are separated by commas
5. flags of the command

A project file may narrow what agents may do, never widen it, and can't set anything that is
executed. Unknown names and wrong values are errors. `sparing config show` prints every value
and the layer it came from.
"""


class SettingRow(NamedTuple):
    key: str
    value: Value
    origin: str
    doc: str


def as_rows(loaded: Loaded) -> tuple[SettingRow, ...]:
    """Every setting as it is now, sorted by key."""
    return tuple(
        SettingRow(key, _value(loaded, key), loaded.origins[key], setting.rule.doc)
        for key, setting in every_setting().items()
    )


def setting_row(loaded: Loaded, key: str) -> SettingRow:
    """One setting; for a setting of one role, the value that applies to it."""
    setting = role_setting(key)
    if key in every_setting() or setting is None:
        return next(one for one in as_rows(loaded) if one.key == key)
    role, _, name = key.partition(".")[2].rpartition(".")
    target, usual = FIELDS[name].target, "agent.backend" if name == BACKEND else ""
    lines = cast("tuple[str, ...]", _value(loaded, target))
    table = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
    if name == FALLBACK:
        return SettingRow(key, role not in table, loaded.origins[target], setting.rule.doc)
    if role in table:
        return SettingRow(key, table[role], loaded.origins[target], setting.rule.doc)
    value = _value(loaded, usual) if usual else setting.default
    return SettingRow(key, value, loaded.origins[usual] if usual else DEFAULT, setting.rule.doc)


def default_rows() -> tuple[SettingRow, ...]:
    """Every setting with its default."""
    return tuple(
        SettingRow(key, setting.default, DEFAULT, setting.rule.doc)
        for key, setting in every_setting().items()
    )


def settings_page() -> str:
    """The docs page, in markdown."""
    lines = [INTRODUCTION]
    for section, group in groupby(every_setting().values(), lambda one: one.key.split(".")[0]):
        lines += [f"## {section}", ""]
        for setting in group:
            lines += _entry(setting)
    return "\n".join(lines)


def _entry(setting: Setting) -> Iterator[str]:
    rule = setting.rule
    yield f"### `{setting.key}`"
    yield ""
    yield rule.doc
    yield ""
    yield f"- Default: `{shown(setting.default)}`"
    yield f"- Value: {rule.kind.expected}"
    yield f"- Set by: {_who(rule)}"
    yield f"- Variable: `{setting.variable}`"
    yield ""


def _who(rule: Rule) -> str:
    match rule.scope:
        case SettingScope.RUN:
            return "environment, flag"
        case SettingScope.USER:
            return "user file, environment, flag"
        case SettingScope.ANY:
            return f"user file, project file{_how(rule.narrow)}, environment, flag"
        case _:
            assert_never(rule.scope)


def _how(narrow: Narrow) -> str:
    match narrow:
        case Narrow.FREE:
            return ""
        case Narrow.LOWER:
            return " (only to lower it)"
        case Narrow.MORE:
            return " (only to add to it)"
        case _:
            assert_never(narrow)


def _value(loaded: Loaded, key: str) -> Value:
    return attrgetter(key)(loaded.settings)
