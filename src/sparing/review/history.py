"""`.review-history.md`: what is recorded of each iteration, and how it is written.

All foreign text is on lines that this module began: line ends, invisible characters and marker
words are escaped, so that no finding can pretend to be an entry or a marker. The program never
reads it back; `bench/history_reader.py` does, to replay recorded reviews.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparing.finding import Finding

SEPARATOR = " · "
FINAL = "final validation"
FALLBACK = "RESUME-FALLBACK"
LAZY_LOAD = "LAZY-LOAD-WARNING"
UNCONFIRMED = "did not confirm artifact reads"
AT = "(at: "
REVIEWER = "**Reviewer:** "
DECISION = "**Decision:** "
THEN = "**Then:** "
FINDINGS = "**Findings:**"
CHANGES = "**Changes made:**"
PERSON = "a person"
REJECTED = "rejected"
NONE = "none"

_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
_MARKERS = re.compile(r"(RESUME|LAZY|LOAD)-(?=FALLBACK|LOAD|WARNING)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|(.))")


@dataclass(frozen=True, slots=True)
class Noted:
    """A finding of an entry."""

    finding: Finding
    roles: tuple[str, ...] = ()
    """Who raised it, where the entry has several reviewers."""
    state: str = ""
    """Its id and status in the loop, as in `F3, repeated`."""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class JudgedLook:
    role: str
    decision: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One iteration: who looked, what was decided, what was found, what was changed after."""

    stage: str
    iteration: int
    judged: tuple[JudgedLook, ...] = ()
    findings: tuple[Noted, ...] = ()
    changes: tuple[str, ...] = ()
    final: bool = False
    then: str = ""
    """What followed from several verdicts together; with one, its decision says so."""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Fallback:
    """A session could not be resumed; the role was asked afresh."""

    role: str
    iteration: int
    error: str


@dataclass(frozen=True, slots=True)
class LazyLoad:
    """A role did not say that it read what it was told to read."""

    role: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """A person rejected what waited at a stage's gate."""

    stage: str
    words: str
    reply: str = ""
    """What the author said, if it changed nothing."""


Item = HistoryEntry | Fallback | LazyLoad | Rejection


def write_history(items: Sequence[Item]) -> str:
    return "# Review history\n\n" + "".join(write_item(item) for item in items)


def write_item(item: Item) -> str:
    """What is appended to the file for it, ending in an empty line."""
    match item:
        case HistoryEntry():
            return _entry(item)
        case Fallback(role, iteration, error):
            return f"{FALLBACK}: {_word(role)} iteration {iteration} — {escape(error)}\n\n"
        case LazyLoad(role):
            return f"{LAZY_LOAD}: {_word(role)} {UNCONFIRMED}\n\n"
        case Rejection():
            return _rejection(item)


def escape(text: str) -> str:
    """One line without anything invisible in it; `unescape` gives the text back."""
    plain = _MARKERS.sub(r"\1\\-", text.replace("\\", "\\\\"))
    plain = _HIDDEN.sub(_code, plain.replace(AT, "\\u0028at: "))
    inner = plain.strip()
    if inner == plain:
        return plain
    start = plain.index(inner) if inner else len(plain)
    return _codes(plain[:start]) + inner + _codes(plain[start + len(inner) :])


def unescape(line: str) -> str:
    return _ESCAPED.sub(_character, line)


def _word(text: str) -> str:
    return "".join(_codes(one) if one.isspace() else one for one in escape(text))


def _code(found: re.Match[str]) -> str:
    return _codes(found[0])


def _codes(characters: str) -> str:
    return "".join(
        f"\\u{ord(one):04x}" if ord(one) < 0x10000 else f"\\U{ord(one):08x}" for one in characters
    )


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code is None:
        return found[3]
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else found[0]


def _entry(entry: HistoryEntry) -> str:
    final = f"{SEPARATOR}{FINAL}" if entry.final else ""
    alone = [one.role for one in entry.judged] if len(entry.judged) == 1 else []
    where = SEPARATOR.join(escape(one).replace("·", "\\u00b7") for one in (entry.stage, *alone))
    lines = [f"## {where}{SEPARATOR}iteration {entry.iteration}{final}", ""]
    for judged in entry.judged:
        lines += [REVIEWER + escape(judged.role), DECISION + escape(judged.decision)]
    lines += [THEN + escape(entry.then)] if entry.then else []
    lines += ["", FINDINGS if entry.findings else f"{FINDINGS} {NONE}"]
    for noted in entry.findings:
        lines += _finding(noted)
    lines += ["", CHANGES if entry.changes else f"{CHANGES} {NONE}"]
    lines += [f"- {_lead(escape(change))}" for change in entry.changes]
    return "\n".join(lines) + "\n\n"


def _rejection(item: Rejection) -> str:
    said = [f"- {_lead(escape(line))}" for line in item.words.splitlines() if line.strip()]
    where = escape(item.stage).replace("·", "\\u00b7")
    reply = ["", f"{CHANGES} {NONE}", f"- {_lead(escape(item.reply))}"] if item.reply else []
    lines = [f"## {where}{SEPARATOR}{PERSON}", "", DECISION + REJECTED, *said, *reply]
    return "\n".join(lines) + "\n\n"


def _finding(noted: Noted) -> list[str]:
    finding = noted.finding
    category = escape(finding.category).replace("]", "\\u005d")
    before = f"[{category}] " if category else ""
    location = f" {AT}{escape(finding.location)})" if finding.location else ""
    said = f"- [{finding.severity}] {before}{_lead(escape(finding.text))}{location}"
    roles = ", ".join(escape(role).replace(",", "\\u002c") for role in noted.roles)
    below = {
        "Raised by": roles,
        "State": escape(noted.state),
        "Level": escape(finding.level),
        "Quote": escape(finding.quote),
        "Suggestion": escape(finding.suggestion),
    }
    return [said, *(f"  {name}: {value}" for name, value in below.items() if value)]


def _lead(line: str) -> str:
    """What begins with a bracket must not be taken for a severity or a category."""
    return f"\\{line}" if line.startswith("[") else line
