"""Progress of a stage's tasks: done, left out, still open, and which helpers follow.

Part of a `Place`, so small JSON only. The next step is derived from it; nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple


class TaskResult(NamedTuple):
    """The result of one dispatched task."""

    number: str
    commit: str
    reply: str
    """Hash of the report."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    waves: tuple[tuple[str, ...], ...] = ()
    """The numbers of all tasks, in groups that may be worked on in parallel."""
    waits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Tasks that depend on others, and on which."""
    done: tuple[str, ...] = ()
    complete: tuple[str, ...] = ()
    """Finished tasks that were found complete, without a change."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Tasks that a person left out, and why."""
    blocked: tuple[str, ...] = ()
    """Tasks that depend on one that was left out."""
    alone: tuple[str, ...] = ()
    """Tasks that conflicted with others of their wave and are done alone."""
    told: tuple[tuple[str, str], ...] = ()
    """For those: hash of what the agent that redoes them is told."""
    tried: tuple[str, ...] = ()
    """Tasks that were already tried a second time."""
    turns: int = 0
    """How often the current task was dispatched."""
    since: str = ""
    """The commit before the current task or helper."""
    parts: tuple[TaskResult, ...] = ()
    """The results of a wave, or of a task that is being checked."""
    why: str = ""
    """Why the current task is not done, if a person is asked."""
    red: bool = False
    """True if the checks were not green the last time."""
    helper: str = ""
    """The last helper."""
    outlines: str = ""
    """Hash of the tests that the documents ask for."""
    tests: tuple[str, str] = ("", "")
    """The commits before and after deeper tests were written."""
    fixes: int = 0
    """How often the code was changed to meet them."""
    chains: tuple[tuple[str, str], ...] = ()
    """Tasks that may continue the session of another one, and of which."""
    last: str = ""
    """The task done last, if at the first try and with a report; else empty."""
    single: bool = False
    """True if a task in another one's session was not done: the rest get their own sessions."""

    undo: tuple[str, ...] = ()
    """Tasks whose work must be removed from the branch before anything else."""

    @property
    def left_out(self) -> tuple[str, ...]:
        return (*(number for number, _ in self.skipped), *self.blocked)

    @property
    def settled(self) -> tuple[str, ...]:
        """Tasks that are expected to change nothing."""
        return (*self.complete, *self.left_out)

    @property
    def upcoming(self) -> tuple[str, ...]:
        """Open tasks of the first group that is not finished."""
        over = {*self.done, *self.left_out}
        for wave in self.waves:
            if still := tuple(number for number in wave if number not in over):
                return still
        return ()

    @property
    def side_by_side(self) -> tuple[str, ...]:
        """Those that can be worked on in parallel; empty if there would be only one."""
        free = tuple(number for number in self.upcoming if number not in self.alone)
        return free if len(free) > 1 else ()

    def chained_to(self, number: str) -> str:
        """The task whose session this one may continue; empty if it starts its own."""
        before = dict(self.chains).get(number, "")
        first = self.turns <= 1 and number not in self.tried
        return before if before == self.last and first and not self.single else ""

    def users(self, number: str) -> tuple[str, ...]:
        """Unfinished tasks that depend on this one, directly or indirectly."""
        waits, lost = dict(self.waits), {number}
        over = {*self.done, *self.left_out}
        listed = [one for wave in self.waves for one in wave]
        while more := {one for one in listed if lost & {*waits.get(one, ())}} - lost - over:
            lost |= more
        return tuple(one for one in listed if one in lost and one != number)

    def without(self, number: str, why: str) -> TaskProgress:
        """Leave a task out for a person; what depends on it can't be done either."""
        blocked = (*self.blocked, *self.users(number))
        return replace(self, skipped=(*self.skipped, (number, why)), blocked=blocked)

    def having(self, numbers: Iterable[str], complete: Iterable[str] = ()) -> TaskProgress:
        done = tuple(dict.fromkeys((*self.done, *numbers)))
        found = tuple(dict.fromkeys((*self.complete, *complete)))
        return replace(self, done=done, complete=found, parts=())
