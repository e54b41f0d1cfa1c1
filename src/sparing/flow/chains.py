"""Chains: small tasks one after the other that name the same files.

The implementer of the first knows those files, so the next may go on in its session. Whether it
does is a question of price, asked before each; here stands only where that makes sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sparing.flow.waves import files_of
from sparing.task import Task

MOST_FILES = 4
MOST_CHARS = 2_000
"""Of a task's text: more is no small task."""
MOST_TASKS = 4
"""In one session: its transcript grows with each, and so does what a mistake costs."""


def chains(waves: Sequence[Sequence[Task]]) -> tuple[tuple[str, str], ...]:
    """Tasks that may follow another one in its session: each with the one before it."""
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
