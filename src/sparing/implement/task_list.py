"""Reading tasks.md before anything is built: the tasks, and which of them can run in parallel."""

from __future__ import annotations

from sparing.artifact import ArtifactName
from sparing.briefing.gather import read_tasks
from sparing.context.documents.tasks import in_circles
from sparing.flow.chains import chains
from sparing.flow.waves import waves
from sparing.implement.evidence import refuse_outside
from sparing.implement.waves import remove_lanes, warn_all
from sparing.job import JobResult, Ticket
from sparing.runtime.levers import chains_tasks
from sparing.runtime.source import Source

CIRCLE = "depend on each other; they are done in document order"


def list_all(source: Source, ticket: Ticket) -> JobResult:
    """List the tasks and refuse what can't be built as written, before anything is spent."""
    artifact = source.artifact(ArtifactName.TASKS)
    tasks = read_tasks(source)
    refuse_outside(source, tasks)
    circle = in_circles(artifact.text) if artifact else ()
    told = [f"tasks {', '.join(circle)} {CIRCLE}"] if circle else []
    warn_all(source, ticket, [*told, *remove_lanes(source, source.job.head)])
    width = source.around.settings(source.row).flow.waves
    groups = tuple(waves(tasks, width))
    return JobResult(
        tasks=tuple((task.number, task.title) for task in tasks),
        waves=tuple(tuple(task.number for task in wave) for wave in groups),
        waits=tuple((task.number, task.depends_on) for task in tasks if task.depends_on),
        chains=chains(groups) if chains_tasks(source) else (),
    )
