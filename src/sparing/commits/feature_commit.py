"""A commit of a feature: what was made, and `.meta.json` as the database has it at that moment."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.artifact import META
from sparing.change import Change
from sparing.commit_purpose import Purpose
from sparing.commits.message import commit_stamp
from sparing.commits.meta_json import write_meta
from sparing.errors import SparingError
from sparing.job import Ticket
from sparing.runtime.source import Source
from sparing.stages.place import Place
from sparing.workspace.git.commit import KeptFiles, changed_paths, commit_paths, read_file
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import Confined


def changed_by_author(
    source: Source, worktree: Worktree, kept: KeptFiles | None = None
) -> tuple[str, ...]:
    """What an agent changed; the record is the program's, whatever an agent wrote into it."""
    own = f"{source.folder}/{META}"
    return tuple(one for one in changed_paths(worktree, source.job.head, kept) if one != own)


def stamp_of(source: Source, purpose: Purpose, step: str, at: float) -> CommitStamp:
    around, row = source.around, source.row
    known = (around.repository, around.loaded(row, source.sent_to).settings, row.feature)
    return commit_stamp(*known, purpose, step, at)


def commit_feature(
    source: Source,
    ticket: Ticket,
    worktree: Worktree,
    paths: Sequence[str],
    purpose: Purpose,
    head: str = "",
    kept: KeptFiles | None = None,
) -> Change:
    """Commit these paths with the record; does nothing if only the record would change.

    A task that runs beside others has its own branch: its record is written on the common one.
    """
    around, row, parent = source.around, source.row, head or source.job.head
    if not paths:
        return Change(parent, parent)
    stamp = stamp_of(source, purpose, ticket.step, ticket.at)
    if source.job.lane:
        return commit_paths(worktree, parent, paths, stamp, kept)
    place = Place.load({**row.place, "review": None})
    record = write_meta(worktree, source.folder, row, place, around.deferred(row))
    written = kept and kept._replace(but=(record,))
    try:
        return commit_paths(worktree, parent, [*paths, record], stamp, written)
    except SparingError:
        _take_back(worktree, parent, record)
        raise


def _take_back(worktree: Worktree, commit: str, path: str) -> None:
    """Restore a file from the commit, so that nothing is left that could not be committed."""
    old, files = read_file(worktree.repository, commit, path), Confined(worktree.path)
    if old is not None:
        files.write_bytes(path, old)
    else:
        files.remove(path)
