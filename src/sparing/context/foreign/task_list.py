"""Convert a foreign checklist to our tasks.md: same order, same wording, explicit fields.

Lines that are not tasks stay where they are. A task keeps its own lines below a numbered heading;
its files, dependencies and requirements are stated as fields, so that none of them is hidden in
prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sparing.context.documents.markdown import Outline, outline

_ITEM = re.compile(
    r"(?P<indent>[ \t]{0,12})[-*+] \[(?P<box>[ xX~-])\](?P<optional>\*?) +(?P<text>\S.*)"
)
_NUMBER = re.compile(
    r"(?:\*\*)?(?:Task +)?(?P<number>T-?\d{1,4}[a-z]?|\d{1,3}(?:\.\d{1,3}){0,3})(?:\*\*)?[.:)]?"
    r"(?:\*\*)? +(?P<title>\S.*)"
)
_CODE = re.compile(r"`([^`\n]{1,200})`")
_BARE_PATH = re.compile(
    r"(?<![\w:/.@-])[\w.@-]+(?:/[\w.@-]+)*\.\w{1,6}(?![\w/])|(?<![\w:/.@-])(?:[\w.@-]+/)+(?!\w)"
)
_FILE_NAME = re.compile(r"[\w.@*{}-]+(?:/[\w.@*{}-]+)*/?")
_NO_PATH = re.compile(r"\d+(?:\.\d+)+|(?:e\.g|i\.e|etc)\.?|[vV]?\d[\w.]*", re.IGNORECASE)
_DEPENDS = re.compile(
    r"\b(?:depends? on|after|blocked by|requires)[: ]+"
    r"(?P<ids>(?:task )?(?:T-?\d{1,4}|\d{1,3}\.\d{1,3})"
    r"(?:(?:,| and|, and| &) *(?:T-?\d{1,4}|\d{1,3}\.\d{1,3}))*)",
    re.IGNORECASE,
)
_ID = re.compile(r"T-?\d{1,4}|\d{1,3}\.\d{1,3}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTask:
    number: str
    title: str
    first: int
    last: int
    """1-based lines in the foreign list, both included."""
    indent: int
    ticked: bool
    optional: bool
    text: str
    """Its own lines, verbatim."""
    depends_on: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        return paths_in(self.text)


Reader = Callable[[ListedTask], ListedTask]
"""Adds what a format says about a task besides its number: marks, references."""


def rewritten(text: str, title: str, read: Reader, chain: bool = False) -> str:
    """All of the list, with a heading and fields before each task.

    `chain`: tasks wait for those before them unless they are marked as parallel.
    """
    document = outline(text)
    tasks = _with_order([read(one) for one in listed(document)], chain=chain)
    starts = {one.first: one for one in tasks}
    groups = _parents(tasks) & {one.number for one in tasks}
    lines: list[str] = [f"# Tasks: {title}\n\n"]
    headed = any(one.level == 1 for one in document.headings)
    for number, line in enumerate(document.lines, start=1):
        task = starts.get(number)
        if task is not None:
            lines.append(_heading(task, groups))
        lines.append(line if not headed else _below_title(document, number, line))
    return "".join(lines)


def listed(document: Outline) -> list[ListedTask]:
    """Tasks from check boxes in document order; unnumbered ones are numbered by their position."""
    rows: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate(document.lines, start=1):
        match = _ITEM.match(line.rstrip("\r\n")) if number not in document.hidden else None
        if match is not None:
            rows.append((number, match))
    numbered = any(_NUMBER.match(match["text"]) for _, match in rows)
    borders = sorted([*(one.line for one in document.headings), *(number for number, _ in rows)])
    found: list[ListedTask] = []
    for number, match in rows:
        lead = _NUMBER.match(match["text"])
        if lead is None and (numbered or match["indent"]):
            continue
        last = next((one for one in borders if one > number), len(document.lines) + 1) - 1
        found.append(
            ListedTask(
                number=(lead["number"].rstrip(".") if lead else str(len(found) + 1)),
                title=(lead["title"] if lead else match["text"]).strip(" *"),
                first=number,
                last=last,
                indent=len(match["indent"].expandtabs(4)),
                ticked=match["box"] in "xX",
                optional=bool(match["optional"]),
                text=document.slice(number, last),
            )
        )
    return _with_details(document, found)


def _with_details(document: Outline, tasks: list[ListedTask]) -> list[ListedTask]:
    """Extend each task to the next task or heading: unnumbered boxes are its steps."""
    found: list[ListedTask] = []
    heads = [one.line for one in document.headings]
    for at, task in enumerate(tasks):
        following = tasks[at + 1].first if at + 1 < len(tasks) else len(document.lines) + 1
        last = min([following, *(one for one in heads if one > task.first)]) - 1
        found.append(replace(task, last=last, text=document.slice(task.first, last)))
    return found


def _with_order(tasks: Sequence[ListedTask], *, chain: bool) -> list[ListedTask]:
    """Add stated dependencies and, with `chain`, those implied by order and parallel marks."""
    known = {one.number.casefold(): one.number for one in tasks}
    found: list[ListedTask] = []
    gate: tuple[str, ...] = ()
    parallel: tuple[str, ...] = ()
    for task in tasks:
        stated = [known[one] for one in stated_dependencies(task.text) if one in known]
        implied: tuple[str, ...] = ()
        if chain and is_parallel(task.title):
            implied, parallel = gate, (*parallel, task.number)
        elif chain:
            implied, gate, parallel = parallel or gate, (task.number,), ()
        own = dict.fromkeys(one for one in (*stated, *implied) if one != task.number)
        found.append(replace(task, depends_on=(*task.depends_on, *own)))
    return found


def is_parallel(title: str) -> bool:
    return re.match(r"(?:\[[A-Za-z0-9-]{1,6}\] *)*\[P\]", title) is not None


def stated_dependencies(text: str) -> list[str]:
    return [
        one.casefold() for match in _DEPENDS.finditer(text) for one in _ID.findall(match["ids"])
    ]


def paths_in(text: str) -> tuple[str, ...]:
    """Paths that the words of a task name: in code, or with a slash or an extension."""
    found: dict[str, None] = {}
    coded = [one.strip() for one in _CODE.findall(text)]
    bare = _BARE_PATH.findall(_CODE.sub(" ", text))
    for piece in (*coded, *bare):
        path = piece.strip("().,;:")
        likely = "/" in path or re.search(r"\w\.\w{1,6}$", path)
        if likely and _FILE_NAME.fullmatch(path) and not _NO_PATH.fullmatch(path):
            found[path] = None
    return tuple(found)


def _parents(tasks: Iterable[ListedTask]) -> frozenset[str]:
    """`2` is a group where there is a `2.1` below it."""
    return frozenset(one.number.rpartition(".")[0] for one in tasks if "." in one.number)


def _heading(task: ListedTask, groups: frozenset[str]) -> str:
    """Heading and fields of a task; one outside of all groups gets their heading level."""
    if task.number in groups:
        return f"\n## {task.number}. {_plain(task.title)}\n\n"
    fields = (
        ("Files", ", ".join(f"`{one}`" for one in task.files)),
        ("Depends on", ", ".join(task.depends_on)),
        ("Requirements", ", ".join(task.references)),
        ("Optional", "yes" if task.optional else ""),
        ("Ticked when imported", "yes; confirm it before you do it again" if task.ticked else ""),
    )
    said = "".join(f"- **{name}:** {value}\n" for name, value in fields if value)
    inside = not groups or task.number.rpartition(".")[0] in groups
    rank = "###" if inside else "##"
    return f"\n{rank} Task {task.number}: {_plain(task.title)}\n\n{said}\n"


def _plain(title: str) -> str:
    """Without marks such as `[P]` and `[US1]`, which stay in the line below."""
    bare = title.replace("**", "")
    return re.sub(r"^(?:\[[A-Za-z]{1,5}-?\d{0,4}\] *)+", "", bare).strip() or title


def _below_title(document: Outline, number: int, line: str) -> str:
    """The list's own title becomes a section, since the document has one already."""
    first = document.headings[0]
    if first.line == number and first.level == 1 and line.lstrip().startswith("#"):
        return f"## {line.lstrip().lstrip('#').lstrip()}"
    return line
