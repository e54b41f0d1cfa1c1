"""V6: whether a five-minute request reads what another one cached for an hour.

The vendor documents both lifetimes but not this. A trunk cached for an hour in advance is useful
only if it works, and none is sent before a client and its provider have shown that it does: a new
text is sent once for an hour, then again for five minutes, followed by another prompt.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Run
from sparing.agents.checks.resume_check import STEP_SECONDS, CheckSetting, Item, ResumeCheck
from sparing.prompts.render import fill, words
from sparing.segment import Segment, Volatility

NAME = "V6"
LINES = 300
"""Long enough for a cache entry on every model."""
ENOUGH = 0.8
"""The share of what was cached for an hour that must be read; the text after it differs."""
YES = "five-minute requests read one-hour cache entries"
NO = "five-minute requests don't read one-hour cache entries"


class _Asked(NamedTuple):
    life: str
    tail: str


async def with_hour(found: ResumeCheck, run: Run, place: CheckSetting) -> ResumeCheck:
    """The check extended by V6, if both requests were answered."""
    text = "\n".join(_lines(place.at))
    asked = (
        _Asked("1h", words("blocks", "ping")),
        _Asked("5m", fill("blocks", "check_hour", number="6")),
    )
    replies: list[AgentReply] = []
    for number, one in enumerate(asked):
        reply = await run(_call(place, number, text, one), lambda _: None)
        replies.append(reply)
        if reply.failure is not None:
            break
    item = _item(replies) if all(one.failure is None for one in replies) else None
    return replace(
        found,
        items=(*found.items, item) if item else found.items,
        usage=sum((one.usage for one in replies), found.usage),
        seconds=found.seconds + sum(one.seconds for one in replies),
        chars=found.chars + sum(len(text) + len(one.tail) for one in asked[: len(replies)]),
    )


def _call(place: CheckSetting, number: int, text: str, asked: _Asked) -> AgentCall:
    return AgentCall(
        id=f"hour-check.{number + 1}",
        role="resume-check",
        stage="resume-check",
        iteration=number + 1,
        task="",
        system=words("blocks", "system_check"),
        prompt=(
            Segment("check", text, Volatility.FEATURE, mark=True),
            Segment("turn", asked.tail, Volatility.ITERATION),
        ),
        cwd=place.folder,
        folder="",
        access=Access.READ_ONLY,
        model=place.model,
        at=place.at + STEP_SECONDS * (number + 10),
        limit_seconds=place.limit_seconds,
        life=asked.life,
        ping=True,
        launch=place.launch,
    )


def _item(replies: list[AgentReply]) -> Item:
    first, second = (one.usage for one in replies)
    if not first.write_1h:
        return Item(NAME, False, "nothing was cached for an hour")
    good = second.read >= ENOUGH * first.write_1h
    return Item(NAME, good, YES if good else NO)


def _lines(at: float) -> list[str]:
    return [hashlib.sha256(f"{at} {number}".encode()).hexdigest() for number in range(LINES)]
