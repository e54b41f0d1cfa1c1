"""How far the tasks of a stage are: done, left out, still open, and who helps afterwards.

Part of a place, so small JSON only. What comes next is read off it; nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple


class TaskResult(NamedTuple):
    """What came of one task that was dispatched."""

    number: str
    commit: str
    reply: str
    """Hash of the report."""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    waves: tuple[tuple[str, ...], ...] = ()
    """The numbers of all tasks, in groups that may be worked on side by side."""
    waits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Tasks that wait for others, and for which."""
    done: tuple[str, ...] = ()
    complete: tuple[str, ...] = ()
    """Of those done: found complete, without a change."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Tasks that a person left out, and why."""
    blocked: tuple[str, ...] = ()
    """Tasks that wait for one which was left out."""
    alone: tuple[str, ...] = ()
    """Tasks that did not get on with the others of their wave."""
    told: tuple[tuple[str, str], ...] = ()
    """Of those: hash of what is said to whoever does them again."""
    tried: tuple[str, ...] = ()
    """Tasks that have had their second try."""
    turns: int = 0
    """How often the task at hand was dispatched."""
    since: str = ""
    """The commit before the task at hand, or before whoever helps."""
    parts: tuple[TaskResult, ...] = ()
    """What a wave gave, or a task that is looked at."""
    why: str = ""
    """Why the task at hand is not done, where a person is asked."""
    red: bool = False
    """The last look at the checks was not green."""
    helper: str = ""
    """Whoever helped last."""
    outlines: str = ""
    """Hash of the tests that the documents ask for."""
    tests: tuple[str, str] = ("", "")
    """The commits before and after deeper tests were written."""
    fixes: int = 0
    """How often the code was changed to meet them."""
    chains: tuple[tuple[str, str], ...] = ()
    """Tasks that may go on in the session of another one, and of which."""
    last: str = ""
    """The task that was done last, at the first try and with a report."""
    single: bool = False
    """A task in the session of another one was not done: the rest have sessions of their own."""

    undo: tuple[str, ...] = ()
    """Tasks whose work is to be taken off the branch before anything else."""

    @property
    def left_out(self) -> tuple[str, ...]:
        return (*(number for number, _ in self.skipped), *self.blocked)

    @property
    def settled(self) -> tuple[str, ...]:
        """Tasks of which no change is expected."""
        return (*self.complete, *self.left_out)

    @property
    def upcoming(self) -> tuple[str, ...]:
        """What is open of the first group that is not over."""
        over = {*self.done, *self.left_out}
        for wave in self.waves:
            if still := tuple(number for number in wave if number not in over):
                return still
        return ()

    @property
    def side_by_side(self) -> tuple[str, ...]:
        """Those of them that can be worked on at once; none if it would be only one."""
        free = tuple(number for number in self.upcoming if number not in self.alone)
        return free if len(free) > 1 else ()

    def chained_to(self, number: str) -> str:
        """The task whose session this one may go on in; empty if it begins by itself."""
        before = dict(self.chains).get(number, "")
        first = self.turns <= 1 and number not in self.tried
        return before if before == self.last and first and not self.single else ""

    def users(self, number: str) -> tuple[str, ...]:
        """The tasks that wait for this one, or for one that does, and are not over."""
        waits, lost = dict(self.waits), {number}
        over = {*self.done, *self.left_out}
        listed = [one for wave in self.waves for one in wave]
        while more := {one for one in listed if lost & {*waits.get(one, ())}} - lost - over:
            lost |= more
        return tuple(one for one in listed if one in lost and one != number)

    def without(self, number: str, why: str) -> TaskProgress:
        """A person leaves a task out; what waits for it can't be done either."""
        blocked = (*self.blocked, *self.users(number))
        return replace(self, skipped=(*self.skipped, (number, why)), blocked=blocked)

    def having(self, numbers: Iterable[str], complete: Iterable[str] = ()) -> TaskProgress:
        done = tuple(dict.fromkeys((*self.done, *numbers)))
        found = tuple(dict.fromkeys((*self.complete, *complete)))
        return replace(self, done=done, complete=found, parts=())
