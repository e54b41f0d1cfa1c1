"""What steps need of the world: folders, database, settings, backends, the clock.

One process runs one engine, and the engine's functions are module-level, so this is set once
when it starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sparing.agents.backend import Backend
from sparing.clients.backends import make_backend, settle_backend
from sparing.clients.client_version import fingerprint
from sparing.clients.recorded_agent import RecordedAgent
from sparing.clients.simulated_agent import agent_of, taken_seconds
from sparing.clients.web_search import agreed_use
from sparing.config.load import Loaded, load
from sparing.config.roles import WebUse
from sparing.config.settings import ClockKind, Settings
from sparing.config.sources import Sources
from sparing.context.prompt.inclusion import wrapper_key
from sparing.database import Database
from sparing.errors import ConfigError
from sparing.fleet.travel import Travel
from sparing.records import resume_checks
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder
from sparing.runtime.own_tools import ToolSources, offer_tools, tool_names
from sparing.workspace.git.parallel_worktrees import lane_branch, lane_name
from sparing.workspace.git.repository import Repository, find_entry
from sparing.workspace.git.worktree import Worktree, ensure_worktree, is_empty
from sparing.workspace.project.sparse_checkout import Cone, read_cone
from sparing.workspace.project.sparse_package import chosen_cone
from sparing.workspace.sandbox.policy import SandboxLevel

BACKEND = "agent.backend"
COUNTED_SECONDS = 60.0
MOVE_SECONDS = 1.0
"""Seconds of a move besides those of its turns."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    folder: StateFolder
    database: Database
    repository: Repository
    sources: Sources
    headless: bool
    """True if no person can be asked."""
    environ: Mapping[str, str]
    """Environment variables that the processes we start may see."""
    level: SandboxLevel = SandboxLevel.SEALED
    """How far agents and checks are confined, as far as the host can do it."""
    auto: bool = False
    """True if gates pass by rule in this run."""
    packages: Mapping[str, str] = field(default_factory=dict[str, str])
    """Configuration of the user's package managers, passed to set-ups alone."""
    travel: Travel | None = None
    """How work gets to other workers; without it, it stays on this machine."""
    versions: dict[str, str] = field(default_factory=dict[str, str])
    """Versions of clients by backend, as last seen."""
    prepared: dict[str, object] = field(default_factory=dict[str, object])
    """Sources of dispatches under way, by ticket: see `source.source_of`."""
    last_tries: dict[str, float] = field(default_factory=dict[str, float])
    """When the last try of a dispatch began that was sent from here."""
    _loaded: dict[str, Loaded] = field(default_factory=dict[str, Loaded])
    _backends: dict[str, Backend] = field(default_factory=dict[str, Backend])
    _files: dict[str, tuple[object, ...]] = field(default_factory=dict[str, tuple[object, ...]])
    _worktrees: dict[str, Worktree] = field(default_factory=dict[str, Worktree])

    def loaded(self, row: FeatureRow, backend: str = "") -> Loaded:
        """The feature's settings, or the same for another backend."""
        key = f"{row.feature.key} {backend}".strip()
        if key not in self._loaded:
            own = load(self.sources, row.overrides)
            if backend:
                own = replace(own, values={**own.values, BACKEND: backend})
            self._loaded[key] = settle_backend(own, self.folder)
        return self._loaded[key]

    def own_settings(self) -> Settings:
        """Settings without those that one feature was started with."""
        if "" not in self._loaded:
            self._loaded[""] = load(self.sources, {})
        return self._loaded[""].settings

    def settings(self, row: FeatureRow) -> Settings:
        return self.loaded(row).settings

    def backend(self, row: FeatureRow, named: str = "") -> Backend:
        """The feature's own, or the one of that name; made again if its client was replaced."""
        loaded, number = self.loaded(row, named), row.feature.number
        name = backend_key(loaded, number)
        known = self._backends.get(name)
        if known is None or self._files.get(name, ()) != fingerprint(known):
            made = make_backend(loaded, self.folder)
            sources = ToolSources(self.folder, self.database, self.repository)
            offer_tools(made, loaded.settings, sources, number)
            self._backends[name], self._files[name] = made, fingerprint(made)
        return self._backends[name]

    def web(self, row: FeatureRow, backend: str = "") -> WebUse:
        """Who may search the web; off if the client is not installed."""
        use = agreed_use(self.settings(row), self.folder.path)
        try:
            return use if use is not WebUse.OFF and self.searches(row, backend) else WebUse.OFF
        except ConfigError:
            return WebUse.OFF

    def searches(self, row: FeatureRow, backend: str = "") -> bool:
        return self.backend(row, backend).capabilities.searches

    def now(self, row: FeatureRow, moves: int) -> float:
        """The time of a move. The counted clock depends on nothing but the count, or on how long
        a drawn agent's turns took by its own account.
        """
        settings = self.settings(row)
        ahead, agent = settings.engine.ahead_seconds, agent_of(settings.agent)
        if settings.engine.clock is not ClockKind.COUNTED:
            return self._wall(row) + ahead
        if agent is None:
            return row.feature.created + COUNTED_SECONDS * moves + ahead
        with self.database.read() as connection:
            taken = taken_seconds(connection, row.feature.key, agent)
        return row.feature.created + MOVE_SECONDS * moves + taken + ahead

    def _wall(self, row: FeatureRow) -> float:
        """The current time; in a run that is played back, that of the recording."""
        played = self._played(row)
        return played.now if played else time.time()

    def wrapper_key(self, row: FeatureRow) -> str:
        """In a run that is played back: the recorded one, or no prompt would be the same."""
        played = self._played(row)
        return played.wrapper if played else wrapper_key(self.folder.secret, row.feature.key)

    def _played(self, row: FeatureRow) -> RecordedAgent | None:
        backend = self.backend(row) if self.settings(row).agent.cassette else None
        return backend if isinstance(backend, RecordedAgent) else None

    def began(self, row: FeatureRow, planned: float) -> float:
        """When a turn begins: now, or as planned if the counted clock has not got there yet."""
        now = self.now(row, 0)
        counted = self.settings(row).engine.clock is ClockKind.COUNTED
        return max(planned, now) if counted else now

    def worktree(self, row: FeatureRow, commit: str, lane: str = "") -> Worktree:
        """Made or found again when it is first needed, and whenever it has vanished.

        A task that is worked on beside others has a lane: a worktree and a branch of its own.
        """
        name = row.feature.name
        path = self.folder.worktree(lane_name(name, lane))
        known = self._worktrees.get(f"{row.feature.key} {lane}")
        if known is None or not (path / ".git").is_file() or is_empty(path):
            branch = lane_branch(name, lane) if lane else row.feature.branch
            known = ensure_worktree(self.repository, path, branch, commit, self.cone(row))
            self._worktrees[f"{row.feature.key} {lane}"] = known
        return known

    def cone(self, row: FeatureRow) -> Cone:
        """The part of the repository that its worktree holds, if not all.

        Chosen once: neither another setting nor a base that moved changes a worktree that is there.
        """
        made = find_entry(self.repository, self.folder.worktree(row.feature.name))
        if made is not None:
            return read_cone(made)
        settings, base = self.settings(row), row.feature.base_commit
        also = (self.feature_folder(row), settings.flow.knowledge_folder)
        return chosen_cone(self.repository, base, settings.workspace, also)

    def forget(self, row: FeatureRow, lane: str) -> None:
        """Drop a lane that was removed."""
        self._worktrees.pop(f"{row.feature.key} {lane}", None)

    def deferred(self, row: FeatureRow) -> str:
        """Why the sessions of a feature's client are not resumed; empty if they are, or if nobody
        knows yet, as where the client is not installed."""
        try:
            backend = self.backend(row)
        except ConfigError:
            return ""
        return self.deferred_by(backend)

    def deferred_by(self, backend: Backend) -> str:
        """The same for one backend."""
        if backend.capabilities.proven:
            return ""
        with self.database.read() as connection:
            version = str(getattr(backend, "version", ""))
            known = resume_checks.get(connection, backend.name, version)
        return known.reason if known else ""

    def feature_folder(self, row: FeatureRow) -> str:
        return self.settings(row).flow.folder_of(row.feature)


def backend_key(loaded: Loaded, feature: int = 0) -> str:
    """Key of a backend; features whose settings agree in this share one."""
    agent, tools = loaded.settings.agent, tool_names(loaded.settings, feature)
    root = loaded.settings.workspace.root
    return f"{agent.backend} {agent.client} {loaded.agent_script} {tools} {root}".rstrip()


_current: list[Surroundings] = []


def set_current(surroundings: Surroundings) -> Callable[[], None]:
    """Set it for this process; returns the function that undoes that."""
    _current.append(surroundings)
    return _current.clear


def current() -> Surroundings:
    return _current[-1]
