"""Everything that can be set, with its default, its words and who may set it.

The one list of settings: the docs page, `sparing config show`, the variables' names and all
checks are read from the fields below. A setting that decides what is executed, where, or with
which model belongs to the user; a project file may only tighten what is left (`Narrow`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from sparing.config.agent import AgentSettings as AgentSettings
from sparing.config.agent import DoubledAgent as DoubledAgent
from sparing.config.commits import CommitSettings
from sparing.config.flow import FlowName as FlowName
from sparing.config.flow import FlowSettings
from sparing.config.notify import NotifySettings
from sparing.config.review import OtherVendor, ReviewSettings
from sparing.config.roles import RoleSettings
from sparing.config.rules import (
    DATABASE,
    DAY,
    OWN_PATH,
    PERSON,
    POINT,
    REMOTE,
    Rule,
    Setting,
    SettingScope,
    setting,
)
from sparing.config.spending import (
    CapSettings,
    EconomySettings,
    ModelSettings,
)
from sparing.config.value_forms import OneOf, Seconds, Value, Whole
from sparing.config.workspace import AUTO as AUTO
from sparing.config.workspace import HandOver as HandOver
from sparing.config.workspace import Sandbox as Sandbox
from sparing.config.workspace import WorkspaceSettings as WorkspaceSettings
from sparing.lazy_dataclass import declared_fields, lazy_dataclass


class ClockKind(StrEnum):
    WALL = "wall"
    COUNTED = "counted"


@lazy_dataclass
class StateSettings:
    folder: str = setting(
        "",
        Rule(
            OWN_PATH,
            "Where runs, sessions and the ledger are kept. "
            "Empty: `$XDG_STATE_HOME/sparing`, else `~/.local/state/sparing`.",
            SettingScope.USER,
        ),
    )
    database: str = setting(
        "",
        Rule(
            DATABASE,
            "A Postgres database that a team shares: `postgresql://user@host/name`, with its "
            "password in `~/.pgpass` or a service file. Empty: a file in the state folder.",
            SettingScope.USER,
        ),
    )
    remote: str = setting(
        "",
        Rule(
            REMOTE,
            "The git remote over which workers on a shared database exchange work, under "
            "`refs/sparing`. Empty: work stays on the machine where it is done.",
            SettingScope.USER,
        ),
    )
    person: str = setting(
        "",
        Rule(
            PERSON,
            "Your name in a shared database: approvals, rulings and raised caps are recorded "
            "under it. Empty: your user name on this machine.",
            SettingScope.USER,
        ),
    )


@lazy_dataclass
class RecordsSettings:
    keep_days: int = setting(
        0,
        Rule(
            Whole(0, 100_000),
            "How many days after a feature's end `sparing clean` keeps the texts of its prompts, "
            "replies and check outputs. What it cost, its events, gates and findings always stay. "
            "0: forever.",
            SettingScope.USER,
        ),
    )


@lazy_dataclass
class EngineSettings:
    poll_seconds: float = setting(
        0.1, Rule(Seconds(3600), "How often the engine looks for answers.", SettingScope.USER)
    )
    clock: ClockKind = setting(
        ClockKind.WALL,
        Rule(
            OneOf(ClockKind),
            "Where times come from; `counted` gives the same times in every run, for the demo.",
            SettingScope.USER,
        ),
    )
    ahead_seconds: int = setting(
        0,
        Rule(
            Whole(0, 10 * DAY), "How far ahead the engine's clock is, for tests.", SettingScope.RUN
        ),
    )
    lease_seconds: float = setting(
        6.0,
        Rule(
            Seconds(300),
            "How long a worker on a shared database may be silent before others take over its "
            "features.",
            SettingScope.USER,
        ),
    )
    crash_at: str = setting(
        "",
        Rule(
            POINT,
            "A crash point: the process ends or stops itself there, for tests.",
            SettingScope.RUN,
        ),
    )


@lazy_dataclass
class Settings:
    agent: AgentSettings = field(default_factory=AgentSettings)
    caps: CapSettings = field(default_factory=CapSettings)
    commits: CommitSettings = field(default_factory=CommitSettings)
    economy: EconomySettings = field(default_factory=EconomySettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    flow: FlowSettings = field(default_factory=FlowSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    records: RecordsSettings = field(default_factory=RecordsSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    roles: RoleSettings = field(default_factory=RoleSettings)
    state: StateSettings = field(default_factory=StateSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)

    @property
    def by_role(self) -> bool:
        """Whether roles differ at all in what they work with."""
        named = self.roles.backends or self.models.roles
        return bool(named) or self.review.other_vendor is not OtherVendor.OFF


@cache
def _sections() -> Mapping[str, type[Any]]:
    declared = declared_fields(Settings)
    return {name: cast("type[Any]", one.default_factory) for name, one in declared.items()}


@cache
def every_setting() -> Mapping[str, Setting]:
    """All settings by key, sorted."""
    found: dict[str, Setting] = {}
    for section, kind in _sections().items():
        for name, one in declared_fields(kind).items():
            key = f"{section}.{name}"
            found[key] = Setting(key, cast("Value", one.default), one.metadata["rule"])
    return MappingProxyType(dict(sorted(found.items())))


def build(values: Mapping[str, Value]) -> Settings:
    """Settings out of a value for every key."""
    made = {
        section: kind(**{name: values[f"{section}.{name}"] for name in declared_fields(kind)})
        for section, kind in _sections().items()
    }
    return Settings(**made)
