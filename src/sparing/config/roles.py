"""What can be set of roles: who may search the web, and which agent each of them is.

A table for one role, such as `[roles.security-reviewer]`, is another way to write its lines of the
settings `roles.backends`, `roles.stay` and `models.roles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sparing import backend_name
from sparing.config.rules import Rule, Setting, SettingScope, model, setting
from sparing.config.table_forms import ChoiceTable
from sparing.config.value_forms import PATTERN_NAME, Lines, OneOf, Switch
from sparing.lazy_dataclass import lazy_dataclass

BACKEND, MODEL, FALLBACK = "backend", "model", "fallback"


class WebUse(StrEnum):
    """Who may search the web."""

    OFF = "off"
    RESEARCHER = "researcher"
    """Who sees the request alone, in an empty folder."""
    REVIEWERS = "reviewers"
    """All of them, because they share what a cache holds; they read the repository."""
    BOTH = "both"

    @property
    def researches(self) -> bool:
        return self in (WebUse.RESEARCHER, WebUse.BOTH)

    @property
    def reviews(self) -> bool:
        return self in (WebUse.REVIEWERS, WebUse.BOTH)


@lazy_dataclass
class RoleSettings:
    web: WebUse = setting(
        WebUse.OFF,
        Rule(
            OneOf(WebUse),
            "Who may search the web, if the agent's provider runs the searches: `researcher`, "
            "which gets the request and an empty folder; `reviewers`, all of them; `both`. You "
            "are asked before the first search. If off, claims are checked against lockfiles and "
            "installed sources.",
            SettingScope.USER,
        ),
    )
    backends: tuple[str, ...] = setting(
        (),
        Rule(
            ChoiceTable(backend_name.NAMES, "security-reviewer=codex"),
            "A coding agent other than `agent.backend` for a role; or, for one role, `backend` "
            "under `[roles.NAME]`. If `agent.backend` is scripted or a double, so is every role.",
            SettingScope.USER,
        ),
    )
    stay: tuple[str, ...] = setting(
        (),
        Rule(
            Lines("a list of roles", PATTERN_NAME),
            "Roles that never move to an agent of `agent.fallback`; or, for one role, "
            "`fallback = false` under `[roles.NAME]`.",
            SettingScope.USER,
        ),
    )

    def backend_of(self, role: str) -> str:
        """The backend set for a role; empty if there is none."""
        table = dict(line.split(" ", 1) for line in self.backends)
        return table.get(role, "")

    @property
    def named(self) -> tuple[str, ...]:
        """Every role that is named here."""
        return (*(line.partition(" ")[0] for line in self.backends), *self.stay)


class RoleField(NamedTuple):
    """A key below `[roles.NAME]`."""

    target: str
    """The setting that gets its line."""
    rule: Rule


FIELDS: Mapping[str, RoleField] = {
    BACKEND: RoleField(
        "roles.backends",
        Rule(OneOf(backend_name.NAMES), "The role's coding agent.", SettingScope.USER),
    ),
    MODEL: RoleField("models.roles", model("The role's model, or a class of models.")),
    FALLBACK: RoleField(
        "roles.stay",
        Rule(Switch(), "Whether the role may move to `agent.fallback`.", SettingScope.USER),
    ),
}


class UnknownField(NamedTuple):
    """A key of a role's table that is unknown, or whose value is invalid."""

    name: str
    raw: object


class RoleLine(NamedTuple):
    """What a table for one role adds to a list."""

    target: str
    line: str
    """Empty where it adds nothing."""


def role_setting(key: str) -> Setting | None:
    """The setting of one role, such as `roles.security-reviewer.backend`."""
    section, _, rest = key.partition(".")
    role, _, name = rest.rpartition(".")
    if section != "roles" or name not in FIELDS or not re.fullmatch(PATTERN_NAME, role):
        return None
    default = {BACKEND: backend_name.AUTO, MODEL: "standard", FALLBACK: True}[name]
    return Setting(key, default, FIELDS[name].rule)


def role_lines(role: str, table: Mapping[str, object]) -> Iterator[RoleLine | UnknownField]:
    for name, raw in table.items():
        field = FIELDS.get(name)
        value = None if field is None else field.rule.kind.accept(raw)
        if field is None or value is None:
            yield UnknownField(name, raw)
        elif name == FALLBACK:
            yield RoleLine(field.target, "" if value else role)
        else:
            yield RoleLine(field.target, f"{role} {value}")
