"""A tier walked through by hand: what each job gave, and where that leads. Nothing runs."""

from __future__ import annotations

from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.context.documents.handoff import Handoff
from sparing.flow.advance import begin
from sparing.flow.flows import FLOWS
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep

DONE = Handoff(summary="Done.")


def own_gates(flow: str) -> frozenset[str]:
    return frozenset(stage.name for stage in FLOWS[flow].stages if stage.gate)


def rules_of(flow: str, *, auto: bool = False, gates: frozenset[str] | None = None) -> StageRules:
    stops = own_gates(flow) if gates is None else gates
    return StageRules(cap=3, gates=stops, headless=False, auto=auto)


def at(flow: str, stage: str, step: StageStep = StageStep.OPEN) -> Place:
    """As if all that a stage may want had been made."""
    return Place(begin(flow, stage, frozenset(ArtifactName)), "base", step)


def after(
    place: Place, *results: JobResult, handoff: Handoff | None = None, auto: bool = False
) -> Next:
    """Stored and loaded again in between, as a leg does."""
    known = Happened(results, handoff=handoff or Handoff())
    return next_move(_stored(place), known, rules_of(place.state.flow, auto=auto), 100.0)


def said(place: Place, kind: OutcomeKind, words: str = "", *, auto: bool = False) -> Next:
    """A person has said something at the start of a leg."""
    known = Happened(answer=Outcome(kind, reason=words), feedback=words and f"hash of {words}")
    return next_move(_stored(place), known, rules_of(place.state.flow, auto=auto), 200.0)


def entered(flow: str, stage: str, *, auto: bool = False) -> Next:
    """The worktree is open: the stage's first job."""
    return after(at(flow, stage), JobResult(commit="c0"), auto=auto)


def closed(found: Next, *, auto: bool = False) -> Next:
    """The stage's record is committed."""
    assert asked(found).kind is JobKind.CLOSE
    return after(found.place, JobResult(commit="c9"), auto=auto)


def reopened(found: Next) -> Next:
    """At the last gate the branch says completed: that is taken back before anything else."""
    if found.do is Do.RUN and asked(found).kind is JobKind.REOPEN:
        return after(found.place, JobResult(commit="c10"))
    return found


def asked(found: Next) -> Job:
    assert found.do is Do.RUN
    assert len(found.jobs) == 1
    return found.jobs[0]


def stuck(found: Next) -> str:
    """Why a person has to look."""
    assert found.do is Do.WAIT
    assert found.place.state.position is Position.STUCK
    return found.place.state.reason


def walked(flow: str, *, auto: bool = False) -> list[str]:
    """All stages of a flow that goes well, with each wait for a person."""
    found, seen = entered(flow, FLOWS[flow].names[0], auto=auto), list[str]()
    for _ in range(100):
        state = found.place.state
        if found.do is Do.WAIT:
            seen.append(f"{state.stage}?")
            found = said(found.place, OutcomeKind.APPROVE, auto=auto)
            continue
        job = asked(found)
        if job.kind is JobKind.HANDOVER:
            return seen
        if job.kind is JobKind.CLOSE:
            seen.append(state.stage)
        result = replace(JobResult(commit=f"c{len(seen)}"), dispatch="d", passed=True)
        found = after(found.place, result, handoff=DONE, auto=auto)
    raise AssertionError(f"it does not end: {seen}")


def _stored(place: Place) -> Place:
    return Place.load(place.dump())
