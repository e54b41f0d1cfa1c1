"""Following a change: the first stage whose approval predates it, and what that stage is told."""

from __future__ import annotations

from sparing.approval.effects import Papers, StageEffect, first_effect
from sparing.approval.sections import Library
from sparing.artifact import ArtifactName
from sparing.context.links.dependents import PartChange
from sparing.context.prompt.delta import change_delta
from sparing.flow.flows import FLOWS
from sparing.job import JobResult, Ticket
from sparing.prompts.render import fill
from sparing.records.gates import approvals_of
from sparing.refinement import Refinement, TraceResult
from sparing.runtime.source import Source
from sparing.stages.place import Place

LONGEST_DELTA = 40_000


def trace(source: Source, _ticket: Ticket) -> JobResult:
    """Reads only: repeating it gives the same result."""
    around, row, job = source.around, source.row, source.job
    assert job.place is not None
    place = Place.load(job.place)
    with around.database.read() as connection:
        rows = approvals_of(connection, row.feature.key)
    papers = Papers(Library(around.repository, source.folder), place, rows)
    found = first_effect(papers, place.state.stage)
    if found is None:
        return JobResult(commit=job.head, trace=TraceResult())
    told = around.folder.keep(what_changed(source, found))
    # Code is judged by what came since the feature waited, documents by what was approved.
    codes = FLOWS[row.feature.flow].stage(found.stage).writes is None
    since = place.refining.head if codes and place.refining else found.since
    shown = Refinement(since, ((found.document, found.parts),) if found.parts else ())
    result = TraceResult(found.stage, shown, found.tasks.redo, found.tasks.gone)
    return JobResult(commit=job.head, reply=told, trace=result)


def _path(source: Source, cause: PartChange) -> str:
    """Path of a feature's document, or of a file that the base branch changed."""
    if not cause.name:
        return cause.document
    return source.path(ArtifactName(cause.document.removesuffix(".md")))


def what_changed(source: Source, effect: StageEffect) -> str:
    """For an author: the changed sections, the diff, and its own sections that rest on them."""
    paths = tuple(dict.fromkeys(_path(source, one) for one in effect.causes))
    raw = source.diff(effect.since, paths) if source.knows(effect.since) else ""
    texts = {path: source.text(path) or "" for path in paths if path.endswith(".md")}
    return fill(
        "documents", "refinement",
        changes=[f"{one.place}: {one.kind.value}" for one in effect.causes],
        delta=change_delta(raw, texts, limit_chars=LONGEST_DELTA).text if raw else "",
        document=effect.document, parts=effect.parts, whole=effect.whole,
    )  # fmt: skip
