"""Reading `.review-history.md`: our own exactly, anybody's as well as it can be done.

A heading opens an entry. What stands in brackets at the start of a list item is a severity if
it is a known word for one; such an item is a finding, or a change if it stands below changes.
Each line is looked at once, and nothing here raises: a line that says nothing is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sparing.finding import Finding, Severity
from sparing.review.history import (
    AT,
    FALLBACK,
    FINAL,
    LAZY_LOAD,
    PERSON,
    SEPARATOR,
    UNCONFIRMED,
    Fallback,
    HistoryEntry,
    Item,
    JudgedLook,
    LazyLoad,
    Noted,
    unescape,
)

SEVERITIES = {
    "blocker": Severity.BLOCKER,
    "critical": Severity.BLOCKER,
    "high": Severity.BLOCKER,
    "major": Severity.BLOCKER,
    "warning": Severity.WARNING,
    "medium": Severity.WARNING,
    "suggestion": Severity.SUGGESTION,
    "advisory": Severity.SUGGESTION,
    "challenge": Severity.SUGGESTION,
    "fixed": Severity.SUGGESTION,
    "info": Severity.SUGGESTION,
    "low": Severity.SUGGESTION,
    "minor": Severity.SUGGESTION,
    "nit": Severity.SUGGESTION,
    "note": Severity.SUGGESTION,
}
"""Words seen for a severity; the strictest of several counts."""

_OWN = re.compile(
    rf"## ([^·]*)(?:{SEPARATOR}[^·]*)?{SEPARATOR}iteration (\d{{1,9}})({SEPARATOR}{FINAL})?"
)
_ITERATION = re.compile(r"\biteration (\d{1,4})\b", re.IGNORECASE)
_DATE = re.compile(r" - \d{4}-\d{2}-\d{2}")
_ROLE = re.compile(r"([A-Za-z][A-Za-z-]{0,40}[Rr]eviewer): +")
_FALLBACK = re.compile(rf"{FALLBACK}: (\S+) iteration (\d{{1,9}}) — (.*)")
_DONE = re.compile(r" (?:->|→) ")
_STEP = re.compile(r"\d{1,3}[.)] ")
_ORDER = (Severity.BLOCKER, Severity.WARNING, Severity.SUGGESTION)


class History(NamedTuple):
    items: tuple[Item, ...]
    lines: frozenset[int]
    """The lines with a severity that were read."""

    @property
    def entries(self) -> tuple[HistoryEntry, ...]:
        return tuple(item for item in self.items if isinstance(item, HistoryEntry))


@dataclass(slots=True)
class _Open:
    """What is known of the history so far: finished items, and the entry at hand."""

    items: list[Item] = field(default_factory=list[Item])
    lines: set[int] = field(default_factory=set[int])
    entry: HistoryEntry | None = None
    own: bool = False
    rejects: bool = False
    """Whether the lines are a person's rejection, which is no review."""
    below_changes: bool = False
    judged: list[JudgedLook] = field(default_factory=list[JudgedLook])
    findings: list[Noted] = field(default_factory=list[Noted])
    changes: list[str] = field(default_factory=list[str])
    then: str = ""
    markers: list[Item] = field(default_factory=list[Item])
    """Markers follow the entry they stand in."""

    def close(self) -> None:
        if self.entry is not None or self.judged or self.findings or self.changes:
            entry = self.entry or HistoryEntry("", 1)
            found = (tuple(self.judged), tuple(self.findings), tuple(self.changes))
            entry = replace(entry, judged=found[0], findings=found[1], changes=found[2])
            self.items.append(replace(entry, then=self.then))
        self.items += self.markers
        self.entry, self.own, self.below_changes = None, False, False
        self.judged, self.findings, self.changes, self.markers = [], [], [], []
        self.then = ""

    def text(self, line: str) -> str:
        return unescape(line) if self.own else line.strip()


def read_history(text: str) -> History:
    state = _Open()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("## "):
            state.rejects = line.endswith(f"{SEPARATOR}{PERSON}")
        if state.rejects:
            state.close()
        else:
            _read(state, line.rstrip("\r"), number)
    state.close()
    return History(tuple(state.items), frozenset(state.lines))


def _read(state: _Open, line: str, number: int) -> None:
    if line.startswith("## "):
        state.close()
        state.entry, state.own = _heading(line, number)
    elif marker := _marker(line):
        state.markers.append(marker)
    elif line.startswith("**"):
        _label(state, line)
    elif (found := _bracketed(line.strip())) is not None:
        state.lines.add(number)
        _item(state, found, number)
    elif state.below_changes:
        _change(state, line)
    elif line.startswith("  "):
        _below(state, line)


def _heading(line: str, number: int) -> tuple[HistoryEntry, bool]:
    own = _OWN.fullmatch(line)
    if own is not None:
        stage = unescape(own[1])
        return HistoryEntry(stage, int(own[2]), final=bool(own[3]), line=number), True
    said = _DATE.split(line[3:], maxsplit=1)[0]
    counted = _ITERATION.search(said)
    stage = said[: counted.start()] if counted else said
    iteration = int(counted[1]) if counted else 1
    final = FINAL in line.lower()
    return HistoryEntry(stage.strip(" -—("), iteration, final=final, line=number), False


def _marker(line: str) -> Fallback | LazyLoad | None:
    if line.startswith(FALLBACK):
        found = _FALLBACK.fullmatch(line)
        return found and Fallback(unescape(found[1]), int(found[2]), unescape(found[3]))
    if line.startswith(f"{LAZY_LOAD}: "):
        role, said, _ = line.removeprefix(f"{LAZY_LOAD}: ").partition(f" {UNCONFIRMED}")
        return LazyLoad(unescape(role)) if said else None
    return None


def _label(state: _Open, line: str) -> None:
    """`**Name:** value`: a reviewer, a decision, or what the following items are."""
    name, closed, value = line[2:].partition(":**")
    if not closed:
        return
    said, word = state.text(value[1:]), name.lower()
    state.below_changes = word.startswith("changes")
    if word == "reviewer":
        state.judged.append(JudgedLook(said if state.own else said.partition(" (")[0], ""))
    elif word == "decision":
        who = state.judged.pop().role if state.judged else ""
        state.judged.append(JudgedLook(who, said))
    elif word == "then" and state.own:
        state.then = said
    elif word.endswith(" review") and said:
        state.judged.append(JudgedLook(name, said))


class _Found(NamedTuple):
    severity: Severity
    rest: str


def _bracketed(line: str) -> _Found | None:
    if not line.startswith(("- [", "* [")):
        return None
    word, closed, rest = line[3:].partition("]")
    known = [SEVERITIES.get(part.strip()) for part in word.lower().split("+")]
    if not closed or None in known:
        return None
    return _Found(min((one for one in known if one), key=_ORDER.index), rest.removeprefix(" "))


def _item(state: _Open, found: _Found, number: int) -> None:
    if state.below_changes:
        state.changes.append(state.text(found.rest))
        return
    noted = (_own_finding if state.own else _foreign_finding)(found, number)
    if noted is not None:
        state.findings.append(noted)


def _own_finding(found: _Found, number: int) -> Noted | None:
    category, rest = "", found.rest
    if rest.startswith("["):
        category, _, rest = rest[1:].partition("] ")
    text, at, location = rest.partition(f" {AT}")
    location = location.removesuffix(")") if at else ""
    if not unescape(text).strip():
        return None
    finding = Finding(found.severity, unescape(text), unescape(category), unescape(location))
    return Noted(finding, line=number)


def _foreign_finding(found: _Found, number: int) -> Noted | None:
    category, rest = "", found.rest
    if rest.startswith("["):
        category, closed, after = rest[1:].partition("]")
        category, rest = (category, after.strip()) if closed else ("", rest)
    text, location = _located(rest)
    told, suggestion = _told(text)
    role = _ROLE.match(told)
    said = told[role.end() :] if role else told
    if not said.strip():
        return None
    finding = Finding(found.severity, said.strip(), category, location, suggestion=suggestion)
    return Noted(finding, (role[1].lower(),) if role else (), line=number)


def _located(text: str) -> tuple[str, str]:
    before, at, after = text.rpartition(AT)
    if not at:
        return text, ""
    depth = 1
    for end, one in enumerate(after):
        depth += (one == "(") - (one == ")")
        if depth == 0:
            return f"{before.rstrip()}{after[end + 1 :]}", after[:end]
    return text, ""


def _told(text: str) -> tuple[str, str]:
    """What was found, and behind an arrow what was done about it."""
    depth = last = 0
    for arrow in _DONE.finditer(text):
        depth += text.count("(", last, arrow.start()) - text.count(")", last, arrow.start())
        last = arrow.start()
        if depth == 0:
            return text[:last], text[arrow.end() :]
    return text, ""


def _below(state: _Open, line: str) -> None:
    """A field of the finding above it."""
    name, colon, value = line[2:].partition(": ")
    setter = _FIELDS.get(name.strip())
    if colon and setter is not None and state.findings:
        raw = name == "Raised by"
        state.findings[-1] = setter(state.findings[-1], value if raw else state.text(value))


def _raised(noted: Noted, value: str) -> Noted:
    roles = value.split(", ")
    return replace(noted, roles=tuple(unescape(role) for role in roles))


_FIELDS: dict[str, Callable[[Noted, str], Noted]] = {
    "Raised by": _raised,
    "State": lambda noted, value: replace(noted, state=value),
    "Level": lambda noted, value: replace(noted, finding=replace(noted.finding, level=value)),
    "Quote": lambda noted, value: replace(noted, finding=replace(noted.finding, quote=value)),
    "Suggestion": lambda noted, value: replace(
        noted, finding=replace(noted.finding, suggestion=value)
    ),
}


def _change(state: _Open, line: str) -> None:
    if state.own:
        if line.startswith("- "):
            state.changes.append(unescape(line[2:]))
    elif line.strip(" -"):
        plain = line.strip().removeprefix("- ")
        counted = _STEP.match(plain)
        state.changes.append(plain[counted.end() :] if counted else plain)
