"""One job with what surrounds it: where everything that its prompt may say is read.

Documents come out of the commit the job starts from, never from disk. The rules file comes from the
commit the feature started at: no agent rewrites the rules it is held to, and the trunk stays equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from sparing.agents.backend import Backend
from sparing.artifact import META, RULES, Artifact, ArtifactName
from sparing.change import FileChange
from sparing.clients.role_backend import RoleBackend, RoleInFeature, role_backend
from sparing.clients.web_search import equipped
from sparing.codec import JsonObject
from sparing.config.roles import WebUse
from sparing.context.prompt.brief import Document, Material
from sparing.continuation import SessionStep
from sparing.finding import Verdict
from sparing.flow.flows import FLOWS, builder_of
from sparing.flow.stage import Stage
from sparing.job import Job, Ticket
from sparing.panel import joint_name
from sparing.records import features, sessions, verdicts
from sparing.records.features import FeatureRow
from sparing.records.folder import TextGone
from sparing.roles.catalog import Catalog, load_catalog, united
from sparing.roles.load import Role
from sparing.runtime.surroundings import Surroundings, current
from sparing.session import Session
from sparing.turn import TURNS
from sparing.workspace.git.commit import changed_outside, diff, read_file
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.parallel_worktrees import lane_name
from sparing.workspace.sandbox.launcher import place_of

RULES_CHARS = 40_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    around: Surroundings
    row: FeatureRow
    job: Job
    session: Session | None
    final: bool = False
    """True if the reviewer has passed and now reviews everything since."""
    transition: bool = False
    """The session is the continuing agent's, which now enters this stage."""
    sent_to: str = ""
    """The backend that it was prepared for; empty if that is still to be decided."""
    on_model: str = ""
    """Of others with whom it shares a prompt prefix; empty: its own."""
    _read: dict[tuple[str, ...], Any] = field(
        default_factory=dict[tuple[str, ...], Any], compare=False, repr=False
    )
    """What was read for this job: commits do not change, and roles not within a dispatch."""

    def on(self, model: str) -> Source:
        return replace(self, on_model=model)

    @property
    def phase(self) -> str:
        """The phase of the turn, for a role that works in phases."""
        return TURNS[self.job.turn].phase

    @property
    def inside(self) -> bool:
        """The turn is in the session that the stages of a tier share."""
        return self.transition and bool(self.job.going.thread)

    @property
    def stage(self) -> Stage:
        return FLOWS[self.row.feature.flow].stage(self.job.stage)

    @property
    def catalog(self) -> Catalog:
        around = self.around
        return self.once(
            ("catalog",),
            lambda: load_catalog(
                around.sources.roles, around.repository.checkout, around.folder.path
            ),
        )

    def once(self, name: tuple[str, ...], read: Callable[[], T]) -> T:
        """The value of this name, computed at most once per job."""
        if name not in self._read:
            self._read[name] = read()
        return self._read[name]

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that are asked: several if reviewers share a turn."""
        return tuple(self.catalog.role(name) for name in self.job.asked)

    @property
    def role(self) -> Role:
        return equipped(united(self.roles), self.web)

    @property
    def agent(self) -> RoleBackend:
        """Which backend does the work, and why; decided once per job."""
        if self.sent_to:
            return RoleBackend(self.sent_to)
        return self.once(("agent",), lambda: role_backend(self._who))

    @property
    def _who(self) -> RoleInFeature:
        stage, first = self.stage, self.job.role
        name = builder_of(self.row.feature.flow) if stage.author == first else stage.author
        author = self.catalog.role(name) if name else None
        return RoleInFeature(self.around, self.row, united(self.roles), author)

    @property
    def backend(self) -> Backend:
        return self.around.backend(self.row, self.agent.name)

    @property
    def web(self) -> WebUse:
        """Who may search the web; settled once for a job."""
        return self.once(("web",), lambda: self.around.web(self.row, self.agent.name))

    @property
    def key(self) -> str:
        """Wrapper key: the same in all prompts of a feature, and unknown to any document."""
        return self.once(("key",), lambda: self.around.wrapper_key(self.row))

    @property
    def cap(self) -> int:
        return min(self.stage.cap, self.around.settings(self.row).review.cap)

    @property
    def folder(self) -> str:
        return self.around.feature_folder(self.row)

    def path(self, name: ArtifactName) -> str:
        return f"{self.folder}/{name.filename}"

    def text(self, path: str) -> str | None:
        return self.text_at(self.job.head, path)

    def text_at(self, commit: str, path: str) -> str | None:
        data = self.once(
            ("file", commit, path), lambda: read_file(self.around.repository, commit, path)
        )
        return None if data is None else data.decode("utf-8", "replace")

    def artifact(self, name: ArtifactName) -> Artifact | None:
        text = self.text(self.path(name))
        return None if text is None else Artifact(name, text)

    def document(self, name: ArtifactName) -> Document:
        """A document with its absolute path as agents find it, in case it is sent by reference."""
        path = self.path(name)
        text = self.text(path)
        if text is None and name is ArtifactName.PRD:
            path, text = self._brainstorm() or (path, None)
        host = self.around.folder.worktree(lane_name(self.row.feature.name, self.job.lane))
        return Document(name, text, str(place_of(host, self.around.level) / path))

    def _brainstorm(self) -> tuple[str, str] | None:
        """Path and text of the file the feature came from, if it still exists."""
        path = self.row.background.source or self.meta.get("brainstorm_source")
        text = self.text(path) if isinstance(path, str) else None
        return (str(path), text) if text is not None else None

    @property
    def meta(self) -> JsonObject:
        """The stored `.meta.json`; used only for what the database does not know."""
        try:
            found: object = json.loads(self.text(f"{self.folder}/{META}") or "{}")
        except (ValueError, RecursionError):
            return {}
        return cast("JsonObject", found) if isinstance(found, dict) else {}

    @property
    def rules(self) -> Material | None:
        """AGENTS.md, else CLAUDE.md; one that only names the other is followed."""
        for name in RULES:
            text = self._base_text(name)
            if text is not None and text.strip().removeprefix("./") in RULES:
                text = self._base_text(text.strip().removeprefix("./"))
            if text is not None and text.strip():
                return Material(name, _cut(text))
        return None

    def _base_text(self, path: str) -> str | None:
        return self.text_at(self.row.feature.base_commit, path)

    def fetch(self, digest: str) -> str:
        return self.around.folder.fetch(digest) if digest else ""

    def recall(self, digest: str) -> str:
        """A text from an earlier turn; empty if it is gone, since later turns can do without it."""
        try:
            return self.fetch(digest)
        except TextGone:
            return ""

    def open_verdicts(self) -> list[Verdict]:
        with self.around.database.read() as connection:
            rows = [verdicts.get(connection, dispatch) for dispatch in self.job.open]
        return [row.verdict for row in rows if row is not None]

    def verdicts(self) -> list[verdicts.VerdictRow]:
        """All verdicts of this stage, in order."""
        with self.around.database.read() as connection:
            every = verdicts.of_feature(connection, self.row.feature.key)
        return [row for row in every if row.stage == self.job.stage]

    def changed(self, since: str) -> tuple[FileChange, ...]:
        """Changed files outside the feature's own folder."""
        head, own, repository = self.job.head, self.folder, self.around.repository
        return self.once(
            ("changed", since, head), lambda: changed_outside(repository, since, head, own)
        )

    def untouched(self, name: ArtifactName, since: str) -> bool:
        """Whether a document is unchanged since that commit."""
        return self.text_at(since, self.path(name)) == self.text(self.path(name))

    def knows(self, commit: str) -> bool:
        """Whether that commit is still there to compare with."""
        git = self.around.repository.git()
        return self.once(("knows", commit), lambda: bool(object_id(git, f"{commit}^{{commit}}")))

    def diff(self, since: str, paths: tuple[str, ...], context: int = 0) -> str:
        if not paths:
            return ""
        name = ("diff", since, self.job.head, str(context), *paths)
        repository, head = self.around.repository, self.job.head
        return self.once(name, lambda: diff(repository, since, head, paths, context))


def _cut(text: str) -> str:
    """The rules, cut with a note if they would crowd out everything else."""
    more = f"\n[{len(text) - RULES_CHARS} more characters are in the file]\n"
    return text if len(text) <= RULES_CHARS else f"{text[:RULES_CHARS]}{more}"


def row_of(around: Surroundings, key: str) -> FeatureRow:
    with around.database.read() as connection:
        row = features.get(connection, key)
    assert row is not None, f"{key} has no row"
    return row


def session_scope(job: Job) -> str:
    """Sessions are kept per stage, or per tier; each task's implementer has its own."""
    if job.going.thread:
        return job.going.thread
    return f"{job.stage}/{job.task}" if job.task else job.stage


def _scope_before(job: Job) -> str:
    """The scope of the session that the job may continue."""
    return session_scope(replace(job, task=job.chain or job.task))


def session_owner(job: Job) -> str:
    if job.going.thread:
        return builder_of(job.going.thread)
    return joint_name(job.panel) if job.panel else job.role


MOST_PREPARED, MOST_TRIES = 16, 64


def source_of(ticket: Ticket, job: Job, sent_to: str = "") -> Source:
    """Steps that know the backend have what the first one has read: only the end writes any."""
    around = current()
    known = around.prepared.get(ticket.id) if sent_to else None
    if isinstance(known, Source) and known.around is around and known.job == job:
        return replace(known, sent_to=sent_to)
    with around.database.read() as connection:
        row, session = sessions.with_feature(
            connection, ticket.feature, _scope_before(job), session_owner(job)
        )
    assert row is not None, f"{ticket.feature} has no row"
    ended = job.going.go is SessionStep.HAND_OFF or job.going.anew
    kept = None if ended else session
    shared = bool(job.going.thread) and kept is not None
    found = Source(
        around=around, row=row, job=job, session=kept, final=job.final, transition=shared,
        sent_to=sent_to,
    )  # fmt: skip
    if not sent_to:
        around.prepared[ticket.id] = found
        for kept, most in ((around.prepared, MOST_PREPARED), (around.last_tries, MOST_TRIES)):
            while len(kept) > most:
                del kept[next(iter(kept))]
    return found
