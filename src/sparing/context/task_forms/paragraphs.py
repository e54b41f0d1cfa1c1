"""Tasks that are paragraphs or items with names of one pattern: keys, labels, summaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, headings_above
from sparing.context.task_forms.heading_forms import count_word
from sparing.context.task_forms.items import Item, plain_spaces
from sparing.context.task_forms.lists import led_items, listed_items
from sparing.context.task_forms.words import NO_TASKS, TASKS, is_aside, is_container

_KEY = re.compile(
    r"[ \t]{0,3}(?:[-*+•→] +)?(?P<text>(?P<signs>[*_`\[]{0,4})"
    r"(?P<make>[A-Z]{1,10}(?:-[A-Z]{1,10}){0,2}[-.]?)\d{1,5}[a-z]?(?:\.\d{1,3})?"
    r"[*_`\]]{0,4}(?:\s*[:.)—–|-]|[ \t]+\S).+)"
)
_LABEL = re.compile(
    r"[ \t]{0,3}(?:[-*+] |\d{1,3}[.)] )?[*_]{0,2}"
    r"(?P<label>[^\W\d_]{3,20}(?: [^\W\d_]{3,10})?)[*_]{0,2} ?[:：][*_]{0,2}[ \t]*(?P<text>\S.*)"
)
_SUMMARY = re.compile(
    r"[ \t]{0,8}(?:<details[^>\n]{0,40}>[ \t]*)?<summary>(?P<text>[^\n]{1,300}?)</summary>", re.I
)
_TAG = re.compile(r"</?(?:b|strong|code|em|i|h[1-6])>", re.IGNORECASE)
_COUNTED = re.compile(
    r"[ \t]{0,3}(?:\*\*(?P<bold>\d{1,3})[.):] +(?P<title>[^*\n]{1,300})\*\*[ \t:.]*$"
    r"|\((?P<number>\d{1,3})\) +(?P<text>\S.*))"
)
"""`**1. Write the parser**` and `(1) Write the parser`, on a line of their own."""

Items = Sequence[Item]


def keyed(document: Outline, _items: Items) -> tuple[TaskBlock, ...]:
    """`**API-112 — …**`, `- AUTH-1: …`, `[WEB-12] …`: at least two keys, written alike; their
    letters may differ, as in `BE-1`, `FE-1`."""
    rows = [(Item(n, 0, "", "", match["text"]), match) for n, match in _lines(document, _KEY)]
    kept = _beside_asides(document, [one for one, _ in rows])
    looks = Counter(
        look for one, match in rows if one in kept and (look := _look(match)) is not None
    )
    best, count = looks.most_common(1)[0] if looks else (None, 0)
    if count < 2:
        return ()
    return led_items(document, [one for one, match in rows if one in kept and _look(match) == best])


def _look(match: re.Match[str]) -> tuple[str, str] | None:
    """How a key is written; None if its letters say that it is no task's."""
    make = match["make"]
    if make.strip("-.").casefold() in NO_TASKS:
        return None
    return (match["signs"], make[-1:] if make[-1:] in "-." else "")


def labelled(document: Outline, _items: Items) -> tuple[TaskBlock, ...]:
    """`Task: Write the parser`, at least twice."""
    rows = [
        Item(number, 0, "", "", match["text"].strip("* "))
        for number, match in _lines(document, _LABEL)
        if (TASKS.fullmatch(match["label"]) or match["label"].casefold() == "story")
        and match["text"].strip("* ")
    ]
    return listed_items(document, rows) if len(rows) >= 2 else ()


def worded(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """`**Story 1: …**`: a bold word with a number, at least two of them."""
    rows = [
        (one, found)
        for one in items
        if one.indent < 4 and one.text.startswith("**") and (found := count_word(one.text[2:]))
    ]
    words = Counter(found[1].casefold() for _, found in rows if not is_container(found[1]))
    best, count = words.most_common(1)[0] if words else ("", 0)
    if count < 2:
        return ()
    chosen = [(one, found) for one, found in rows if found[1].casefold() == best]
    return led_items(
        document, [one._replace(text=f"{found[2]}: {found[3]}") for one, found in chosen]
    )


def summaries(document: Outline, _items: Items) -> tuple[TaskBlock, ...]:
    """`<summary>T1: …</summary>`, at least two."""
    rows = [
        Item(number, 0, "", "", _TAG.sub("", match["text"]).strip())
        for number, match in _lines(document, _SUMMARY)
    ]
    rows = [one for one in rows if not is_aside(one.text)]
    return listed_items(document, rows) if len(rows) >= 2 else ()


def counted(document: Outline, _items: Items) -> tuple[TaskBlock, ...]:
    """Lines that count from one: bold ones, or numbers in brackets; at least two."""
    rows = [
        Item(number, 0, f"{match['bold'] or match['number']}.", "", match["title"] or match["text"])
        for number, match in _lines(document, _COUNTED)
    ]
    beside = _beside_asides(document, rows)
    kept = [one for one in rows if one in beside]
    follow = [one.number for one in kept] == [str(n) for n in range(1, len(kept) + 1)]
    return listed_items(document, kept) if len(kept) >= 2 and follow else ()


def _beside_asides(document: Outline, items: Sequence[Item]) -> frozenset[Item]:
    above = headings_above(document, [one.line for one in items])
    pairs = zip(items, above, strict=True)
    return frozenset(one for one, head in pairs if not (head and is_aside(head.text)))


def _lines(document: Outline, form: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    headings = {heading.line for heading in document.headings}
    for number, line in enumerate(document.lines, start=1):
        if number not in document.hidden and number not in headings:
            match = form.match(plain_spaces(line))
            if match is not None:
                yield number, match
