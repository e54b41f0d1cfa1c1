"""Gathering: from a job to everything its dispatch may say.

Documents are read out of the commit the job starts from, never from disk: what an agent is told
is what is recorded.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from sparing.artifact import Artifact, ArtifactName
from sparing.context import turns
from sparing.context.compose import Brief
from sparing.context.tasks import parse_tasks
from sparing.engine.jobs import Job, Turn
from sparing.engine.surroundings import Surroundings
from sparing.errors import FeatureError
from sparing.finding import Verdict
from sparing.flow.flows import FEATURE, FLOWS
from sparing.flow.stage import Stage, Work
from sparing.prompts.render import words
from sparing.records import verdicts
from sparing.records.features import FeatureRow
from sparing.roles.load import Role, RoleClass, shipped
from sparing.session import Session
from sparing.task import Task
from sparing.workspace.commit import changed_files, diff, read_file

CANONICAL = (
    ArtifactName.PRD, ArtifactName.SPEC, ArtifactName.DESIGN, ArtifactName.PLAN, ArtifactName.TASKS,
)  # fmt: skip
BESIDE_CODE = (ArtifactName.DESIGN, ArtifactName.SPEC)
"""All reviewers of code need these: they come before it, so that the three share a prefix."""


@dataclass(frozen=True, slots=True)
class Source:
    """One job with what surrounds it."""

    around: Surroundings
    row: FeatureRow
    job: Job
    session: Session | None

    @property
    def stage(self) -> Stage:
        return FLOWS[self.row.feature.flow].stage(self.job.stage)

    @property
    def role(self) -> Role:
        return shipped(self.job.role)

    @property
    def key(self) -> str:
        """Equal for all prompts of a feature; no document can know it in advance."""
        secret = f"{self.around.folder.path} {self.row.feature.key} {self.row.feature.base_commit}"
        return hashlib.sha256(secret.encode()).hexdigest()[:12]

    @property
    def cap(self) -> int:
        return min(self.stage.cap, self.around.settings(self.row).review.cap)

    def path(self, name: ArtifactName) -> str:
        return f"{self.around.feature_folder(self.row)}/{name.filename}"

    def artifact(self, name: ArtifactName) -> Artifact | None:
        data = read_file(self.around.repository, self.job.head, self.path(name))
        return None if data is None else Artifact(name, data.decode("utf-8", "replace"))

    def fetch(self, digest: str) -> str:
        return self.around.folder.fetch(digest) if digest else ""

    def open_verdicts(self) -> list[Verdict]:
        with self.around.database.read() as connection:
            rows = [verdicts.get(connection, dispatch) for dispatch in self.job.open]
        return [row.verdict for row in rows if row is not None]


def gather(source: Source) -> Brief:
    stage, role = source.stage, source.role
    known = role.artifacts if role.role_class is RoleClass.REVIEWER else stage.reads
    subject = stage.writes if _looks_at_subject(source) else None
    names = [name for name in (*CANONICAL, *known) if name in known and _before(name, subject)]
    wanted = [found for name in dict.fromkeys(names) if (found := source.artifact(name))]
    code = _code(source) if _looks_at_code(source) else ""
    shared = [a for a in wanted if not code or a.name in BESIDE_CODE]
    shared.sort(key=lambda a: BESIDE_CODE.index(a.name) if code else 0)
    return Brief(
        key=source.key,
        documents=tuple(shared),
        role=role.name,
        role_text=_role_text(source),
        turn=_turn(source),
        subject=source.artifact(subject) if subject else None,
        code=code,
        rest=tuple(a for a in wanted if a not in shared),
        scope=_task(source).body if source.job.task else "",
        again=_again(source),
    )


def _before(name: ArtifactName, subject: ArtifactName | None) -> bool:
    """A document that comes after the one at hand is not for its reviewers, even if it exists."""
    if subject is None or subject not in CANONICAL or name not in CANONICAL:
        return name is not subject
    return CANONICAL.index(name) < CANONICAL.index(subject)


def _role_text(source: Source) -> str:
    """In a tier the stage's text and guide belong to the role."""
    if source.row.feature.flow == FEATURE.name:
        return source.role.text
    stage = source.job.stage
    return "\n".join((source.role.text, words("stages", stage), words("skills", stage)))


def _looks_at_subject(source: Source) -> bool:
    return source.stage.work is Work.DOCUMENT and source.job.turn is not Turn.WRITE


def _looks_at_code(source: Source) -> bool:
    if source.job.turn is Turn.REVIEW:
        return source.stage.work is Work.IMPLEMENT
    return source.job.turn is Turn.JUDGE and source.job.stage == "code_review"


def _code(source: Source) -> str:
    """What the feature changed outside of its own folder."""
    return _diff_of_code(source, source.row.feature.base_commit, 3)


def _diff_of_code(source: Source, since: str, context: int) -> str:
    repository, head = source.around.repository, source.job.head
    own = source.around.feature_folder(source.row) + "/"
    changed = changed_files(repository, since, head)
    paths = [change.path for change in changed if not change.path.startswith(own)]
    return diff(repository, since, head, paths, context) if paths else ""


def _task(source: Source) -> Task:
    found = source.artifact(ArtifactName.TASKS)
    tasks = read_tasks(found)
    return next(task for task in tasks if task.number == source.job.task)


def _subject_words(source: Source) -> str:
    if source.stage.work is Work.IMPLEMENT:
        return "the code changes"
    return source.stage.writes.filename if source.stage.writes else "the work"


def _target(source: Source) -> str:
    return source.path(source.stage.writes) if source.stage.writes else "the code"


def _turn(source: Source) -> str:
    job, title = source.job, source.row.feature.title
    match job.turn:
        case Turn.WRITE:
            return turns.write(job.stage, title, _target(source), reads=bool(source.stage.reads))
        case Turn.REVISE:
            findings = turns.open_findings(source.open_verdicts())
            return turns.revise(job.stage, _target(source), job.iteration, findings)
        case Turn.REDO:
            return turns.redo(job.stage, _target(source), source.key, source.fetch(job.feedback))
        case Turn.REVIEW:
            return turns.review(job.stage, _subject_words(source), job.iteration, source.cap)
        case Turn.IMPLEMENT:
            task = _task(source)
            return turns.implement(task.number, task.title, task.files, task.done_when)
        case Turn.BUILD | Turn.REPAIR_CHECKS | Turn.JUDGE | Turn.NONE:
            return _other_turn(source)


def _other_turn(source: Source) -> str:
    job, title = source.job, source.row.feature.title
    said = source.fetch(job.feedback)
    if job.turn is Turn.REPAIR_CHECKS:
        checks = [turns.CheckWords(*item) for item in json.loads(said)]
        return turns.repair_checks(source.key, checks)
    if job.turn is Turn.BUILD:
        return turns.build(job.stage, title, _target(source), source.key, said)
    return turns.judge(job.stage, title)


def _again(source: Source) -> str:
    """What a session that knows the rest is told; empty where a turn starts from nothing."""
    job, session = source.job, source.session
    if session is None or source.role.always_fresh:
        return ""
    if job.turn in (Turn.REVISE, Turn.REDO):
        return _turn(source)
    if job.turn is not Turn.REVIEW:
        return ""
    delta = _delta(source, session)
    if not delta:
        return ""
    again = turns.Again(
        source.role.name, job.stage, _subject_words(source), job.iteration, source.cap, delta,
        source.fetch(job.note),
    )  # fmt: skip
    return turns.review_again(again, source.key)


def _delta(source: Source, session: Session) -> str:
    writes = source.stage.writes
    if writes is None:
        return _diff_of_code(source, session.commit, 0)
    repository = source.around.repository
    return diff(repository, session.commit, source.job.head, (source.path(writes),), 0)


def read_tasks(artifact: Artifact | None) -> tuple[Task, ...]:
    if artifact is None:
        raise FeatureError("there is no tasks.md", "run the stage again: sparing reject FEATURE")
    return parse_tasks(artifact.text)
