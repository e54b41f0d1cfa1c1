"""Where the tasks of a tasks.md begin and end.

Authors number tasks in a few ways: `Task 1.1`, `T1.1`, `1.1`, `Step 1`, or a list of check
boxes. The strongest way that a document uses decides; weaker ones are then groups or steps. A
numbered heading that only holds tasks numbered below it is a group and no task.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from sparing.context.documents.fields import known, read_fields
from sparing.context.documents.ids import Lead, ident, lead
from sparing.context.documents.markdown import Heading, Outline
from sparing.context.documents.task_lists import (
    TaskBlock,
    boxed,
    counted,
    group_of,
    led,
    unmarked,
    unnumbered,
)
from sparing.context.documents.task_tables import tabled

_WORD = re.compile(r"([^\W\d_]{3,20}) (\d{1,3}(?:\.\d{1,3})?)\s?[:.—–-] ?(.+)")
_CONTAINER = re.compile(r"phase|stage|part|section|milestone|sprint|week|day|risk|option", re.I)
_TITLE = "Title:"
_T = re.compile(r"t\d")
_DOTTED = re.compile(r"\d+[a-z]{0,2}\.")
_LETTERED = re.compile(r"[a-z]{1,4}\.\d")
_SINGLE = re.compile(r"\d+[a-z]?$")


def find_blocks(document: Outline) -> tuple[TaskBlock, ...]:
    """All tasks in document order; empty if there are none."""
    parents = _parents(document.headings)
    for strongest in (_is_task, _is_dotted):
        blocks = _headed(document, parents, strongest)
        if blocks:
            return blocks
    boxes = boxed(document)
    if boxes:
        return _leaves(document, boxes)
    for weaker in (_is_step, _is_single, _is_lettered, _is_sibling):
        blocks = _headed(document, parents, weaker)
        if blocks:
            return blocks
    return (
        tuple(unnumbered(document))
        or tuple(tabled(document))
        or led(document)
        or counted(document)
        or _worded(document, parents)
    )


def _worded(document: Outline, parents: dict[int, Heading | None]) -> tuple[TaskBlock, ...]:
    """`Aufgabe 1: …`, `Tâche 2: …`: one unknown word that counts, at least twice on one rank."""
    found = [
        (heading, match) for heading in document.headings if (match := _WORD.match(heading.text))
    ]
    words = Counter((heading.level, match[1].casefold()) for heading, match in found)
    if not words or words.most_common(1)[0][1] < 2:
        return ()
    best = words.most_common(1)[0][0]
    return _leaves(
        document,
        [
            TaskBlock(
                ident=ident("", match[2]),
                number=match[2],
                title=match[3].strip(),
                first=heading.line,
                last=heading.end,
                level=heading.level,
                group=group_of(parents[heading.line]),
            )  # fmt: skip
            for heading, match in found
            if (heading.level, match[1].casefold()) == best and not _CONTAINER.match(match[1])
        ],
    )


def _is_task(found: Lead) -> bool:
    label, token = found.ident
    word = label.split()[-1:] == ["task"] or token.startswith("task")
    return word or (not label and _T.match(token) is not None)


def _is_dotted(found: Lead) -> bool:
    return not found.ident.label and _DOTTED.match(found.ident.token) is not None


def _is_step(found: Lead) -> bool:
    return found.ident.label.split()[-1:] in (["step"], ["item"])


def _is_single(found: Lead) -> bool:
    return not found.ident.label and _SINGLE.match(found.ident.token) is not None


def _is_lettered(found: Lead) -> bool:
    """`I.1` or `A.2`"""
    return not found.ident.label and _LETTERED.match(found.ident.token) is not None


def _is_sibling(found: Lead) -> bool:
    """`Q1-Q4: …` or `V1: …` among tasks."""
    return not found.ident.label and found.separated and found.ident.token[:1].isalpha()


def _parents(headings: Sequence[Heading]) -> dict[int, Heading | None]:
    """The heading above each heading, by line."""
    stack: list[Heading] = []
    found: dict[int, Heading | None] = {}
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        found[heading.line] = stack[-1] if stack else None
        stack.append(heading)
    return found


def _headed(
    document: Outline,
    parents: dict[int, Heading | None],
    strongest: Callable[[Lead], bool],
) -> tuple[TaskBlock, ...]:
    leads = [(heading, lead(heading.text)) for heading in document.headings]
    main = {heading.line for heading, found in leads if found and strongest(found)}
    homes = {(h.level, parents[h.line]) for h, _ in leads if h.line in main and parents[h.line]}
    blocks = [
        _block(heading, found, parents[heading.line])
        for heading, found in leads
        if found
        and (
            heading.line in main
            or ((heading.level, parents[heading.line]) in homes and _is_sibling(found))
        )
    ]
    return _leaves(document, [*_titled_below(document, blocks)])


def _titled_below(document: Outline, blocks: Sequence[TaskBlock]) -> Iterator[TaskBlock]:
    """`# Task ID: 1` and then `# Title: …`: its lines are headings of the same rank."""
    starts = {heading.line: heading for heading in document.headings}
    for block, following in zip_longest(blocks, blocks[1:]):
        below = starts.get(block.last + 1)
        if below is None or not below.text.startswith(_TITLE):
            yield block
        else:
            last = following.first - 1 if following else len(document.lines)
            yield replace(block, title=below.text.removeprefix(_TITLE).strip(), last=last)


def _block(heading: Heading, found: Lead, parent: Heading | None) -> TaskBlock:
    return TaskBlock(
        ident=found.ident,
        number=found.text,
        title=unmarked(found.title),
        first=heading.line,
        last=heading.end,
        level=heading.level,
        group=group_of(parent),
    )


def _leaves(document: Outline, blocks: Sequence[TaskBlock]) -> tuple[TaskBlock, ...]:
    """Without titles and groups; a task ends where the next one begins."""
    kept: list[TaskBlock] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        if following is None or following.first > block.last:
            kept.append(block)
            continue
        own = replace(block, last=following.first - 1)
        if not _only_groups(document, own, following):
            kept.append(own)
    return tuple(kept)


def _only_groups(document: Outline, block: TaskBlock, inner: TaskBlock) -> bool:
    if block.level == 1 and block.first == document.headings[0].line:
        return True  # the document's title, as in `Tasks: 038 — …`
    if block.ident is None or inner.ident is None or not inner.ident.extends(block.ident):
        return False
    return not any(known(item.name) for item in read_fields(document, block.first + 1, block.last))
