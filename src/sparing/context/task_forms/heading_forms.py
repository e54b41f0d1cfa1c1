"""Tasks that are headings: numbered in one of several ways, or recognised by their fields.

Authors number tasks as `Task 1.1`, `T1.1`, `1.1`, `Step 1`, `A.2` or `F1`. A numbered heading that
only contains tasks numbered below it is a group and not a task.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from sparing.context.documents.fields import TASK_FIELDS, read_fields
from sparing.context.documents.ids import Lead, ident, lead
from sparing.context.documents.markdown import Heading, Outline
from sparing.context.task_forms.block import TaskBlock, group_of, parents_of
from sparing.context.task_forms.dropped_tasks import is_dropped
from sparing.context.task_forms.items import STATES
from sparing.context.task_forms.leaves import leaves
from sparing.context.task_forms.words import (
    NO_TASKS,
    TASKS,
    is_aside,
    is_container,
    names_a_part,
)

_WORD = re.compile(
    r"(?:[^\w\s]{1,3} ?)?([^\W\d_]{3,20}|[A-Z]{2}|[぀-ヿ一-鿿가-힣]{1,8}) ?[#№]?"
    r"(\d{1,3}(?:\.\d{1,3})?)\s?[:.：．、）)—–-] ?(.+)"
)
_COUNT_WORD = re.compile(
    r"(?:task|step|story|item) (one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"\W{0,3}(.*)",
    re.IGNORECASE,
)
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LETTER = re.compile(r"(?:\*\*)?([IVXL]{1,6}|[A-Z])[.):] +(\S.*)")
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII")
_BOX = re.compile(rf"(?:\[[ xX~/>✓✔-]?\]|[{STATES}]\ufe0f?) *(\S.*)")
_TITLE = "Title:"
_T = re.compile(r"t\d")
_DOTTED = re.compile(r"\d+[a-z]{0,2}\.")
_LETTERED = re.compile(r"[a-z]{1,4}\d{0,3}\.\d")
_SINGLE = re.compile(r"\d+[a-z]?$")

Test = Callable[[Lead], bool]


def _is_task(found: Lead) -> bool:
    label, token = found.ident
    word = label.split()[-1:] == ["task"] or token.startswith("task")
    return word or (not label and _T.match(token) is not None)


def is_task_group(found: Lead) -> bool:
    """`Task Group 1: …`"""
    return found.ident.label == "task group"


def _is_dotted(found: Lead) -> bool:
    return not found.ident.label and _DOTTED.match(found.ident.token) is not None


def _is_step(found: Lead) -> bool:
    return found.ident.label.split()[-1:] in (["step"], ["item"])


def _is_single(found: Lead) -> bool:
    return not found.ident.label and _SINGLE.match(found.ident.token) is not None


def _is_lettered(found: Lead) -> bool:
    """`I.1`, `A.2` or `WP1.2`"""
    return not found.ident.label and _LETTERED.match(found.ident.token) is not None


def _is_sibling(found: Lead) -> bool:
    """`Q1-Q4: …` or `V1: …` among tasks."""
    return not found.ident.label and found.separated and found.ident.token[:1].isalpha()


def count_word(text: str) -> re.Match[str] | None:
    """`Aufgabe 1: …`: word, number and title."""
    return _WORD.match(text)


STRONG: tuple[Test, ...] = (_is_task, _is_dotted)
WEAK: tuple[Test, ...] = (_is_step, _is_single, _is_lettered, _is_sibling)


class Headings:
    """The headings of a document with what they begin with, read once."""

    def __init__(self, document: Outline) -> None:
        self._document = document
        self._parents = parents_of(document.headings)
        self._leads = [(heading, lead(heading.text)) for heading in document.headings]

    def led(self, strongest: Test) -> tuple[TaskBlock, ...]:
        """Headings that begin with such a number, and their siblings with other letters."""
        parents = self._parents
        main = {heading.line for heading, found in self._leads if found and strongest(found)}
        homes = {
            (heading.level, above.line)
            for heading, _ in self._leads
            if heading.line in main and (above := parents[heading.line])
        }
        blocks = [
            _block(heading, found, parents[heading.line])
            for heading, found in self._leads
            if found
            and (heading.line in main or (self._home(heading) in homes and _is_sibling(found)))
            and not is_dropped(heading.text, found.title)
        ]
        return leaves(self._document, [*_titled_below(self._document, blocks)])

    def announced(self, strongest: Test) -> tuple[TaskBlock, ...]:
        """Such headings; where the numbers above them count the parts of the document, those of
        the part that is about tasks: `3.1 …` and `3.2 …` below `3. Implementation tasks`."""
        blocks = self.led(strongest)
        about = [one for one in blocks if (up := lead(one.group)) and TASKS.search(up.title)]
        return tuple(about) if about and self.only_parts(_is_single) else blocks

    def only_parts(self, strongest: Test) -> bool:
        """Whether such numbers count the parts of the document: `1. Overview`, `2. Tasks`."""
        return any(
            found
            and strongest(found)
            and not found.ident.label
            and found.ident.token[:1].isdigit()
            and names_a_part(heading)
            for heading, found in self._leads
        )

    def fielded(self) -> tuple[TaskBlock, ...]:
        """Headings of one rank, at least two, most of which state files, dependencies or the
        like; those that have a number keep it."""
        ranks: dict[int, list[Heading]] = {}
        stating: Counter[int] = Counter()
        for heading in self._document.headings:
            states = self._states(heading)
            stating[heading.level] += states
            if states or not is_aside(heading.text):
                ranks.setdefault(heading.level, []).append(heading)
        for level, headings in sorted(ranks.items(), reverse=True):
            if stating[level] >= 2 and 2 * stating[level] >= len(headings):
                return tuple(
                    self._counted(one, count) for count, one in enumerate(headings, start=1)
                )
        return ()

    def boxed(self) -> tuple[TaskBlock, ...]:
        """`### [ ] Add the login`, `### ✅ Add the table`: at least two of one rank."""
        rows = [(one, match) for one in self._document.headings if (match := _BOX.match(one.text))]
        ranks = Counter(one.level for one, _ in rows)
        rank = ranks.most_common(1)[0][0] if ranks else 0
        chosen = [(one, match[1]) for one, match in rows if one.level == rank]
        return self._enumerated([(one, "", title) for one, title in chosen])

    def lettered(self) -> tuple[TaskBlock, ...]:
        """`I. …`, `II. …`, or `A. …`, `B. …`; and `Task One: …`: headings in that order."""
        rows = [
            (one, match[1], match[2])
            for one in self._document.headings
            if (match := _LETTER.match(one.text) or _COUNT_WORD.match(one.text))
        ]
        said = [label.casefold() for _, label, _ in rows]
        orders = (_ROMAN, tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), _COUNTS)
        if any(said == [one.casefold() for one in order[: len(said)]] for order in orders):
            return self._enumerated(rows)
        return ()

    def _enumerated(self, rows: Sequence[tuple[Heading, str, str]]) -> tuple[TaskBlock, ...]:
        if len(rows) < 2:
            return ()
        blocks: list[TaskBlock] = []
        for count, (heading, label, title) in enumerate(rows, start=1):
            own = lead(title)
            number = (
                own.text if own else label if len(label) == 1 or label in _ROMAN else str(count)
            )
            counted = self._counted(heading, count)
            blocks.append(replace(counted, number=number, title=own.title if own else title))
        return tuple(blocks)

    def worded(self) -> tuple[TaskBlock, ...]:
        """`Aufgabe 1: …`, `Tâche 2: …`: one unknown word that counts, twice or more on a rank."""
        found = [
            (heading, match)
            for heading in self._document.headings
            if (match := _WORD.match(heading.text))
            and not is_container(match[1])
            and match[1].casefold() not in NO_TASKS
        ]
        words = Counter((heading.level, match[1].casefold()) for heading, match in found)
        if not words or words.most_common(1)[0][1] < 2:
            return ()
        best = words.most_common(1)[0][0]
        chosen = [pair for pair in found if (pair[0].level, pair[1][1].casefold()) == best]
        return leaves(
            self._document,
            [
                TaskBlock(
                    ident=ident("", match[2]),
                    number=match[2],
                    title=match[3].strip(),
                    first=heading.line,
                    last=heading.end,
                    level=heading.level,
                    group=group_of(self._parents[heading.line]),
                    mark=heading.text,
                )
                for heading, match in chosen
            ],
        )

    def _home(self, heading: Heading) -> tuple[int, int] | None:
        above = self._parents[heading.line]
        return (heading.level, above.line) if above else None

    def _states(self, heading: Heading) -> bool:
        """Whether the lines right below it, before a deeper heading, state a field of a task; one
        that is indented is a list item's."""
        inner = self._document.headings_between(heading.line + 1, heading.line + 40)
        last = min(heading.end, heading.line + 40, *(one.line - 1 for one in inner[:1]))
        lines = self._document.lines
        own = (n for n in range(heading.line + 1, last + 1) if not lines[n - 1][:1].isspace())
        names = (field.name for n in own for field in read_fields(self._document, n, n))
        return any(name in TASK_FIELDS for name in names)

    def _counted(self, heading: Heading, count: int) -> TaskBlock:
        found = lead(heading.text)
        own = found is not None and not found.ident.label
        return TaskBlock(
            ident=None,
            number=found.text if found and own else str(count),
            title=found.title if found and own else heading.text,
            first=heading.line,
            last=heading.end,
            level=heading.level,
            group=group_of(self._parents[heading.line]),
            mark=heading.text,
        )


def _titled_below(document: Outline, blocks: Sequence[TaskBlock]) -> Iterator[TaskBlock]:
    """`# Task ID: 1` followed by `# Title: …`: a task whose lines are headings of the same rank."""
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
        title=found.title,
        first=heading.line,
        last=heading.end,
        level=heading.level,
        group=group_of(parent),
        mark=heading.text,
    )
