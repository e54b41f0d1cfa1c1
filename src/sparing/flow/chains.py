"""Chains: consecutive small tasks that name the same files.

The implementer of the first knows those files, so the next may continue in its session. Whether it
does is a question of price, decided before each; this only says where it makes sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sparing.flow.waves import files_of
from sparing.task import Task

MOST_FILES = 4
MOST_CHARS = 2_000
"""Characters of a task's text; a longer one is no small task."""
MOST_TASKS = 4
"""Tasks in one session: its transcript grows with each, and so does the cost of a mistake."""


def chains(waves: Sequence[Sequence[Task]]) -> tuple[tuple[str, str], ...]:
    """Pairs of a task and the one before it, in whose session it may continue."""
    found: list[tuple[str, str]] = []
    length = 1
    for before, after in pairwise(waves):
        follows = len(before) == len(after) == 1 and _neighbours(before[0], after[0])
        length = length + 1 if follows and length < MOST_TASKS else 1
        if length > 1:
            found.append((after[0].number, before[0].number))
    return tuple(found)


def _neighbours(before: Task, after: Task) -> bool:
    same = files_of(before) & files_of(after)
    return bool(same) and all(_is_small(task) for task in (before, after))


def _is_small(task: Task) -> bool:
    return len(task.files) <= MOST_FILES and len(task.body) <= MOST_CHARS
