"""The loop that was measured by hand, run again with the real client: each row, each layout."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

from bench import loop_workload as work
from bench.loop_client import Place, ask, ask_open, bill, place
from bench.loop_workload import LAYOUTS, Figures, Row
from sparing.double.plan import PlannedReply


class Ran(NamedTuple):
    name: str
    found: Figures
    known: Figures
    seconds: float

    @property
    def apart(self) -> float:
        """The largest share by which a figure is off."""
        if self.found.calls != self.known.calls:
            return 1.0
        pairs = zip(self.found, self.known, strict=True)
        return max(abs(found - known) / max(1, known) for found, known in pairs)


async def loop(row: Row) -> Ran:
    async with place(stock=row.client == "stock", life=row.life) as where:
        begin = time.perf_counter()
        if row.strategy == "one client, delta":
            await _open(where, row.gap_seconds)
        else:
            session = ""
            for version in range(work.ITERATIONS):
                where.wait(row.gap_seconds if version else 0)
                where.change(version)
                session = await _iteration(where, row.strategy, version, session)
        seconds = time.perf_counter() - begin
        name = f"{row.client:<6}{row.strategy:<24}{row.gap_seconds:>4} s  {row.life}"
        return Ran(name, bill(where), row.known, seconds)


async def _iteration(where: Place, strategy: str, version: int, session: str) -> str:
    said = PlannedReply(text=work.verdict(version))
    if strategy.startswith("resume") and session:
        again = (where.reads("spec"),) if strategy == "resume, reads again" else ()
        where.script(*again, said)
        return await ask(where, [work.delta(version)], session)
    if strategy.startswith("fresh, inline"):
        where.script(said)
        blocks = work.inline(version)
        return await ask(where, blocks if strategy.endswith("marked") else ["".join(blocks)])
    if strategy == "fresh, one read a call":
        where.script(*(where.reads(name) for name in work.NAMES), said)
    else:
        where.script(where.reads(*work.NAMES), said)
    return await ask(where, [work.by_reference(str(where.cwd), version)])


async def _open(where: Place, gap: float) -> None:
    first = (where.reads(*work.NAMES), PlannedReply(text=work.verdict(0)))
    turns = [(work.by_reference(str(where.cwd), 0), first)]
    turns += [
        (work.delta(n), (PlannedReply(text=work.verdict(n)),)) for n in range(1, work.ITERATIONS)
    ]
    await ask_open(where, turns, gap)


async def roles(layout: str) -> Ran:
    async with place() as where:
        begin = time.perf_counter()
        if layout == "one session reads, a fork a role":
            await _forked(where)
        else:
            for role in work.ROLES:
                await _role(where, layout, role)
        seconds = time.perf_counter() - begin
        return Ran(layout, bill(where)._replace(output=0), LAYOUTS[layout], seconds)


async def _role(where: Place, layout: str, role: str) -> None:
    said = PlannedReply(text=work.verdict(0))
    if layout == "one system prompt, marked, role last":
        where.script(said)
        shared = replace(where, system=work.system(work.SHORT_SYSTEM))
        await ask(shared, [work.lead() + work.documents(), work.task_of(role)])
        return
    own = replace(where, system=work.system(work.LONG_SYSTEM, role))
    if layout.endswith("inline"):
        where.script(said)
        await ask(own, [work.lead() + work.documents()])
    else:
        where.script(where.reads(*work.NAMES), said)
        await ask(own, [work.lead()])


async def _forked(where: Place) -> None:
    shared = replace(where, system=work.system(work.SHORT_SYSTEM))
    where.script(where.reads(*work.NAMES), PlannedReply(text="read"))
    base = await ask(shared, [work.lead(work.ASK_CHARS)])
    for role in work.ROLES:
        where.script(PlannedReply(text=work.verdict(0)))
        await ask(shared, [work.task_of(role)], base, fork=True)
