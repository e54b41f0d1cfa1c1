"""The end of a stage: its record is committed, as the database has it."""

from __future__ import annotations

from sparing.artifact import ArtifactName
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import stamp_of
from sparing.commits.meta_json import write_meta
from sparing.commits.review_history import told_of, write_reviews
from sparing.context.documents.claims import unmarked_claims
from sparing.event import WarningEvent
from sparing.finish.unfinished_tasks import remove_logs
from sparing.job import JobResult, Ticket
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.stages.place import Place, is_last
from sparing.workspace.git.commit import commit_paths


def close_stage(source: Source, ticket: Ticket) -> JobResult:
    """Commit the stage's record: `.meta.json` and the reviews."""
    around, row, job = source.around, source.row, source.job
    assert job.place is not None
    place = Place.load(job.place)
    with around.database.read() as connection:
        told = told_of(connection, ticket.feature)
    worktree = around.worktree(row, job.head)
    folder = around.feature_folder(row)
    paths = [write_meta(worktree, folder, row, place, around.deferred(row))]
    gone = remove_logs(around, row, place, worktree.path) if is_last(place) else []
    reviews = None if gone else write_reviews(worktree.path, folder, told)
    record_unmarked_claims(source, ticket)
    whole = "project" if row.feature.is_project else "feature"
    words = f"complete the {whole if is_last(place) else f'{job.stage} stage'}"
    stamp = stamp_of(source, Purpose("chore", words), ticket.step, ticket.at)
    every = [*paths, *gone, *([reviews] if reviews else [])]
    change = commit_paths(worktree, job.head, every, stamp)
    return JobResult(commit=change.commit)


def record_unmarked_claims(source: Source, teller: Teller) -> None:
    if source.stage.writes is not ArtifactName.PRD:
        return
    prd = source.artifact(ArtifactName.PRD)
    found = unmarked_claims(prd.text) if prd else ()
    if not found:
        return
    many = "1 claim has" if len(found) == 1 else f"{len(found)} claims have"
    text = f"{many} no evidence or assumption mark"
    with source.around.database.write() as tx:
        told = WarningEvent(claims=tuple(found))
        tell(tx, teller, source.job, told, text=text, name="warning.unmarked")
