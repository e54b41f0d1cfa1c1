"""Which tasks a task depends on: `Task 1.1, 1.2`, `T6a–T6d`, `Tasks 2.1-2.4`, `Phase 1`.

Numbers are resolved against the tasks that exist; anything else in a dependency field is dropped,
so that no task can wait for something that never comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparing.context.documents.ids import END, LABELS, LETTER, TO, TOKEN, Ident, ident, lead, normal
from sparing.task import Task

_TO = rf"(?:{TO}| (?:bis|à|au|al|a|hasta|até|до) |[~〜～])"
_NAMED = re.compile(
    rf"(?:\b(?P<label>{LABELS})s?[ #]{{1,2}})?(?<![\w.-])(?P<first>{TOKEN}|{LETTER})"
    rf"(?:{_TO}(?P<last>{TOKEN}))?{END}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w.-]{1,60}")
_JOINT = re.compile(r"[,;\n]| and ")
_SCRIPT = re.compile(r"(?<=[぀-ヿ一-鿿가-힣])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[぀-ヿ一-鿿가-힣])")
"""`任务1`: there is no space between the word and its number."""
_TASK = r"(?:tasks?|aufgaben?|tâches?|tareas?|tarefas?|задач[аи]?|タスク|任务) ?"
_ID = rf"(?:{_TASK})?#?{TOKEN}(?:{_TO}{TOKEN})?{END}"
_SURE = rf"(?:{_TASK}#?\d|#\d|[A-Z]{{1,10}}-?\d|\d{{1,4}}\.\d)"
_IDS = rf"{_ID}(?:(?:,? (?:and|und|et|y|e|и) |, ?| ?& ?|、){_ID}){{0,20}}"
_STRONG = (
    r"(?:depend(?:s|ent|ing)? (?:up)?on|blocked[ -]by|waits? for|waiting for|abhängig von"
    r"|hängt ab von"
    r"|dep(?:end(?:s|encies))?s?(?= ?[:：])|dépend de|depende de|dipende da|afhankelijk van"
    r"|зависит от|依存|依赖)"
)
_WEAK = r"(?:after|needs|requires|nach|braucht|après|después de|tras|depois de|dopo|после)"
_BOUND = r"(?:^[ \t]{0,12}(?:[-*+] )?|[(;,] ?|[.—–-] )"
NEEDS = re.compile(
    rf"(?:{_BOUND}{_STRONG} ?[:：]? |\b{_STRONG} ?[:：]? ?(?={_SURE})|\bneeds (?={_SURE})"
    rf"|{_BOUND}{_WEAK}:? (?={_SURE}|{_IDS}[.;,)]*(?:\s|$)))(?P<named>{_IDS})",
    re.IGNORECASE,
)
"""`(depends on T003, T004)`, `Needs task 1.`, `After 2 and 3.`: a dependency in running text."""
NEEDS_NOTE = re.compile(
    rf"[ \t]*(?:\((?:{_STRONG}|{_WEAK}) ?[:：]? ?{_IDS}\)"
    rf"|[,—–-]+ (?:{_STRONG}|{_WEAK}) ?[:：]? ?{_IDS})[. ]*$",
    re.IGNORECASE,
)
"""The same at the end of a title."""


class TaskOrder:
    """The numbers of all tasks in document order, and the groups they belong to."""

    def __init__(self, tasks: Iterable[tuple[str, str, str]]) -> None:
        """Number, group and title of each."""
        self._numbers: list[str] = []
        self._places: dict[str, int] = {}
        self._groups: dict[Ident, list[int]] = {}
        self._titles: dict[str, int] = {}
        for place, (number, group, title) in enumerate(tasks):
            self._titles.setdefault(_words(title), place)
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
        named = [self._titles.get(_words(piece)) for piece in _JOINT.split(text) if len(piece) > 3]
        places.update(place for place in named if place is not None)
        text = _SCRIPT.sub(" ", text)
        for match in _NAMED.finditer(text):
            places.update(self._named(match["label"] or "", match["first"], match["last"]))
        for match in _WORD.finditer(text):
            place = self._places.get(normal(match[0]))
            places.update(() if place is None else (place,))
        return tuple(
            self._numbers[place] for place in sorted(places) if self._numbers[place] != own
        )

    def _named(self, label: str, first: str, last: str | None) -> Iterable[int]:
        name = ident(label, first)
        if name.label not in ("", "task"):
            return self._groups.get(name, ())
        if last and (whole := self._places.get(normal(f"{first}-{last}"))) is not None:
            return [whole]  # `0-3` is a number here, no range
        start = self._places.get(name.token)
        stop = self._places.get(normal(last)) if last else start
        if start is None or stop is None:
            return [place for place in (start, stop) if place is not None]
        return range(start, stop + 1)


def without_cycles(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks in a dependency cycle keep only their dependencies on earlier tasks."""
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
    """Tasks that could never start if all dependencies were taken literally."""
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


def _words(title: str) -> str:
    return " ".join(title.casefold().strip(' .`*"').split())


def _forms(number: str) -> tuple[str, ...]:
    """`T1.1` is also called 1.1, and 1.1 also T1.1."""
    form = normal(number)
    if form[:1] == "t" and form[1:2].isdigit():
        return (form, form[1:])
    return (form, f"t{form}")
