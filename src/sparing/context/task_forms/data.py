"""Tasks as objects of a list in YAML or JSON: in a fence, or in the front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from sparing.context.documents.fields import Field, field_name
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above
from sparing.context.task_forms.data_text import Data, Unreadable, read_data

_FENCE = re.compile(r"[ \t]{0,3}(?P<run>`{3,}|~{3,})[ \t]*(?P<info>[\w+-]{0,20})")
_LANGUAGES = frozenset({"yaml", "yml", "json", "jsonc", "json5"})
_LISTS = re.compile(
    r"tasks?|task ?list|todos?|to do|items|work ?items|steps|stories|issues|backlog|plan"
    r"|aufgaben|tâches|taches|tareas|tarefas|задачи|タスク|任务",
    re.IGNORECASE,
)
_SAYS_TASKS = re.compile(r"^[\s\"'{-]*(?:tasks|todos|stories|steps)[\"']?\s*:", re.MULTILINE)
_IDS = ("id", "number", "key", "no", "nr", "task", "task id", "#")
_TITLES = ("title", "name", "summary", "subject", "task", "description", "content", "what")
_INNER = frozenset({"subtasks", "steps", "children", "checklist"})
_LONGEST_ID = 60


class Fenced(NamedTuple):
    first: int
    """1-based line of the document at which the text begins."""
    text: str


class _Object(NamedTuple):
    id: str
    data: Data
    group: str


def listed_data(document: Outline) -> tuple[TaskBlock, ...]:
    """The objects of all lists of tasks."""
    found: list[TaskBlock] = []
    for one in _texts(document):
        data = read_data(one.text)
        if isinstance(data, Data):
            found.extend(_blocks(document, one, list(_objects(data))))
    return tuple(found)


def unreadable_data(document: Outline) -> str:
    """Where and why a list of tasks can't be read; empty if there is no such list."""
    for one in _texts(document):
        if _SAYS_TASKS.search(one.text):
            data = read_data(one.text)
            if isinstance(data, Unreadable):
                return f"the list of tasks at line {one.first} can't be read: {data.why}"
    return ""


def _texts(document: Outline) -> Iterator[Fenced]:
    """Front matter, and the contents of YAML and JSON fences."""
    end = _front_matter(document)
    if end:
        yield Fenced(2, document.slice(2, end - 1))
    yield from fences(document, _LANGUAGES, end)


def _front_matter(document: Outline) -> int:
    """Its last line; 0 if there is none."""
    hidden, lines = document.hidden, document.lines
    if 1 not in hidden or lines[0].strip("\ufeff \r\n") != "---":
        return 0
    return next(n for n in sorted(hidden) if n > 1 and lines[n - 1].rstrip() in {"---", "..."})


def fences(document: Outline, languages: Set[str], begun: int = 0) -> Iterator[Fenced]:
    """The contents of the fences in these languages, after line `begun`."""
    lines, hidden = document.lines, sorted(document.hidden)
    run, opened, wanted = "", 0, False
    for number in hidden:
        match = _FENCE.match(lines[number - 1]) if number > begun else None
        if match is None:
            continue
        if not run:
            run, opened, wanted = match["run"], number, match["info"].casefold() in languages
        elif match["run"].startswith(run) and not match["info"]:
            if wanted:
                yield Fenced(opened + 1, document.slice(opened + 1, number - 1))
            run = ""


def _blocks(document: Outline, text: Fenced, objects: Sequence[_Object]) -> Iterator[TaskBlock]:
    above = headings_above(document, [text.first + one.data.first for one in objects])
    for count, (one, heading) in enumerate(zip(objects, above, strict=True), start=1):
        values = _values(one.data)
        number = one.id or _first(values, _IDS) or str(count)
        others = {name: value for name, value in values.items() if value != number}
        found = lead(f"{number}:")
        yield TaskBlock(
            ident=found.ident if found else None,
            number=" ".join(number.split())[:_LONGEST_ID],
            title=_first(others, _TITLES).strip() or number,
            first=text.first + one.data.first,
            last=text.first + one.data.last,
            level=7,
            group=one.group or group_of(heading),
            cells=tuple(Field(name, value) for name, value in values.items()),
        )


def _objects(data: Data, says: bool = True, group: str = "") -> Iterator[_Object]:
    """Objects with a title, in a list that is the whole text or is under a key such as `tasks`;
    one that contains such a list itself is a group."""
    for one in data.items:
        title = _first(_values(one), _TITLES)
        below = list(_below(one, title))
        if below:
            yield from below
        elif says and title:
            yield _Object("", one, group)
    if data.pairs:
        yield from _below(data, group)


def _below(data: Data, group: str) -> Iterator[_Object]:
    values = _values(data)
    is_task = bool(_first(values, _IDS) and _first(values, _TITLES))
    for key, value in data.pairs:
        name = field_name(key)
        if is_task and name in _INNER:
            continue
        says = _LISTS.fullmatch(name) is not None
        if says and value.pairs and all(_first(_values(one), _TITLES) for _, one in value.pairs):
            yield from (_Object(id, one, group) for id, one in value.pairs)
        elif value.items or value.pairs:
            yield from _objects(value, says, group)


def _values(data: Data) -> dict[str, str]:
    """What each key says: a scalar, or the scalars of a list with commas between them."""
    found: dict[str, str] = {}
    for key, value in data.pairs:
        text = value.text or ", ".join(one.text for one in value.items if one.text)
        if text:
            found.setdefault(field_name(key), text)
    return found


def _first(values: dict[str, str], names: Sequence[str]) -> str:
    return next((values[name] for name in names if values.get(name)), "")
