"""Rewinding stages: the branch returns to where they began, and what was made is kept.

A step of the engine that may be repeated: the ref is made once, the branch moves only from the
commit that the ref holds, and files are made equal to the commit as often as one likes.
"""

from __future__ import annotations

from sparing.errors import RepositoryError
from sparing.event import RewoundEvent
from sparing.job import Job
from sparing.runtime.events import tell
from sparing.runtime.surroundings import Surroundings
from sparing.ticket import Ticket
from sparing.workspace.git.objects import keep, move_ref
from sparing.workspace.git.worktree import Worktree, restore
from sparing.workspace.project.leaks import set_aside


def take_back(around: Surroundings, worktree: Worktree, job: Job, ticket: Ticket) -> None:
    """Before anything else of a new generation; nothing to do for every other leg."""
    if not job.rewind:
        return
    tip = worktree.tip()
    if tip == job.head:  # it was done before, or there was nothing to take back
        _restore(around, worktree, job.head, _files(job))
        return
    _restore(around, worktree, tip, _files(job))
    kept = keep(around.repository.git(), job.rewind, tip)
    _move(around, worktree, job.head, tip)
    with around.database.write() as tx:
        text = f"the branch is back at {job.head[:10]}; what came after is kept as {kept}"
        tell(tx, ticket, job, RewoundEvent(kept, tip, job.head), text=text)
    _restore(around, worktree, job.head, "")


def _files(job: Job) -> str:
    """Under which name work is kept that no commit has."""
    return f"{job.rewind}-files"


def _restore(around: Surroundings, worktree: Worktree, commit: str, salvage: str) -> None:
    known = around.folder.redactor.known

    def withhold(paths: tuple[str, ...]) -> bool:
        return bool(set_aside(worktree, commit, paths, known))

    restore(worktree, commit, salvage, withhold if salvage else None)


def _move(around: Surroundings, worktree: Worktree, head: str, tip: str) -> None:
    if move_ref(around.repository.git(), worktree.ref, head, tip) != head:
        raise RepositoryError(
            f"the branch {worktree.branch} moved while it was taken back",
            "see where it stands: git log; then: sparing resume",
        )
