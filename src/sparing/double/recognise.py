"""All phrases by which the double's model recognises what it is asked, in one file.

It reads a request as a model would: text inside `<document …>` is material, the rest is
instructions. The phrases are those of our prompt files; a test composes every kind of turn and
checks that each is still recognised, so this list can't go stale unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.double.request import Message, ModelRequest, newest
from sparing.panel import joint_name
from sparing.segment import references_of
from sparing.turn import Turn


class PlayedKind(StrEnum):
    """What a turn wants."""

    WRITE = "write"
    REVISE = "revise"
    REDO = "redo"
    REVIEW = "review"
    TASK = "task"
    FIX = "fix"
    CHECKS = "checks"
    RESOLVE = "resolve"
    STAGE = "stage"
    ASSIST = "assist"
    HAND_OVER = "hand over"
    READ = "read"
    FIRST_LINE = "first line"
    COUNT = "count"
    KEEP_ALIVE = "keep alive"
    TITLE = "title"
    """The client wants a name for the session, beside its work."""
    NONE = "none"


class _Words(NamedTuple):
    kind: PlayedKind
    needle: str
    """How the line begins."""
    pattern: re.Pattern[str]


_HEAD = "# This turn: "
_STAGE = "(?P<stage>[^,\\n]+)"
_OF = r"(?P<iteration>\d+) of \d+"
_THEN = r"(?:\. Then reply with just this object: (?P<reply>\{.*\}))?"
WORDS = tuple(
    _Words(kind, needle, re.compile(f"^{needle}{rest}", re.MULTILINE))
    for kind, needle, rest in (
        (PlayedKind.TITLE, "<session>", "$"),
        (PlayedKind.HAND_OVER, "# Your role: handing over", ""),
        (PlayedKind.TASK, _HEAD, r"task (?P<task>\S+)"),
        (PlayedKind.CHECKS, _HEAD, "the repository's checks are red"),
        (PlayedKind.RESOLVE, _HEAD, "the base branch was merged into this feature"),
        (PlayedKind.REVISE, _HEAD, rf"{_STAGE}, iteration (?P<iteration>\d+)$"),
        (PlayedKind.FIX, _HEAD, rf"{_STAGE}, fixes after review (?P<iteration>\d+)"),
        (PlayedKind.FIX, "Fix every finding listed above", ""),
        (PlayedKind.REDO, _HEAD, f"{_STAGE}, (?:once more|a change)"),
        (PlayedKind.STAGE, _HEAD, f"{_STAGE}, questions answered"),
        (PlayedKind.REVIEW, _HEAD, rf"{_STAGE}, (?:final validation \()?iteration {_OF}"),
        (PlayedKind.REVIEW, "This is ", rf"(?:the final validation round \()?iteration {_OF}"),
        (PlayedKind.STAGE, "# Stage transition: you now enter the ", "`(?P<stage>[^`]+)` stage"),
        (PlayedKind.REVIEW, _HEAD, rf"{_STAGE}\nFeature: .*\nJudge what stands above\."),
        (PlayedKind.WRITE, _HEAD, rf"{_STAGE}\nFeature: .*\nWrite "),
        (PlayedKind.WRITE, _HEAD, rf"{_STAGE}, part (?P<task>\S+)"),
        (PlayedKind.ASSIST, _HEAD, rf"{_STAGE}, phase (?P<task>\S+)"),
        (PlayedKind.ASSIST, _HEAD, _STAGE),
        (PlayedKind.FIRST_LINE, "What is the first line of ", r"(?P<target>\S+[^\s.?])"),
        (PlayedKind.COUNT, "How many findings ", ""),
        (PlayedKind.KEEP_ALIVE, "Reply: ok", ""),
        (PlayedKind.KEEP_ALIVE, "Reply with the one word ok.", ""),
        (PlayedKind.READ, "Read the file ", rf"(?P<target>\S+[^\s.]){_THEN}"),
    )
)
STAGES = {PlayedKind.TASK: "implement", PlayedKind.HAND_OVER: Turn.HAND_OVER.value}
"""Stages of turns whose prompts name none."""
_NEEDLES = tuple(words.needle for words in WORDS)
_TARGETS = re.compile(
    r"^Write (?P<write>\S+)(?: from the documents above)?\. The program commits"
    r"|The stage's document is (?P<stage>\S+)\.$"
    r"|^Go on with (?P<part>\S+)\. The program commits"
    r"|^(?P<redo>\S+) was (?:rejected|approved); the document"
    r"|what reviewers found in (?P<revise>\S+)\. Deal",
    re.MULTILINE,
)
_ROLES = ("# Your role: ", "You are still the ")
_ROLE = re.compile(rf"^(?:{'|'.join(_ROLES)})(?P<role>[\w-]+)(?:,|$)", re.MULTILINE)
_PANELS = ("# Your roles: ", "You are still ")
_PANEL = re.compile(
    rf"^(?:{'|'.join(_PANELS)})(?P<first>[\w-]+),(?: and)? then (?P<second>[\w-]+)", re.MULTILINE
)
_DOCUMENT = re.compile(
    r'<document key="[^"]*" name="(?P<name>[^"]*)">\n(?P<text>.*?)</document>\n?',
    re.DOTALL,
)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>\n?", re.DOTALL)
_CWD_WORDS = ("orking directory", "cwd")
_CWD = re.compile(r"\b(?:[Ww]orking directory|cwd)\b[^\n:]{0,20}: *`?(?P<path>/[^\s`,(]*)")
_VERDICT_ROLE = re.compile(r".+-reviewer|judge")
_AFTER = re.compile(r"^- after (?P<stage>[\w-]+), ", re.MULTILINE)
_HANDS_OFF = "HANDOFF"
_REPAIR = "Your reply could not be read as a verdict:"
_NUDGE = "[structured-output-enforce]"
_CATEGORY = re.compile(r"^- \*\*(?P<word>[a-z-]+)\*\*: ", re.MULTILINE)
_FILE_LINE = re.compile(r"^(?P<path>.+) \(\+\d+ -\d+\)$", re.MULTILINE)
_TASK_FILES = re.compile(r"^[-\s]*\*\*Files:?\*\*:?\s*(?P<files>.+)$", re.MULTILINE)
_FINDING = re.compile(r"^- `(?P<id>[^`]+)` ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    kind: PlayedKind
    role: str
    stage: str
    iteration: int
    task: str
    target: str
    """The file to write or to read."""
    after: str
    """The stage whose end a phase-reviewer judges, which its own text always says."""
    documents: Mapping[str, str]
    """Material of this turn, by name."""
    references: tuple[str, ...]
    categories: tuple[str, ...]
    """The categories into which the role sorts its findings."""
    place: int
    """Which message it came with."""
    reply: str = ""
    """The exact reply that is asked for."""
    hands_off: bool = False
    """Whether the reply has to end with a handoff."""

    @property
    def folder(self) -> str:
        """The feature's folder, if the turn names a file in it."""
        return self.target.rpartition("/")[0]

    @property
    def findings(self) -> list[str]:
        return _FINDING.findall(self.documents.get("findings", ""))

    @property
    def files(self) -> list[str]:
        """The files of the change, or of the task; a new one ends with a blank and `(new)`."""
        for name in ("changed-files", "files"):
            if name in self.documents:
                return _FILE_LINE.findall(self.documents[name])
        found = _TASK_FILES.search(self.documents.get("task", ""))
        names = (
            part.strip().replace("`", "") for part in (found["files"] if found else "").split(",")
        )
        return [name for name in names if name and name != "none"]


def recognise(asked: ModelRequest) -> PlayedTurn:
    """The current turn: the newest one that is recognised."""
    said = [n for n, one in enumerate(asked.messages) if one.role == "user" and _words(one)]
    for place in reversed(said):
        turn = _turn(asked, place, _words(asked.messages[place]))
        if turn is not None:
            return turn
    return PlayedTurn(
        kind=PlayedKind.NONE,
        role="",
        stage="",
        iteration=1,
        task="",
        target="",
        after="",
        documents={},
        references=(),
        categories=(),
        place=said[-1] if said else 0,
    )


def working_folder(asked: ModelRequest) -> str:
    """The client's working folder; empty if it does not say."""
    told = (message for message in asked.messages if message.role != "assistant")
    texts = [str(block.get("text", "")) for block in asked.system]
    texts += [_DOCUMENT.sub("", "\n".join(_texts(message))) for message in told]
    likely = (text for text in texts if any(word in text for word in _CWD_WORDS))
    found = [match["path"] for text in likely for match in _CWD.finditer(text)]
    return found[-1].rstrip("./") if found else ""


def documents_in(text: str) -> dict[str, str]:
    """The documents in a text, by name."""
    return {match["name"]: match["text"] for match in _DOCUMENT.finditer(text)}


def is_nudged(asked: ModelRequest) -> bool:
    """Whether the client insists on the form that the answer before did not have."""
    return _NUDGE in newest(asked)


def _turn(asked: ModelRequest, place: int, text: str) -> PlayedTurn | None:
    documents = documents_in(text)
    outside = _DOCUMENT.sub("", text)
    kind, said = _kind(outside)
    if _REPAIR in outside:
        before = replace(asked, messages=asked.messages[:place])
        return replace(recognise(before), place=place)
    if kind is PlayedKind.NONE and not _VERDICT_ROLE.fullmatch(_role(outside)):
        return None
    known = outside if _role(outside) else "\n".join(_earlier(asked, place))
    # A stage that names no role is the builder's, also after it has judged in the same session.
    role = _role(known, judges=bool(_role(outside)) or kind is not PlayedKind.STAGE)
    kind = _sharper(kind, role, outside)
    return PlayedTurn(
        kind=kind,
        role=role,
        stage=said.get("stage") or STAGES.get(kind, ""),
        iteration=int(said.get("iteration") or 1),
        task=said.get("task") or "",
        target=said.get("target") or _target(outside),
        after=next(iter(_AFTER.findall(known)), ""),
        documents=documents,
        references=references_of(outside),
        categories=tuple(dict.fromkeys(_CATEGORY.findall(known))),
        place=place,
        reply=said.get("reply") or "",
        hands_off=_HANDS_OFF in outside,
    )


def _sharper(kind: PlayedKind, role: str, outside: str) -> PlayedKind:
    """The kind; if the prompt leaves it open, decided by role and request for a handoff."""
    if kind not in (PlayedKind.NONE, PlayedKind.ASSIST):
        return kind
    if _VERDICT_ROLE.fullmatch(role):
        return PlayedKind.REVIEW
    return PlayedKind.STAGE if kind is PlayedKind.ASSIST and _HANDS_OFF in outside else kind


def _kind(text: str) -> tuple[PlayedKind, dict[str, str | None]]:
    near = _beginning(text, _NEEDLES)
    for kind, needle, pattern in WORDS:
        match = pattern.search(text) if any(line.startswith(needle) for line in near) else None
        if match:
            return kind, match.groupdict()
    return PlayedKind.NONE, {}


def _role(text: str, *, judges: bool = True) -> str:
    """The last role that is named, with `judges` off the last that writes; a panel takes precedence
    over its members."""
    panel = _PANEL.search("\n".join(_beginning(text, _PANELS)))
    if panel:
        return joint_name((panel["first"], panel["second"]))
    found = _ROLE.findall("\n".join(_beginning(text, _ROLES)))
    named = [role for role in found if judges or not _VERDICT_ROLE.fullmatch(role)]
    return named[-1] if named else ""


def _beginning(text: str, words: tuple[str, ...]) -> list[str]:
    """The lines that begin with one of these: a quick filter before patterns are tried."""
    return [line for line in text.split("\n") if line.startswith(words)]


def _target(text: str) -> str:
    match = _TARGETS.search(text)
    return next((path for path in match.groups() if path), "") if match else ""


def _earlier(asked: ModelRequest, place: int) -> list[str]:
    """Earlier text, the system prompt first, since it may name the role."""
    system = [str(block.get("text", "")) for block in asked.system]
    users = (message for message in asked.messages[:place] if message.role == "user")
    return [*system, *(_DOCUMENT.sub("", _words(message)) for message in users)]


def _words(message: Message) -> str:
    """The texts of a message, without the client's own reminders."""
    return _REMINDER.sub("", "\n".join(_texts(message)))


def _texts(message: Message) -> list[str]:
    return [str(block.get("text", "")) for block in message.content if block["type"] == "text"]
