"""Which tasks another one waits for: `Task 1.1, 1.2`, `T6a–T6d`, `Tasks 2.1-2.4`, `Phase 1`.

Numbers are resolved against the tasks that exist; whatever else a dependency field talks
about is dropped, so that no task can wait for something that never comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparing.context.documents.ids import END, LABELS, LETTER, TO, TOKEN, Ident, ident, lead, normal
from sparing.task import Task

_NAMED = re.compile(
    rf"(?:\b(?P<label>{LABELS})s?[ #]{{1,2}})?(?<![\w.-])(?P<first>{TOKEN}|{LETTER})"
    rf"(?:{TO}(?P<last>{TOKEN}))?{END}",
    re.IGNORECASE,
)


class TaskOrder:
    """The numbers of all tasks in document order, and the groups they stand in."""

    def __init__(self, tasks: Iterable[tuple[str, str]]) -> None:
        self._numbers: list[str] = []
        self._places: dict[str, int] = {}
        self._groups: dict[Ident, list[int]] = {}
        for place, (number, group) in enumerate(tasks):
            self._numbers.append(number)
            for form in _forms(number):
                self._places.setdefault(form, place)
            above = lead(group)
            if above is not None:
                self._groups.setdefault(above.ident, []).append(place)
        own = any(number[:1].casefold() == "t" for number in self._numbers)
        self.foreign_letters = frozenset[str]() if own else frozenset({"t"})
        """Letters that name no task here although they could."""

    def resolve(self, text: str, own: str) -> tuple[str, ...]:
        """The tasks that a text names, without the task itself."""
        places: set[int] = set()
        for match in _NAMED.finditer(text):
            places.update(self._named(match["label"] or "", match["first"], match["last"]))
        return tuple(
            self._numbers[place] for place in sorted(places) if self._numbers[place] != own
        )

    def _named(self, label: str, first: str, last: str | None) -> Iterable[int]:
        name = ident(label, first)
        if name.label not in ("", "task"):
            return self._groups.get(name, ())
        start = self._places.get(name.token)
        stop = self._places.get(normal(last)) if last else start
        if start is None or stop is None:
            return [place for place in (start, stop) if place is not None]
        return range(start, stop + 1)


def without_cycles(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks that wait for each other wait only for the earlier ones."""
    stuck = _stuck(tasks)
    places = {task.number: place for place, task in enumerate(tasks)}
    return tuple(
        replace(
            task,
            depends_on=tuple(
                number
                for number in task.depends_on
                if number not in stuck or places[number] < places[task.number]
            ),
        )
        if task.number in stuck
        else task
        for task in tasks
    )


def _stuck(tasks: Sequence[Task]) -> frozenset[str]:
    """Those that could never start if all dependencies were taken at their word."""
    missing = {task.number: len(task.depends_on) for task in tasks}
    users: dict[str, list[str]] = {}
    for task in tasks:
        for number in task.depends_on:
            users.setdefault(number, []).append(task.number)
    ready = [number for number, count in missing.items() if count == 0]
    while ready:
        for user in users.get(ready.pop(), ()):
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    return frozenset(number for number, count in missing.items() if count > 0)


def _forms(number: str) -> tuple[str, ...]:
    """`T1.1` is also called 1.1, and 1.1 also T1.1."""
    form = normal(number)
    if form[:1] == "t" and form[1:2].isdigit():
        return (form, form[1:])
    return (form, f"t{form}")
