"""The summary of a hand-over: what changed, what was decided, how reviews ended, what it cost.

A merge's message is the same for equal work, whatever happened on the way; cost is not, since a
turn that was cut off is paid twice. So cost is shown to people, but is in no commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.briefing.retro import LOG, cost_words
from sparing.change import FileChange
from sparing.connection import Connection
from sparing.context.documents.task_report import read_log
from sparing.event import ChecksEvent, LearnedEvent
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.job import Job
from sparing.prompts.render import fill
from sparing.records import events, totals
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.findings import count_open
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.stages.place import Mark, Place
from sparing.workspace.git.commit import read_file

MOST_FILES = 40
MOST_LINES = 20
LONGEST_LINE = 300


class HandoverFacts(NamedTuple):
    """What is known of a finished feature."""

    total: str
    files: list[str]
    more: int
    decisions: list[str]
    deviations: list[str]
    concerns: list[str]
    unfinished: list[str]
    reviews: list[str]
    checks: str
    lessons: str
    folder: str


class Body(NamedTuple):
    text: str
    """Text for a commit, without cost."""
    cost: str
    facts: HandoverFacts

    @property
    def whole(self) -> str:
        """Text for people, with cost."""
        return f"{self.text}\nCost: {self.cost}\n"


def body_of(around: Surroundings, row: FeatureRow, job: Job) -> Body:
    assert job.place is not None
    place, source = Place.load(job.place), Source(around, row, job, None)
    logged = read_log(_log(source, place))
    changed = source.changed(row.feature.base_commit)
    with around.database.read() as connection:
        checks = events.last(connection, row.feature.key, ChecksEvent.kind)
        lessons = _lessons(connection, row)
        left = count_open(connection, row.feature.key)
        cost = cost_words(totals.get(connection, "feature", row.feature.key))
    facts = HandoverFacts(
        files=[_file(one) for one in changed[:MOST_FILES]],
        more=max(0, len(changed) - MOST_FILES), total=_total(changed),
        decisions=_short(logged.decisions), deviations=_short(logged.deviations),
        concerns=_short(logged.concerns), unfinished=_short(place.ending.unfinished),
        reviews=[
            _review(stage, mark, left[stage])
            for stage, mark in place.marks.items()
            if mark.iterations and (mark.notes or _is_reviewed(row.feature.flow, stage))
        ],
        checks=_checks(checks), lessons=lessons, folder=source.folder,
    )  # fmt: skip
    text = fill("documents", "handover", **facts._asdict())
    return Body(around.folder.redactor.clean(text).strip() + "\n", cost, facts)


def _checks(told: Event | None) -> str:
    if told is None:
        return "not run"
    return told.what.words(told.text) if isinstance(told.what, ChecksEvent) else told.text


def _log(source: Source, place: Place) -> str:
    """As the retrospective read it: the last commit may not have it any more."""
    path = f"{source.folder}/{LOG}"
    commit = place.ending.logs or source.job.head
    data = read_file(source.around.repository, commit, path)
    return (data or b"").decode("utf-8", "replace")


def _file(change: FileChange) -> str:
    return f"{change.path} (+{change.added} -{change.removed})"


def _total(changed: Sequence[FileChange]) -> str:
    if not changed:
        return "nothing but the documents"
    added, removed = sum(one.added for one in changed), sum(one.removed for one in changed)
    files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
    return f"{files}, +{added} -{removed}"


def _is_reviewed(flow: str, stage: str) -> bool:
    """Whether its result is reviewed, or it is itself a review."""
    found = FLOWS[flow].stage(stage)
    return bool(found.reviewers) or found.work is StageWork.JUDGE


def _review(stage: str, mark: Mark, left: int) -> str:
    """`left`: findings that do not hold a stage up, such as suggestions, and were not settled."""
    rounds = "1 round" if mark.iterations == 1 else f"{mark.iterations} rounds"
    capped = ", ended at the cap" if mark.cap_reached else ""
    notes = "; ".join(_short(mark.notes))
    findings = "1 finding" if left == 1 else f"{left} findings"
    open_ = f"{findings} not taken up" if left else "nothing open"
    return f"{stage}: {rounds}{capped}, {f'open: {notes}' if notes else open_}"


def _short(lines: Sequence[str]) -> list[str]:
    """One line each, so that a model's words make no paragraph of their own."""
    told = [" ".join(line.split()) for line in lines[:MOST_LINES]]
    more = len(lines) - len(told)
    cut = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in told]
    return [*cut, *([f"and {more} more"] if more else [])]


def _lessons(connection: Connection, row: FeatureRow) -> str:
    told = events.last(connection, row.feature.key, LearnedEvent.kind)
    return told.text if told else ""
