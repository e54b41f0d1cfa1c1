"""What a leg that can't be replayed leaves: the jobs of its last decision, and their results.

The leg that replaces it counts what is finished and starts the rest under the same tickets. A
commit that was made is found by its ticket, a turn that was paid for by its dispatch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sparing.flow.state import Do
from sparing.job import Job, JobResult
from sparing.stages.jobs import jobs_of
from sparing.stages.moves import Next
from sparing.stages.place import Place


class AskedJob(NamedTuple):
    name: str
    ticket: str
    workflow: str


@dataclass(frozen=True, slots=True)
class LastDecision:
    """The jobs of a decision, in the order in which they were asked for."""

    jobs: tuple[AskedJob, ...]
    at: float
    results: Mapping[str, JobResult] = field(default_factory=dict[str, JobResult])
    """Results by ticket, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came since the last move: of its jobs, or of a person."""

    results: tuple[JobResult, ...] = ()
    answer: str = ""
    reason: str = ""
    feedback: str = ""
    """Hash of what an author gets."""
    asked: LastDecision | None = None
    """For a leg that replaces another one, before its first move: what the other one had
    started."""


def asked_for(move: str, jobs: Sequence[Job], said: Said, at: float) -> LastDecision:
    """What a move asks for; a job that is asked for again keeps its ticket."""
    known = _tickets(said) if asks_again(said) else {}
    names = [f"{move}.{n}-{job.name}" for n, job in enumerate(jobs)]
    pairs = zip(names, jobs, strict=True)
    return LastDecision(
        tuple(AskedJob(job.name, known.get(job.name, name), name) for name, job in pairs), at
    )


def asks_again(said: Said) -> bool:
    """Whether a leg begins with jobs that an earlier one has asked for."""
    return said.asked is not None and not said.results


def take_up(place: Place, said: Said) -> tuple[Place, Said]:
    """Count what was finished: with all of it the next move can be decided at once."""
    if said.asked is None:
        return place, said
    decided, tickets, jobs = said.asked, _tickets(said), jobs_of(place)
    found = {
        job.name: decided.results[tickets[job.name]]
        for job in jobs
        if tickets.get(job.name) in decided.results
    }
    if len(found) == len(jobs):
        return place, replace(said, results=tuple(found[job.name] for job in jobs))
    good = [
        replace(found[job.name], task=job.task) if job.lane else found[job.name]
        for job in jobs
        if job.name in found and not found[job.name].failure
    ]
    return replace(place, done=(*place.done, *good)), said


def ask_again(place: Place) -> Next:
    """Repeat the last decision without making a move."""
    return Next(Do.RUN, place, jobs_of(place))


def _tickets(said: Said) -> dict[str, str]:
    return {job.name: job.ticket for job in said.asked.jobs} if said.asked else {}
