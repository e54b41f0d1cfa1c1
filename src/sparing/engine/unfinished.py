"""What a leg leaves that can't be replayed: the jobs of its last decision, and what came of them.

The leg that takes its place counts what is finished and asks for the rest under the tickets they
had. A commit that was made is found by its ticket, a turn that was paid for by its dispatch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

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
    """By ticket, once they are known."""

    def dump(self) -> dict[str, Any]:
        found = asdict(replace(self, results={}))
        return {**found, "results": {name: one.dump() for name, one in self.results.items()}}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> LastDecision:
        results = {name: JobResult.load(one) for name, one in value["results"].items()}
        return cls(tuple(AskedJob(*one) for one in value["jobs"]), value["at"], results)


def asked_for(
    leg: Mapping[str, Any], jobs: Sequence[Job], said: Mapping[str, Any], at: float
) -> LastDecision:
    """What a move asks for; a job that is asked for again keeps its ticket."""
    known = _tickets(said) if asks_again(said) else {}
    names = [f"{leg['id']}.{leg['move']}.{n}-{job.name}" for n, job in enumerate(jobs)]
    pairs = zip(names, jobs, strict=True)
    return LastDecision(
        tuple(AskedJob(job.name, known.get(job.name, name), name) for name, job in pairs), at
    )


def asks_again(said: Mapping[str, Any]) -> bool:
    """Whether a leg begins with jobs that an earlier one has asked for."""
    return bool(said.get("asked")) and not said["results"]


def take_up(place: Place, said: dict[str, Any]) -> tuple[Place, dict[str, Any]]:
    """Count what was finished: with all of it the next move can be decided at once."""
    if not said.get("asked"):
        return place, said
    decided = LastDecision.load(said["asked"])
    tickets, jobs = _tickets(said), jobs_of(place)
    found = {
        job.name: decided.results[tickets[job.name]]
        for job in jobs
        if tickets.get(job.name) in decided.results
    }
    if len(found) == len(jobs):
        return place, {**said, "results": [found[job.name].dump() for job in jobs]}
    good = [
        replace(found[job.name], task=job.task) if job.lane else found[job.name]
        for job in jobs
        if job.name in found and not found[job.name].failure
    ]
    return replace(place, done=(*place.done, *good)), said


def ask_again(place: Place) -> Next:
    """The last decision once more: no move is made."""
    return Next(Do.RUN, place, jobs_of(place))


def _tickets(said: Mapping[str, Any]) -> dict[str, str]:
    return {job.name: job.ticket for job in LastDecision.load(said["asked"]).jobs}
