"""Records what an agent does soon after it happens, for whoever watches."""

from __future__ import annotations

import asyncio
import time

from sparing.agents.backend import ANSWERING, AgentEvent
from sparing.database import Database
from sparing.errors import StateError
from sparing.job import Job, Ticket
from sparing.records.events import Event, add
from sparing.runtime import signals
from sparing.runtime.containment import Receipt
from sparing.runtime.events import event_of

BURST_SECONDS = 0.5


class Listener:
    """Records what the agent does soon after it happens, with one write per burst."""

    def __init__(self, database: Database, ticket: Ticket, job: Job, number: int) -> None:
        self._database, self._ticket, self._job = database, ticket, job
        self._number = number
        self._told = 0
        self._waiting: list[AgentEvent] = []
        self._receipt: Receipt | None = None
        self._written = time.monotonic()
        self._later: asyncio.TimerHandle | None = None

    def __call__(self, event: AgentEvent) -> None:
        if event.kind == ANSWERING:
            signals.answering(self._ticket.id)
            return
        self._waiting.append(event)
        if time.monotonic() - self._written > BURST_SECONDS:
            self.flush()
        elif self._later is None:
            # Whoever watches sees it soon, also if nothing follows for long.
            loop = asyncio.get_running_loop()
            self._later = loop.call_later(BURST_SECONDS, self._flush_in_time)

    def receipt(self, found: Receipt) -> None:
        """Set the receipt, to be written together with what the agent did."""
        self._receipt = found

    def _flush_in_time(self) -> None:
        """Called by a timer, which can't report errors: the end of the turn writes what is left,
        or says why nothing can be written."""
        waiting = self._waiting
        try:
            self.flush()
        except StateError:
            self._waiting = [*waiting, *self._waiting]

    def flush(self) -> None:
        told = self.rest()
        if told:
            with self._database.write() as tx:
                add(tx, *told)

    def rest(self) -> list[Event]:
        """What was not written yet, to be written by the caller."""
        ticket, job = self._ticket, self._job
        if self._later is not None:
            self._later.cancel()
            self._later = None
        events, self._waiting = self._waiting, []
        self._written = time.monotonic()
        told = list[Event]()
        for event in events:
            self._told += 1
            name = f"{event.kind}.{self._number}.{self._told}"
            told.append(event_of(ticket, job, event.kind, text=event.text, name=name))
        if self._receipt is not None:
            kind, text, data = self._receipt
            name = f"receipt.{self._number}"
            told.append(event_of(ticket, job, kind, text=text, data=data, name=name))
        return told
