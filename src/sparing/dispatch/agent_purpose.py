"""What an agent's commit is for, in the words of its subject."""

from __future__ import annotations

from sparing.artifact import ArtifactName
from sparing.briefing.gather import read_tasks
from sparing.commit_purpose import BY_CODE_TURN, BY_DOCUMENT_TURN, Purpose, as_words
from sparing.flow.stage import StageWork
from sparing.runtime.source import Source
from sparing.turn import Turn


def agent_purpose(source: Source) -> Purpose:
    job, stage = source.job, source.stage
    if job.task:
        return Purpose("feat", _task_title(source, job.task), job.role, f"task {job.task}")
    round_ = f"round {job.look or job.iteration}" if job.turn is Turn.REVISE else ""
    # In a tier whose judge was not satisfied the same turn is asked for again.
    turn = Turn.REVISE if job.open and job.turn in (Turn.WRITE, Turn.BUILD) else job.turn
    if stage.work in (StageWork.IMPLEMENT, StageWork.BUILD) or job.turn is Turn.REPAIR_CHECKS:
        kind, words = BY_CODE_TURN.get(turn, ("feat", as_words(source.row.feature.title)))
        return Purpose(kind, words, job.role, round_)
    name = stage.writes.filename if stage.writes else job.stage
    words = BY_DOCUMENT_TURN.get(turn, "write {name}").format(name=name)
    return Purpose("docs", words, job.role, round_ or job.part)


def _task_title(source: Source, number: str) -> str:
    if source.artifact(ArtifactName.TASKS) is None:
        return f"implement task {number}"
    title = next((one.title for one in read_tasks(source) if one.number == number), "")
    return as_words(title) or f"implement task {number}"
