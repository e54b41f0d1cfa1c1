"""Tasks in waves: those that can be built in parallel without knowing of each other.

Document order decides who goes first. A task joins a wave if its dependencies are done and it names
no file that an earlier task of the wave, or an earlier task still waiting, names too. A task that
names no file could touch any, so it runs alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparing.task import Task, ready


def waves(tasks: Sequence[Task], width: int) -> Iterator[tuple[Task, ...]]:
    """All tasks, each once; `width` is how many may run at a time, 1 being document order."""
    done: frozenset[str] = frozenset()
    left = list(tasks)
    while left:
        wave = _wave(left, ready(left, done), width)
        yield wave
        done |= {task.number for task in wave}
        left = [task for task in left if task not in wave]


def _wave(left: Sequence[Task], possible: Sequence[Task], width: int) -> tuple[Task, ...]:
    first = left[0]
    if width < 2 or first not in possible or not first.files:
        return (first,)
    wave, taken = [first], files_of(first)
    for task in left[1:]:
        mine = files_of(task)
        free = mine and taken.isdisjoint(mine)
        if len(wave) < width and task in possible and free:
            wave.append(task)
        elif not mine:
            # Nobody goes past a task that could touch any file.
            break
        taken |= mine
    return tuple(wave)


def files_of(task: Task) -> frozenset[str]:
    """The task's files in lower case, since some file systems ignore case."""
    return frozenset(path.removeprefix("./").casefold() for path in task.files)
