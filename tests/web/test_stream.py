"""Events as they are streamed: every reader gets all of them in order, and they are read once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.responses import StreamingResponse

from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn_event import AgentAction
from sparing.web.site import Site, Watcher
from sparing.web.stream import BATCH, event_stream
from sparing.web.visit import Visit

READERS = 20


def add(office: Office, first: int, last: int) -> None:
    with office.database.write() as tx:
        if features.get(tx, f"{office.repository.key}-001") is None:
            row = answers.new_row(office, "Read along", "L1", 1, ("main", "0" * 40), {}, 0.0)
            features.create(tx, row)
        for n in range(first, last + 1):
            event = Event.of(
                AgentAction.SAYS, key=f"e{n}", feature=f"{office.repository.key}-001", at=float(n),
                stage="plan", role="builder", text=f"line {n}",
            )  # fmt: skip
            events.add(tx, event)


async def stream(office: Office, site: Site, after: str) -> AsyncGenerator[str]:
    visit = Visit(site, 0.0, {"repo": office.repository.key}, {}, "ada")
    answer = await event_stream(visit, after)
    assert isinstance(answer, StreamingResponse)
    async for chunk in answer.body_iterator:
        yield str(chunk)


async def read(streamed: AsyncGenerator[str], until: int) -> list[int]:
    """The numbers that came, up to one."""
    found: list[int] = []
    async for text in streamed:
        found += [int(n) for n in re.findall(r"^id: (\d+)$", text, re.MULTILINE)]
        if found and found[-1] >= until:
            break
    return found


def site_of(office: Office) -> Site:
    return Site(office.repository.checkout, lambda: 1_000.0)


def test_readers_get_every_event_in_order_wherever_they_begin(office: Office) -> None:
    """F8: one that was cut off reads on from its own number; more than one page is no matter."""
    most = 2 * BATCH + 7
    add(office, 1, most)

    async def all_of_them() -> list[list[int]]:
        site = site_of(office)
        begins = [0, 0, 5, BATCH, most - 1]
        opened = [stream(office, site, str(n)) for n in begins]
        found = await asyncio.gather(*(read(one, most) for one in opened))
        add(office, most + 1, most + 2)
        later = await asyncio.gather(*(read(one, most + 2) for one in opened))
        for one in opened:
            await one.aclose()
        return [[*a, *b] for a, b in zip(found, later, strict=True)]

    wanted = [list(range(n + 1, most + 3)) for n in (0, 0, 5, BATCH, most - 1)]
    assert asyncio.run(all_of_them()) == wanted


def test_what_many_ask_for_is_made_once_until_something_changes(office: Office) -> None:
    """F8: twenty readers of one run cost one look at the records, not twenty."""
    made: list[int] = []

    async def ask() -> None:
        watcher = Watcher(office)
        watcher.begin()
        turn = await watcher.wait(0, 240)
        asked = (watcher.share("page", lambda: made.append(turn)) for _ in range(READERS))
        await asyncio.gather(*asked)
        add(office, 1, 1)
        later = await watcher.wait(turn, 240)
        await watcher.share("page", lambda: made.append(later))
        watcher.end()

    asyncio.run(ask())
    assert len(made) == 2


def test_a_reader_that_leaves_takes_nothing_from_the_others(office: Office, tmp_path: Path) -> None:
    """F8: who asked first may hang up while the answer is being made."""
    file = tmp_path / "made"

    async def ask() -> str:
        watcher = Watcher(office)

        def make() -> str:
            while not file.exists():
                pass
            return "whole"

        first = asyncio.create_task(watcher.share("page", make))
        await asyncio.sleep(0)
        second = asyncio.create_task(watcher.share("page", make))
        await asyncio.sleep(0)
        first.cancel()
        file.touch()
        return await second

    assert asyncio.run(ask()) == "whole"
