"""Starting and stopping the engine: one per state folder.

Callers hold the engine's lock before they import this. Pickle is refused before the first row is
read. On one machine the executor's id is constant: each holder of the lock continues what the last
one left. On a server each process has its own id and claims features; those of a worker that is
gone continue from their last decision.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from dbos import DBOS, SetWorkflowID

from sparing.caching.keep_alive import keep_warm
from sparing.config.settings import EngineSettings
from sparing.engine import recorded_step
from sparing.engine.leg import leg
from sparing.engine.mail import legs_to_start, obey_all, start_of
from sparing.engine.revision import begin_anew, cancel_leg, cancel_others, is_other
from sparing.engine.system_database import database_errors, launch, not_replayable, refuse_pickle
from sparing.errors import SparingError
from sparing.fleet.arrival import bring, tell_put_off
from sparing.fleet.slots import Slots, open_slots
from sparing.fleet.worker_identity import Seat
from sparing.payment.killed_turns import settle_taken_over
from sparing.payment.paid_call import clear
from sparing.records.claims import Claimable, Due, Leg
from sparing.records.daily_backup import copy_daily
from sparing.records.features import FeatureRow
from sparing.runtime.source import row_of
from sparing.runtime.surroundings import Surroundings, set_current
from sparing.runtime.task_failures import leave_out_state_errors
from sparing.workspace.sandbox.launcher import sweep

DRAIN_LOOK_SECONDS = 0.2
REVIVALS = 20
UNREACHABLE = " can't be used: "  # what an error of the database says
TAKEN_OVER = "feature {} continues here from its last decision: its worker {} is gone"
ENDED = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
ANEW = "feature {} continues from its last decision: this version records its work differently"
LOST = (
    "the engine's database was damaged and is kept as {}; the feature continues from its last"
    " decision"
)


class Engine:
    """What a command that runs features may do with the engine; made by `running`."""

    def __init__(self, around: Surroundings, seat: Seat, slots: Slots, lost: str = "") -> None:
        self._around, self._seat, self._slots, self._lost = around, seat, slots, lost
        self._started: set[Leg] = set()
        self._revived: Counter[str] = Counter()

    async def tick(self, known: Due | None = None) -> bool:
        """Act on letters, claim legs and start them; returns whether features run here."""
        with database_errors(self._around.folder):
            if self._around.folder.server is None:
                await asyncio.to_thread(copy_daily, self._around.folder.path, time.time())
            if self._slots.closed:
                return False
            due = await asyncio.to_thread(self._seat.due, self._around.database, known)
            if due.letters:
                await asyncio.to_thread(obey_all, self._around, time.time())
            new = (due.letters or due.free) and await self._claim()
            if due.letters or new or due.legs - self._started:
                return await self._start()
            return bool(due.legs)

    async def _start(self) -> bool:
        """Start the legs that have to run here and do not yet."""
        rows = await asyncio.to_thread(legs_to_start, self._around, self._seat.executor)
        for row in rows:
            name = (row.feature.key, row.generation, row.leg)
            if name not in self._started:
                self._started.add(name)
                with SetWorkflowID(row.leg_id):
                    start = start_of(self._around, row)
                    await asyncio.to_thread(DBOS.start_workflow, leg, start)
        return bool(rows)

    async def look(self) -> None:
        """Called each second: remove lost workers, start legs. Raises if this worker is lost."""
        if (presence := self._seat.presence) is None:
            return
        presence.look()
        await asyncio.to_thread(presence.sweep)
        if await self.tick():
            await self._revive()

    async def drain(self) -> None:
        """Start nothing new; returns when running jobs have finished."""
        self._slots.closed = True
        if self._seat.presence is not None:
            await asyncio.to_thread(self._seat.presence.drain)
        while self._slots.at_work:
            await asyncio.sleep(DRAIN_LOOK_SECONDS)

    async def failed(self) -> dict[str, str]:
        """Legs that died, by id: of a bug, or of a full disk."""
        found = await DBOS.list_workflows_async(
            name="leg", status=ENDED, load_input=False, executor_id=self._seat.executor
        )
        return {status.workflow_id: str(status.error) for status in found}

    async def repair(self) -> None:
        """Begin a leg anew, as a new generation, that died, would die of a recorded error, can't be
        read or was recorded another way. On a server the one who takes a feature over does."""
        await self._claim()
        if self._around.folder.server is not None:
            return
        others = await cancel_others()
        # Before the dead are counted: one that dies meanwhile is among the one or the other.
        foreign = await asyncio.to_thread(not_replayable, self._around.folder)
        dead = set(await self.failed())
        for row in await asyncio.to_thread(legs_to_start, self._around, self._seat.executor):
            if _has(row, foreign):
                await DBOS.cancel_workflow_async(row.leg_id, cancel_children=True)
            if self._lost:
                await begin_anew(self._around, row, time.time(), LOST.format(self._lost))
            elif _has(row, others) or await is_other(row.leg_id):
                await begin_anew(self._around, row, time.time(), ANEW.format(row.feature.id))
            elif _has(row, foreign) or row.leg_id in dead:
                await begin_anew(self._around, row, time.time())

    async def _claim(self) -> bool:
        """Returns whether there was something to claim."""
        found = await asyncio.to_thread(self._seat.claim, self._around.database)
        for one in found:
            if self._around.travel is None and not one.previous:
                continue  # nothing to fetch, nobody to take over from
            row = await asyncio.to_thread(row_of, self._around, one.key)
            try:
                await asyncio.to_thread(self._bring, row, one.disk == self._seat.disk)
            except SparingError as error:
                tell_put_off(self._around.database, row, time.time(), error)
                await asyncio.to_thread(self._seat.put_off, self._around.database, one)
                if self._seat.only is not None:
                    raise  # a person asked for it here and now
                continue
            if one.previous:
                await self._take_over(one, row)
        return bool(found)

    def _bring(self, row: FeatureRow, was_here: bool) -> None:
        around, folder = self._around, self._around.folder.worktree(row.feature.name)
        bring(around.travel, row, was_here, folder, lambda: around.worktree(row, row.head))

    async def _take_over(self, one: Claimable, row: FeatureRow) -> None:
        """Continue the leg of a worker that is gone, as a new generation."""
        await cancel_leg(row)
        here = one.disk == self._seat.disk
        await asyncio.to_thread(settle_taken_over, self._around, one.key, books_here=here)
        told = TAKEN_OVER.format(row.feature.id, one.previous)
        await begin_anew(self._around, row, time.time(), told)

    async def _revive(self) -> None:
        """Restart legs that died because the server was unreachable; other failures are
        reported."""
        if not (dead := await self.failed()):
            return
        for row in await asyncio.to_thread(legs_to_start, self._around, self._seat.executor):
            key, why = row.feature.key, dead.get(row.leg_id, "")
            if UNREACHABLE in why and self._revived[key] < REVIVALS:
                self._revived[key] += 1
                await cancel_leg(row)
                await begin_anew(self._around, row, time.time())


@asynccontextmanager
async def running(
    around: Surroundings, settings: EngineSettings, concurrency: int, seat: Seat
) -> AsyncGenerator[Engine]:
    """Launch the engine, recover unfinished work, and shut everything down at the end."""
    refuse_pickle()
    leave_out_state_errors(asyncio.get_running_loop())
    recorded_step.arm(settings.crash_at)
    slots = open_slots(concurrency)
    await asyncio.to_thread(clear, around)
    await asyncio.to_thread(sweep, around.folder.scratch)
    restore = set_current(around)
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    try:
        with database_errors(around.folder):
            lost = launch(around.folder, seat.executor)
            engine = Engine(around, seat, slots, lost)
            await engine.repair()
        warming = asyncio.create_task(keep_warm(around))
        try:
            yield engine
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
    finally:
        DBOS.destroy(destroy_registry=False)
        restore()


def _has(row: FeatureRow, names: Sequence[str]) -> bool:
    """Whether one of these workflows is the feature's leg, or a job of it."""
    return any(f"{name}.".startswith(f"{row.leg_id}.") for name in names)
