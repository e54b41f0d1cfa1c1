"""A feature that asks for turns, without an engine and without an agent.

What stands around a turn is real: database, settings, state folder, reservations. The provider
keeps its own book (`Bill`), so that the ledger can be compared with it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sparing.agents.backend import AgentReply
from sparing.agents.scripted.conversation import BOOK
from sparing.config.sources import sources_here
from sparing.dispatch_policy import Way
from sparing.failure import Failure
from sparing.job import Job, JobKind, Ticket
from sparing.payment.paid_call import Permit, clear
from sparing.payment.spend import SpendRequest
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.records.folder import open_folder
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.sent import NaivePrompt, Sent
from sparing.turn import Turn
from sparing.usage import Origin, Usage
from sparing.workspace.git.repository import find_repository
from tests.records.rows import feature_row
from tests.repositories import make_repository

NOON = 1_700_000_000.0


def surroundings(folder: Path) -> Surroundings:
    repository = find_repository(make_repository(folder / "repository"))
    state = open_folder(folder / "state", repository.key)
    script = folder / "script.toml"
    script.write_text("")
    return Surroundings(
        state, state.database(), repository, sources_here(None), headless=True, environ={}
    )


def new_feature(around: Surroundings, number: int, **overrides: Any) -> FeatureRow:
    """With caps of its own, given as `feature_usd=1.5`."""
    caps = {f"caps.{name}": value for name, value in overrides.items()}
    script = around.folder.path.parent.parent / "script.toml"
    agent = {"agent.backend": "scripted", "agent.script": str(script), "engine.clock": "counted"}
    row = replace(feature_row(number, f"Feature {number}"), overrides={**agent, **caps})
    with around.database.write() as tx:
        features.create(tx, row)
    return row


def asking(around: Surroundings, row: FeatureRow, dispatch: str, **changes: Any) -> SpendRequest:
    """`dispatch` is the step's part of the id: generation, leg, move and name."""
    job = Job(JobKind.DISPATCH, changes.pop("stage", "plan"), "c0", dispatch, "builder", Turn.WRITE)
    ticket = Ticket(f"{row.feature.key}.{dispatch}", row.feature.key, NOON)
    words = dispatch.partition(".")[2].partition(".")[2]
    sent = Sent(f"prompt {words}", 400, Way.COMPOSE, "", "", "claude-sonnet-5", NaivePrompt())
    source, before = Source(around, row, job, None), changes.pop("before", 0)
    return SpendRequest(source, ticket, replace(sent, **changes), "write", before)


def reply(usage: Usage, text: str = "done", **changes: Any) -> AgentReply:
    plain = AgentReply(text, "session", usage, Origin.SIMULATED, context_tokens=100, seconds=20.0)
    return replace(plain, **changes)


@dataclass
class Bill:
    """The provider's book: what each attempt used, whether or not anybody heard of it."""

    used: dict[tuple[str, int], Usage] = field(default_factory=dict[tuple[str, int], Usage])

    def write(self, asked: SpendRequest, permit: Permit, usage: Usage) -> AgentReply:
        self.used[asked.ticket.id, permit.number] = usage
        call = f"{asked.ticket.id}.{permit.number}.{asked.sent.prompt[:8]}"
        asked.around.folder.scripted.mkdir(exist_ok=True)
        with (asked.around.folder.scripted / BOOK).open("a") as book:
            book.write(json.dumps({"call": call, **asdict(usage)}) + "\n")
        over = usage.total > permit.limit.tokens
        return reply(usage, failure=Failure.BUDGET if over else None)

    @property
    def total(self) -> Usage:
        return sum(self.used.values(), Usage())


class Killed(Exception):
    """The process died here."""


@contextmanager
def memory_folder() -> Generator[Path]:
    """In memory where there is such a place: thousands of transactions wait for no disk."""
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sparing-test-", dir=place) as folder:
        yield Path(folder)


@contextmanager
def restarting(around: Surroundings) -> Generator[None]:
    """After a kill the next process clears up, as the engine does before it launches."""
    try:
        yield
    except Killed:
        clear(around)
