"""The handoff block: the note that ends each stage of a tier.

Written strictly, read tolerantly: any heading level, bold or plain fields, values over several
lines or as bullets; also as JSON, XML or YAML (`handoff_forms`). The last block of a reply counts,
because a reply may quote an earlier one. Text that looks like a block and can't be read is
`unreadable`; a reply without any trace of one, or with no more than an echo of the instructions, is
`missing` it. Neither means that the stage is completed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from sparing.context.documents.handoff_forms import other_forms, trace_of
from sparing.lazy_dataclass import lazy_dataclass


class HandoffStatus(StrEnum):
    COMPLETED = "completed"
    BLOCKED = "blocked"
    NEEDS_INTERVENTION = "needs_intervention"


@lazy_dataclass
class Handoff:
    status: HandoffStatus = HandoffStatus.COMPLETED
    summary: str = ""
    key_decisions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    next_stage_needs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unreadable: str = ""
    """Text that looks like a block but can't be parsed, so that the stage's status is unknown."""
    missing: bool = False
    """True if a reply that should end with a block has none."""

    @property
    def lacks_block(self) -> bool:
        return self.missing or bool(self.unreadable)

    @property
    def pauses(self) -> bool:
        """Whether a person must decide something before the next stage starts."""
        return self.status is not HandoffStatus.COMPLETED or bool(self.open_questions)


_BLOCK = re.compile(
    r"^[ \t>]*(?:#{1,6}[ \t]*|\*\*|__)HANDOFF\b[^\n]*$", re.IGNORECASE | re.MULTILINE
)
_QUESTIONS = re.compile(
    r"^[ \t>]*(?:#{1,6}[ \t]*|\*\*|__)open[ _-]questions?\b[^\n]*$", re.IGNORECASE | re.MULTILINE
)
_DEFAULT = re.compile(
    r"[(\[]?\b(?:my )?default(?: answer)?\b[ \t*_`]*[:：=][ \t*_`]*"
    r"(?P<words>[^()\[\]?]+(?:\([^()]*\)[^()\[\]?]*)*)[)\]]?[ .]*$",
    re.IGNORECASE,
)
_END = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]|```|~~~)", re.MULTILINE)
_FIELD = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?P<name>status|summary|key[ _-]decisions?|"
    r"open[ _-]questions?|files?[ _-](?:modified|changed)|next[ _-]stage[ _-]needs?|warnings?)"
    r"(?:[ \t]*[:：](?:\*\*|__)?|(?:\*\*|__)[ \t]*[:：])[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = {
    "statu": "status",
    "summary": "summary",
    "key decision": "key_decisions",
    "open question": "open_questions",
    "file modified": "files_modified",
    "file changed": "files_modified",
    "next stage need": "next_stage_needs",
    "warning": "warnings",
}
_GAP = re.compile(r"\n[ \t>]*\r?\n(?=[^\s>*+•-])(?!\d{1,2}[.)][ \t])")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_NOTHING = re.compile(
    r"[\s(\[*_`\"']*"
    r"(?:(?:there (?:are|is) |i have )?(?:none|n/?a|nothing|nil|null|no|not applicable)"
    r"(?:[ ,]+(?:open|further|remaining|other|outstanding|more|new|known|questions?|warnings?|"
    r"issues?|items?|(?:at|for) (?:this|the) (?:time|point|stage|moment)|so far|for now|right now|"
    r"yet|now|remains?|left|currently|identified|blocking|needed|required|necessary|"
    r"to (?:ask|report|add|note)))*|[-—–.]*)[\s.!)\]*_`\"']*",
    re.IGNORECASE,
)
_NO_QUESTION = re.compile(
    r"none\s*[—–:,.(-](?!.*\b(?:but|except|apart from|other than|unless|until|pending|please|"
    r"confirm|clarify|decide|should|must|needs? to|whether)\b)[^?]*",
    re.IGNORECASE | re.DOTALL,
)
"""With a remark behind it, as in "None: all is decided"; not one that wants something. To show a
person a remark too many costs a look, to drop a question costs the work done without its answer."""
_STATUS = {
    HandoffStatus.NEEDS_INTERVENTION: re.compile(
        r"needs?[ _-]*(?:human[ _-]*)?(?:intervention|help)"
    ),
    HandoffStatus.BLOCKED: re.compile(r"\bblocked\b"),
    HandoffStatus.COMPLETED: re.compile(r"\b(?:completed?|done|finished|success(?:ful)?)\b"),
}
_PARTLY = re.compile(r"\b(?:not|partly|partial(?:ly)?|almost|half|nearly)\b")


def parse_handoff(reply: str) -> Handoff:
    """The last valid block of a reply; an echo of the instructions does not count."""
    for match in reversed(list(_BLOCK.finditer(reply))):
        rest = reply[match.end() :]
        end = _END.search(rest)
        fields = _fields(rest[: end.start()] if end else rest)
        status = _status(fields.get("status", ""))
        if fields and status is not None:
            return _handoff(status, fields)
    echoed = False
    for fields in other_forms(reply):
        status = _status(fields["status"])
        if status is not None:
            return _handoff(status, fields)
        echoed = True
    trace = "" if echoed else trace_of(reply)
    return Handoff(unreadable=trace, missing=not trace)


def parse_questions(reply: str) -> tuple[str, ...]:
    """The questions under a heading of their own, for replies that need no handoff block."""
    for match in reversed(list(_QUESTIONS.finditer(reply))):
        rest = reply[match.end() :]
        end = _END.search(rest)
        return _asked(rest[: end.start()] if end else rest)
    return ()


def spoken(reply: str) -> str:
    """A reply as a person reads it: its text, and of its handoff block only the summary."""
    blocks = list(_BLOCK.finditer(reply))
    if not blocks:
        return _line(reply)
    summary = parse_handoff(reply).summary
    text = _line(reply[: blocks[-1].start()])
    return text if summary in text else f"{text} {summary}".strip()


def before_block(reply: str) -> str:
    """A reply without its handoff block; of a block alone its summary."""
    blocks = list(_BLOCK.finditer(reply))
    said = reply[: blocks[-1].start()].strip() if blocks else reply
    return said or parse_handoff(reply).summary


def with_default(question: str) -> tuple[str, str]:
    """Split a question into the question and the default answer that its author proposes."""
    match = _DEFAULT.search(question)
    if match is None:
        return question, ""
    return question[: match.start()].rstrip(" -—–,"), match["words"].strip(" .`*\"'")


def summary_of(handoff: Handoff) -> str:
    """Summary, decisions and files, to replace a stage's full output; empty without a block."""
    rows = (
        ("Summary", _line(handoff.summary)),
        ("Key decisions", _joined(handoff.key_decisions)),
        ("Files modified", _joined(handoff.files_modified)),
    )
    return "".join(f"{name}: {value}\n" for name, value in rows if value)


def _fields(block: str) -> dict[str, str]:
    found = list(_FIELD.finditer(block))
    if not found:
        return {}
    last = found[-1].end()
    ends = [match.start() for match in found[1:]] + [last + _length(block[last:])]
    return {
        _known(match["name"]): block[match.end() : end].strip()
        for match, end in zip(found, ends, strict=True)
    }


def _length(rest: str) -> int:
    """Where the last field ends: at a blank line that is followed by plain text."""
    gap = _GAP.search(rest)
    return gap.start() if gap else len(rest)


def _known(name: str) -> str:
    plain = " ".join(re.split(r"[ _-]+", name.lower()))
    return _NAMES[re.sub(r"s\b", "", plain)]


def _handoff(status: HandoffStatus, fields: Mapping[str, str]) -> Handoff:
    def several(name: str) -> tuple[str, ...]:
        return _several(fields.get(name, ""))

    summary = fields.get("summary", "")
    return Handoff(
        status=status,
        summary="" if _NOTHING.fullmatch(_line(summary)) else _line(summary),
        key_decisions=several("key_decisions"),
        open_questions=_asked(fields.get("open_questions", "")),
        files_modified=_paths(several("files_modified")),
        next_stage_needs=several("next_stage_needs"),
        warnings=several("warnings"),
    )


def _status(text: str) -> HandoffStatus | None:
    """None for an echo that lists several; an unknown status needs a person's intervention."""
    plain = text.strip().lower()
    found = [status for status, pattern in _STATUS.items() if pattern.search(plain)]
    if len(found) > 1:
        return None
    if not plain:
        return HandoffStatus.COMPLETED
    if not found or (found == [HandoffStatus.COMPLETED] and _PARTLY.search(plain)):
        return HandoffStatus.NEEDS_INTERVENTION
    return found[0]


def _several(value: str) -> tuple[str, ...]:
    """One entry per bullet or semicolon; continuation lines belong to the entry above."""
    entries: list[str] = []
    for line in value.splitlines():
        text = line.lstrip("> \t")
        if _BULLET.match(text) or not entries:
            entries.append(_BULLET.sub("", text))
        elif text.strip():
            entries[-1] += f" {text}"
    parts = [_line(part) for entry in entries for part in entry.split(";")]
    return tuple(part for part in parts if part and not _NOTHING.fullmatch(part))


def _asked(value: str) -> tuple[str, ...]:
    return tuple(one for one in _several(value) if not _NO_QUESTION.fullmatch(one))


def _paths(values: tuple[str, ...]) -> tuple[str, ...]:
    parts = (part.strip(" `*") for value in values for part in value.split(","))
    return tuple(part for part in parts if part)


def _joined(values: tuple[str, ...]) -> str:
    return "; ".join(_line(value) for value in values)


def _line(text: str) -> str:
    return " ".join(text.split())
