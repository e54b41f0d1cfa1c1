"""The sections that a stage was passed with: bound to its approval, and looked up again.

For a stage passed before approvals recorded sections, they are read from the commit at which the
next stage began; at its gate, from the one at which it began itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.connection import Connection
from sparing.context.documents.tasks import parse_tasks
from sparing.context.links.dependents import hashes_of
from sparing.context.links.task_dependents import task_hashes
from sparing.errors import SparingError
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage, StageWork
from sparing.flow.state import Position
from sparing.records.features import FeatureRow
from sparing.records.gates import ApprovalRow, Seen, keep_approval
from sparing.stages.moves import Next
from sparing.stages.place import Place
from sparing.task import Task
from sparing.turn import StageStep
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.repository import Repository

TASKS = "tasks"
"""Key beside the file names: the hash of each task."""
MOVED = "base branch"
"""Key beside the file names: sections naming a file the base has changed, with base and file."""


class Passed(NamedTuple):
    """What a stage was passed with, and at which commit."""

    seen: Seen
    commit: str


class Library(NamedTuple):
    """The documents of a feature, in its repository."""

    repository: Repository
    folder: str

    def text(self, commit: str, name: ArtifactName) -> str:
        data = read_file(self.repository, commit, f"{self.folder}/{name.filename}")
        return (data or b"").decode("utf-8", "replace")

    def texts(self, commit: str, stage: Stage) -> dict[str, str]:
        """Texts of the documents that a stage reads and writes, as far as they exist."""
        names = (*stage.reads, *((stage.writes,) if stage.writes else ()))
        found = {name.filename: self.text(commit, name) for name in names}
        return {name: text for name, text in found.items() if text.strip()}

    def seen(self, commit: str, stage: Stage) -> Seen:
        texts = self.texts(commit, stage)
        seen: dict[str, Mapping[str, str]] = {name: hashes_of(one) for name, one in texts.items()}
        tasks = tasks_in(texts.get(ArtifactName.TASKS.filename, ""))
        return {**seen, TASKS: task_hashes(tasks)} if tasks else seen

    def has(self, commit: str) -> bool:
        return bool(commit and object_id(self.repository.git(), f"{commit}^{{commit}}"))


def tasks_in(text: str) -> tuple[Task, ...]:
    """Empty if the document can't be parsed: callers that need tasks report it."""
    try:
        return parse_tasks(text, "") if text.strip() else ()
    except SparingError:
        return ()


def bind(
    tx: Connection, library: Library, row: FeatureRow, before: Place, found: Next, at: float
) -> None:
    """When a stage is closed or left for a later one, record what it was passed with."""
    flow, after = FLOWS[row.feature.flow], found.place
    name = before.state.stage
    closes = after.step is StageStep.CLOSE and before.step is not StageStep.CLOSE
    leaves = flow.index(after.state.stage) > flow.index(name)
    if not closes and not leaves:
        return
    if before.step is StageStep.TRACE:
        return  # passed over: what it was passed with is as it was
    head = after.head if closes else before.head
    seen = library.seen(head, flow.stage(name))
    if seen:
        keep_approval(tx, ApprovalRow(row.feature.key, name, seen, head, at))


def reviewed_stages(place: Place) -> tuple[Stage, ...]:
    """Stages whose result may need another review, in order: done, or with tasks done."""
    resting = place.refining.resting if place.refining else None
    state = resting.state if resting else place.state
    flow = FLOWS[place.state.flow]
    here = flow.index(state.stage)
    done, current = flow.stages[:here], flow.stages[here]
    works = current.work is StageWork.IMPLEMENT and bool(place.building.done)
    closed = state.position is Position.GATE and current.work is StageWork.DOCUMENT
    return (*done, current) if works or closed else done


def passed_with(
    library: Library, place: Place, rows: Mapping[str, ApprovalRow], stage: Stage
) -> Passed | None:
    """What a stage was passed with; None if unknown; for one under way, what it began with."""
    mark = place.marks.get(stage.name)
    if mark is not None and mark.completed is None and mark.base:
        return _at(library, mark.base, stage)
    row = rows.get(stage.name)
    if row is not None:
        return Passed(row.seen, row.commit)
    flow = FLOWS[place.state.flow]
    later = (place.marks.get(name) for name in flow.names[flow.index(stage.name) + 1 :])
    base = next((one.base for one in later if one is not None and one.base), "")
    began = mark.base if mark is not None else ""
    return _at(library, base or began or place.head, stage)


def _at(library: Library, commit: str, stage: Stage) -> Passed | None:
    return Passed(library.seen(commit, stage), commit) if library.has(commit) else None
