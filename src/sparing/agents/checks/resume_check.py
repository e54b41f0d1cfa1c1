"""Checks that a client's sessions can really be resumed, before this is relied on.

Five questions, in three short turns: V1 is there an id, V2 does the resumed session answer after a
tool was used, V3 does it still know a file, V4 its own earlier reply, V5 how much of it came from
the cache. The file is gone before it is asked about, so nothing but the transcript helps.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Launch, Run
from sparing.failure import Failure
from sparing.prompts.render import fill, words
from sparing.segment import Segment, Volatility
from sparing.usage import Origin, Usage

FILE = "resume-check.txt"
FINDINGS = ("the first", "the second", "the third")
COUNTED = (["3"], ["three"])
"""How many there are, in any sentence."""
_NUMBERS = re.compile(r"\d+|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten)\b")
LINES = 140
"""Long enough that its transcript is worth a cache entry on every model."""
STEP_SECONDS = 1.0
RESUME_ITEMS = frozenset({"V1", "V2", "V3", "V4"})
"""Items that a resume depends on; the others decide something else."""


class Item(NamedTuple):
    name: str
    good: bool
    words: str


@dataclass(frozen=True, slots=True)
class CheckSetting:
    """Where and with what the check is run."""

    folder: Path
    """A worktree of its own; one file is written there and removed."""
    model: str
    at: float
    launch: Launch | None = None
    limit_seconds: float = 300.0
    limit_usd: float | None = None


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    items: tuple[Item, ...]
    share: float | None
    """V5: the share of the transcript that the resumed call read from the cache."""
    usage: Usage
    origin: Origin
    seconds: float
    chars: int
    """Characters of all that was sent."""
    certain: bool
    """True if no failure was due to a network, a provider or a login, which may pass."""

    @property
    def passed(self) -> bool:
        return not self.reason

    @property
    def reason(self) -> str:
        """Why sessions are not resumed; empty if they can be."""
        asked = (item for item in self.items if item.name in RESUME_ITEMS)
        return next((f"{item.name}: {item.words}" for item in asked if not item.good), "")


async def check_resume(backend: str, run: Run, place: CheckSetting) -> ResumeCheck:
    first_line = hashlib.sha256(f"{backend} {place.at}".encode()).hexdigest()
    path = place.folder / FILE
    path.write_text("\n".join((first_line, *_filler())))
    said = json.dumps({"findings": FINDINGS})
    seen = place.launch.place if place.launch else place.folder
    asked = (
        fill("blocks", "check_read", path=seen / FILE, object=said),
        fill("blocks", "check_first_line", path=FILE),
        fill("blocks", "check_count"),
    )
    replies: list[AgentReply] = []
    try:
        for number, text in enumerate(asked):
            session = replies[-1].session if replies else ""
            reply = await run(_call(place, number, text, session), lambda _: None)
            replies.append(reply)
            path.unlink(missing_ok=True)
            if reply.failure is not None or not reply.session:
                break
    finally:
        path.unlink(missing_ok=True)
    return _found(replies, first_line, sum(map(len, asked[: len(replies)])))


def _call(place: CheckSetting, number: int, text: str, session: str) -> AgentCall:
    return AgentCall(
        id=f"resume-check.{number + 1}",
        role="resume-check",
        stage="resume-check",
        iteration=number + 1,
        task="",
        system=words("blocks", "system_check"),
        prompt=(Segment("check", text, Volatility.ITERATION),),
        cwd=place.folder,
        folder="",
        access=Access.READ_ONLY,
        model=place.model,
        at=place.at + STEP_SECONDS * number,
        limit_seconds=place.limit_seconds,
        limit_usd=place.limit_usd,
        resume=session,
        launch=place.launch,
    )


def _found(replies: list[AgentReply], first_line: str, chars: int) -> ResumeCheck:
    return ResumeCheck(
        items=tuple(_items(replies, first_line)),
        share=_share(replies),
        usage=sum((reply.usage for reply in replies), Usage()),
        origin=replies[0].origin,
        seconds=sum(reply.seconds for reply in replies),
        chars=chars,
        certain=all(reply.failure in (None, Failure.INVALID_SESSION) for reply in replies),
    )


def _items(replies: list[AgentReply], first_line: str) -> Iterator[Item]:
    """Items up to the first that fails: what comes after it was not asked."""
    opening = replies[0]
    yield _item("V1", opening, "an id came back", "no id came back", good=bool(opening.session))
    if len(replies) < 2:
        return
    again = replies[1]
    # The id that a resumed call returns replaces the old one; it may be another.
    goes_on = bool(again.session and again.text.strip())
    yield _item("V2", again, "it continues after a tool call", "no answer came", good=goes_on)
    if again.failure is not None:
        return
    known = first_line in again.text
    yield _item(
        "V3", again, "a file it read is remembered", "a file it read is forgotten", good=known
    )
    if len(replies) < 3:
        return
    told = _NUMBERS.findall(replies[2].text.lower()) in COUNTED
    yield _item(
        "V4", replies[2], "its own reply is remembered", "its own reply is forgotten", good=told
    )


def _item(name: str, reply: AgentReply, yes: str, no: str, *, good: bool) -> Item:
    if reply.failure is not None:
        return Item(name, False, f"{reply.failure}: {reply.detail}")
    return Item(name, good, yes if good else no)


def _share(replies: list[AgentReply]) -> float | None:
    """The share of the first turn's final input that the second's first call read from cache."""
    if len(replies) < 2 or not (replies[0].calls and replies[1].calls):
        return None
    before, after = replies[0].calls[-1].usage, replies[1].calls[0].usage
    if before is None or after is None or not before.input:
        return None
    return min(1.0, after.read / before.input)


def _filler() -> Iterator[str]:
    return (
        f"{number} {hashlib.sha256(bytes([number % 256])).hexdigest()}" for number in range(LINES)
    )
