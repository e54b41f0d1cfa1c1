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
    BRANCH,
    COMMANDS,
    DATABASE,
    DAY,
    FILES,
    FOLDER,
    HOSTS,
    OWN_PATH,
    PERSON,
    POINT,
    REMOTE,
    SERVICES,
    VARIABLES,
    Rule,
    Setting,
    SettingScope,
    limit,
    setting,
)
from sparing.config.spending import (
    CapSettings,
    EconomySettings,
    ModelSettings,
)
from sparing.config.value_forms import OneOf, Seconds, Value, Whole
from sparing.lazy_dataclass import declared_fields, lazy_dataclass


class HandOver(StrEnum):
    PRINT = "print"
    MERGE = "merge"
    PULL_REQUEST = "pull-request"


class Sandbox(StrEnum):
    REQUIRED = "required"
    OPTIONAL = "optional"


class ClockKind(StrEnum):
    WALL = "wall"
    COUNTED = "counted"


AUTO = "auto"  # as a set-up: whatever the files in a repository ask for


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
            "Where a team keeps them together: `postgresql://user@host/name`. Its password comes "
            "from `~/.pgpass` or a service file. Empty: a file in the state folder.",
            SettingScope.USER,
        ),
    )
    remote: str = setting(
        "",
        Rule(
            REMOTE,
            "The git remote over which workers on a shared database get each other's work, under "
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
class WorkspaceSettings:
    base_branch: str = setting(
        "", Rule(BRANCH, "The branch features start from. Empty: the one checked out.")
    )
    root: str = setting(
        "",
        Rule(
            FOLDER,
            "In a repository of many packages: the folder that a feature is about, such as "
            "`packages/api`. Checks, set-up and the map of the code come from there; the whole "
            "repository's checks run at the end. Empty: the repository is one project.",
        ),
    )
    hand_over: HandOver = setting(
        HandOver.PRINT,
        Rule(
            OneOf(HandOver),
            "What happens with a finished branch. `print` moves nothing that is checked out and "
            "names the commands; `merge` is your consent to fast-forward a clean checkout, "
            "`pull-request` to push this one branch and to open a pull request with `gh`.",
            SettingScope.USER,
        ),
    )
    memory_mb: int = setting(
        0,
        Rule(
            Whole(0, 100_000_000),
            "How much memory the processes of one turn, check or set-up may take together, in "
            "megabytes; 0 is half of the machine's.",
            SettingScope.USER,
        ),
    )
    disk_mb: int = setting(
        0,
        Rule(
            Whole(0, 100_000_000),
            "How much the processes of one turn, check or set-up may write to disk, in megabytes; "
            "0 is half of what is free, and 20,000 at most.",
            SettingScope.USER,
        ),
    )
    check_seconds: int = setting(600, limit(DAY, "How long one run of the checks may take."))
    sandbox: Sandbox = setting(
        Sandbox.REQUIRED,
        Rule(
            OneOf(Sandbox),
            "What happens where the system can't confine agents and checks: `required` refuses to "
            "run, `optional` continues with what there is (the flag --unsandboxed).",
            SettingScope.USER,
        ),
    )
    commands: tuple[str, ...] = setting(
        (),
        Rule(
            COMMANDS,
            "Commands that may run when a task's done criterion names them, by their exact text. "
            "The repository's own checks need no entry; nothing else that agents write is run.",
            SettingScope.USER,
        ),
    )
    setup: tuple[str, ...] = setting(
        (AUTO,),
        Rule(
            COMMANDS,
            "What makes a fresh worktree usable. `auto` goes by the files that are there, an empty "
            "list does nothing. You are asked before any of it first runs, and again if a feature "
            "changes what it would load.",
        ),
    )
    setup_seconds: int = setting(900, limit(DAY, "How long the set-up may take."))
    setup_hosts: tuple[str, ...] = setting(
        (),
        Rule(
            HOSTS,
            "Hosts that a set-up may reach beside those of your package managers (their own "
            "defaults, and what your settings of pip, npm, uv, go and cargo name). `*` stands for "
            "any host on ports 80 and 443.",
            SettingScope.USER,
        ),
    )
    copy: tuple[str, ...] = setting(
        (),
        Rule(
            FILES,
            "Files of your checkout that git does not know and a worktree needs, such as `.env`. "
            "They are never committed, reviewers never see them, and you are asked first.",
        ),
    )
    services: tuple[str, ...] = setting(
        (),
        Rule(
            SERVICES,
            "Servers of this machine that the repository's checks may call, such as a database at "
            "`127.0.0.1:5432`. Agents may not, and you are asked first.",
        ),
    )
    lend_env: tuple[str, ...] = setting(
        (),
        Rule(
            VARIABLES,
            "Variables of your environment that the repository's checks are given, such as "
            "`DATABASE_URL`. Agents are not, and you are asked first.",
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
            "Where times come from; `counted` gives the same ones in every run, for the demo.",
            SettingScope.USER,
        ),
    )
    ahead_seconds: int = setting(
        0,
        Rule(
            Whole(0, 10 * DAY), "How far the engine's clock is ahead, for tests.", SettingScope.RUN
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
        Rule(POINT, "A crash point at which the process ends itself, for tests.", SettingScope.RUN),
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
