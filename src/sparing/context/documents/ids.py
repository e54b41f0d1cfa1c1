"""Identifiers as documents write them: `C10`, `Component 10`, `Step 1.1`, `1A.1`, `TD-3`, `W1-A`.

An identifier is a token with an optional label before it. Comparing is done on a normal form
(lower case, no dash between letters and digits). A heading is *led* by an identifier when it
starts with one; every other identifier in it is only mentioned.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = (
    r"(?:[A-Za-z]{1,5}\d{1,6}(?-i:-[A-Z])(?!\w)|[A-Za-z]{1,5}-?\d{1,6}|(?-i:[A-Z]{1,10}(?:[-_][A-Z]{1,10}){0,2})[-_]\d{1,6}|(?-i:[a-z]{2,10})_\d{1,6}(?=:)|\d{1,6}|[A-Za-z]{1,8}(?=\.\d))[A-Za-z]{0,2}"
    r"(?:\.[A-Za-z]{0,2}\d{1,6}[A-Za-z]{0,2}){0,5}"
)
END = r"(?!\w|[-.]\w|:\d)"
LABELS = (
    "component|interface|step|phase|stage|task|item|section|part|group|bundle|milestone"
    "|decision|requirement|module|appendix|batch|wave|story"
)
_UNITS = frozenset({"step", "item", "task", "part"})
_CONTAINERS = frozenset({"phase", "stage", "group", "bundle", "milestone", "batch", "wave"})

_CHECKBOX = re.compile(r"\s{0,9}\[[ xX~/>-]?\]")
_DECORATION = re.compile(r"[\W_]{0,9}")
LETTER = r"(?-i:[A-Z])(?!\w)"
TO = r"(?:[-–]|\.\.| (?:to|through|thru) )"
_LAST = rf"(?:{TO}({TOKEN}))?"
_LABELLED = re.compile(
    rf"((?:[A-Za-z]{{1,20}} ){{0,2}}?)({LABELS})s?(?: ID)?[#: ]{{1,3}}"
    rf"({TOKEN}|{LETTER}){_LAST}{END}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"()()({TOKEN}){_LAST}{END}")
_NUMBER_AT_END = re.compile(r"(.*?)(\d{1,6}|[a-z])")
_LONGEST_RANGE = 40
_SEPARATOR = re.compile(r"[*_`\])]{0,4} {0,3}(?:[:.)\]—–·|]|- |$)")
_MENTION = re.compile(
    rf"(?:\b({LABELS})s? {{1,3}}({TOKEN}|{LETTER})|(?<![\w.-])({TOKEN})){_LAST}{END}", re.IGNORECASE
)


class Ident(NamedTuple):
    label: str
    """Lower case and singular, empty where there is none."""
    token: str
    """In normal form."""

    @property
    def plain(self) -> bool:
        """A number and nothing else: it means little without its label."""
        return self.token.isdigit()

    @property
    def alias(self) -> str:
        """`component 10` is `c10`, `technical decision 3` is `td3`; empty if there is none."""
        if not self.label or not self.token[:1].isdigit():
            return ""
        return "".join(word[0] for word in self.label.split()) + self.token

    @property
    def parent(self) -> Ident | None:
        """The identifier one level up: `1a` for `1a.1`, and `1` for `1a`."""
        shorter = self.token.rstrip("abcdefghijklmnopqrstuvwxyz").rstrip("-")
        if shorter and shorter != self.token:
            return Ident(self.label, shorter)
        head, dot, _ = self.token.rpartition(".")
        return Ident(self.label, head) if dot else None

    def extends(self, other: Ident) -> bool:
        """Whether this extends the other, as `1.1` or `1a` extends `1`."""
        mine, others = self._bare(), other._bare()
        rest = mine.removeprefix(others)
        return rest != mine and (rest[:1] == "." or (rest.isalpha() and others[-1:].isdigit()))

    def _bare(self) -> str:
        token = self.token
        return token[1:] if token[:1] == "t" and token[1:2].isdigit() else token


class Lead(NamedTuple):
    idents: tuple[Ident, ...]
    """More than one where a range leads: `Q1-Q4: …`."""
    text: str
    """The identifier as written, without its label."""
    title: str
    separated: bool
    """Whether a colon, dash or the end follows, as in `Phase 1: …`, not in `Phase 1 Checkpoint`."""

    @property
    def ident(self) -> Ident:
        return self.idents[0]


def normal(token: str) -> str:
    return re.sub(r"^([a-z]{1,8})[-_]", r"\1", token.casefold())


def ident(label: str, token: str) -> Ident:
    words = label.casefold().split()
    if words and len(words[-1]) > 3:
        words[-1] = words[-1].removesuffix("s")
    return Ident(" ".join(words), normal(token))


def span(first: Ident, last_token: str) -> tuple[Ident, ...]:
    """All of a range like `C3-C5`, `1.1-1.4` or `T6a-T6d`; only its ends if it can't be counted."""
    last = Ident(first.label, normal(last_token))
    head, start = _split(first.token)
    tail_head, stop = _split(last.token)
    if tail_head not in (head, "") or start.isdigit() != stop.isdigit():
        return (first, last)
    low, high = _rank(start), _rank(stop)
    if not low < high <= low + _LONGEST_RANGE:
        return (first, last)
    steps = range(low, high + 1)
    return tuple(
        Ident(first.label, head + (str(step) if start.isdigit() else chr(step))) for step in steps
    )


def _split(token: str) -> tuple[str, str]:
    match = _NUMBER_AT_END.fullmatch(token)
    return (match[1], match[2]) if match else (token, "")


def _rank(step: str) -> int:
    return int(step) if step.isdigit() else ord(step) if step else 0


def parse_ident(text: str) -> tuple[Ident, ...]:
    """The identifier, or all of a range, if that is the whole text; else empty."""
    stripped = text.strip()
    if len(stripped) == 1 and stripped.isalpha():
        return (ident("", stripped),)
    match = _LABELLED.fullmatch(stripped) or _BARE.fullmatch(stripped)
    if match is None:
        return ()
    first = ident(match[1] + match[2], match[3])
    return span(first, match[4]) if match[4] else (first,)


def lead(heading: str) -> Lead | None:
    """The identifier that a heading starts with."""
    box = _CHECKBOX.match(heading)
    start = _DECORATION.match(heading, box.end() if box else 0)
    position = start.end() if start else 0
    match = _LABELLED.match(heading, position) or _BARE.match(heading, position)
    if match is None:
        return None
    words, label, token, last = match.groups()
    first, end = ident(words + label, token), match.end()
    separated = _SEPARATOR.match(heading, end)
    # `Update section 1.5` and `3 new files` are titles, no identifiers.
    if words and (separated is None or separated.end() == len(heading)):
        return None
    marked = heading[:position][-1:] == "#" or _is_bold_alone(heading, position, end)
    if first.plain and not label and separated is None and not marked:
        return None
    title = _title(heading[separated.end() if separated else end :], "*" in heading[:position])
    idents = span(first, last) if last else (first,)
    return Lead(idents, heading[match.start(3) : end], title, separated is not None)


def _is_bold_alone(heading: str, start: int, end: int) -> bool:
    """`**0-3** Set up`: nothing but the identifier is bold."""
    return heading[max(0, start - 2) : start] == "**" == heading[end : end + 2]


def _title(rest: str, bold: bool) -> str:
    """What follows the identifier, without the other half of bold that began before it."""
    rest = rest[1:] if rest.startswith("`") and rest.count("`") % 2 else rest
    if bold:
        rest = rest[2:] if rest.startswith("**") else rest.rstrip().removesuffix("**")
    return rest.strip().lstrip(":.—–-· ")


def mentions(heading: str) -> frozenset[Ident]:
    """All identifiers in a heading; numbers only where they have a label."""
    found: set[Ident] = set()
    for match in _MENTION.finditer(heading):
        first = ident(match[1] or "", match[2] or match[3] or "")
        found.update(span(first, match[4]) if match[4] else (first,))
    return frozenset(item for item in found if item.label or not item.plain)


def fit(wanted: Ident, found: Ident, *, loose: bool = False) -> int:
    """How well two identifiers with the same token agree in their labels; 0 is not at all."""
    if wanted.label.split()[-1:] == found.label.split()[-1:]:
        return 100
    if not wanted.label or not found.label:
        return 95
    if not wanted.plain:
        return 90
    if {wanted.label, found.label} <= _UNITS or {wanted.label, found.label} <= _CONTAINERS:
        return 85
    return 60 if loose else 0
