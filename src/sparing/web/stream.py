"""Events as they happen, for a page that stays open.

Reads only the records, so it continues while no engine runs, and after one was killed. Every
message has the event's number: a browser that was cut off asks for what came after the last one it
got. Nothing is queued for any client. A slow reader is simply not written to, and continues from
its own number. All clients at the same number are sent one text, read and formatted once.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from sparing.codec import JsonObject, dump
from sparing.desk.features.event_line import event_line, number_of
from sparing.desk.features.history import events_page, latest_event
from sparing.desk.office import Office
from sparing.errors import SparingError
from sparing.printable import printable
from sparing.records.events import Event
from sparing.web.visit import Visit

BATCH = 200
"""Most events at once: what one reader holds in memory."""
IDLE_SECONDS = 15.0
"""Seconds between messages if nothing happens, to detect clients that are gone."""
LONGEST = 4_000
"""Most characters of a text in one message."""
RETRY = "retry: 1000\n\n"
_NUMBER = re.compile(r"(?m)^id: \d+\n")


async def event_stream(visit: Visit, after: str) -> Response:
    # Not the visit's own: this one is used for as long as somebody listens.
    office = await run_in_threadpool(visit.site.office_of_events, visit.path["repo"])
    feature = visit.query.get("feature", "")
    key = f"{office.repository.key}-{feature}" if feature else ""
    latest = await run_in_threadpool(latest_event, office)
    # A number from before the records were replaced would wait for ever.
    begin = min(int(after), latest) if after.isascii() and after.isdigit() else latest
    return _streamed(_news(visit, office, key, begin))


async def board_stream(visit: Visit) -> Response:
    """The events of all repositories in one stream, as a browser has few connections to a server.

    From now on, and without numbers, since each repository has its own.
    """
    found = await run_in_threadpool(_offices, visit)
    return _streamed(_together([_news(visit, one, "", latest) for one, latest in found]))


def _offices(visit: Visit) -> list[tuple[Office, int]]:
    found: list[tuple[Office, int]] = []
    for one in visit.site.repositories():
        with suppress(SparingError):
            office = visit.site.office_of_events(one.key)
            found.append((office, latest_event(office)))
    return found


def _streamed(news: AsyncGenerator[str]) -> Response:
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(news, media_type="text/event-stream", headers=headers)


async def _together(streams: Sequence[AsyncGenerator[str]]) -> AsyncGenerator[str]:
    """Merge streams, queuing at most about one message for each."""
    queue: asyncio.Queue[str] = asyncio.Queue(maxsize=len(streams) or 1)

    async def pour(stream: AsyncGenerator[str]) -> None:
        async for text in stream:
            await queue.put(_NUMBER.sub("", text))

    tasks = [asyncio.create_task(pour(one)) for one in streams]
    try:
        while True:
            yield await queue.get()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _news(visit: Visit, office: Office, key: str, begin: int) -> AsyncGenerator[str]:
    yield RETRY
    seen, after = -1, begin
    async with visit.site.watch(office) as watcher:
        while True:
            turn = await watcher.wait(seen, IDLE_SECONDS)
            if turn == seen:
                yield ": nothing new\n\n"
                continue
            seen, text = turn, ""
            while True:
                page = partial(_page, watcher.office, after, key)
                found = await watcher.share((after, key), page)
                text, after = found.text, found.last
                if not found.more:
                    break
                yield text
            # Rows change without an event, too: the page looks whether what it shows still stands.
            yield f"{text}event: changed\ndata: {turn}\n\n"


class _EventPage(NamedTuple):
    text: str
    last: int
    """The number of its last event."""
    more: bool
    """True if there may be more. Anything written later counts as another change."""


def _page(office: Office, after: int, key: str) -> _EventPage:
    found = events_page(office, after, key, BATCH)
    last = found[-1].n if found else after
    return _EventPage(_messages(found), last, more=len(found) == BATCH)


def _messages(found: Sequence[Event]) -> str:
    told = ((event.n, event_json(event)) for event in found)
    return "".join(
        f"id: {n}\ndata: {json.dumps(one)}\n\n" if one else f"id: {n}\n\n" for n, one in told
    )


def event_json(event: Event) -> JsonObject | None:
    """The event, safe to show as text; None if it is not shown."""
    line = event_line(event)
    if line is None:
        return None
    shown = line._replace(
        words=_shown(line.words),
        said=_shown(line.said),
        aside=_shown(line.aside),
        commands=tuple(map(_shown, line.commands)),
    )
    facts = {"n": event.n, "at": event.at, "stage": event.stage, "feature": number_of(event)}
    return {**facts, **dump(shown)}


def _shown(text: str) -> str:
    return printable(text)[:LONGEST]
