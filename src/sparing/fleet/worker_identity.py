"""Under which name this process runs features, and which of them it claims.

On one machine there is one process per state folder, and its name is always the same: what the last
one left is its own. On a server every process has a unique name, so that no process takes the work
of a live one for its own.
"""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from sparing import __version__
from sparing.database import Database
from sparing.fleet.presence import Presence
from sparing.records import claims, workers
from sparing.records.claims import Claimable, Due
from sparing.records.workers import Worker

ALONE = "engine"
"""The one that runs features of a state folder."""
GRACE_SECONDS = 3.0
"""How long a feature waits for the worker that has its worktree and sessions."""


AGAIN_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Seat:
    executor: str = ALONE
    disk: str = ""
    presence: Presence | None = None
    only: frozenset[str] | None = None
    """Features that this process was asked for; None: any."""
    most: int | None = None
    """Legs at the same time; None: any number."""
    _seen: dict[str, float] = field(default_factory=dict[str, float])
    _avoided: dict[str, float] = field(default_factory=dict[str, float])

    def put_off(self, database: Database, one: Claimable) -> None:
        """Release a feature that can't run here now; others may claim it, and it is retried
        later."""
        self._avoided[one.key] = time.monotonic() + AGAIN_SECONDS
        with database.write() as tx:
            claims.release(tx, self.executor, one)

    def due(self, database: Database, known: Due | None = None) -> Due:
        """What there is to act on; `known` if it was read just now."""
        if known is None:
            with database.read() as connection:
                known = claims.due(connection, self.executor)
        if not known.free:
            self._seen.clear()
        return known

    def claim(self, database: Database) -> list[Claimable]:
        """Claim the features that are free and fit here."""
        if self.presence is None and self.most is None:
            return self._claim_alone(database)
        with database.read() as connection:
            free = claims.claimable(connection, self.executor)
            if not free:
                return []
            held = claims.of_worker(connection, self.executor) if self.most else ()
            others = workers.every(connection) if self.presence else ()
        disks = frozenset(one.disk for one in others)
        room = len(free) if self.most is None else self.most - len(held)
        keys = [one.key for one in self._ordered(free, disks)][: max(0, room)]
        if not keys:
            return []
        with database.write() as tx:
            return claims.claim(tx, self.executor, self.disk, keys)

    def _claim_alone(self, database: Database) -> list[Claimable]:
        """Without other workers: no one else writes if there is nothing to claim."""
        with database.write() as tx:
            free = self._ordered(claims.claimable(tx, self.executor), frozenset())
            claims.take(tx, self.executor, self.disk, free)
        return free

    def _ordered(self, free: Sequence[Claimable], disks: frozenset[str]) -> list[Claimable]:
        """Features last worked on here come first; those of another live worker only after a
        while."""
        now, wanted = time.monotonic(), list[Claimable]()
        for one in free:
            since = self._seen.setdefault(one.key, now)
            elsewhere = one.disk != self.disk and one.disk in disks
            unwanted = self.only is not None and one.key not in self.only
            if unwanted or now < self._avoided.get(one.key, 0.0):
                continue
            if not elsewhere or now - since >= GRACE_SECONDS:
                wanted.append(one)
        return sorted(wanted, key=lambda one: one.disk != self.disk)


def new_worker(
    folder: Path, checkout: Path, backends: Sequence[str], slots: int, person: str
) -> Worker:
    host = platform.node() or "host"
    return Worker(
        id=f"{host}-{os.getpid()}-{token_hex(3)}",
        host=host,
        person=person,
        process=os.getpid(),
        version=__version__,
        kernel=platform.release(),
        disk=hashlib.sha256(f"{host} {os.path.realpath(folder)}".encode()).hexdigest()[:12],
        checkout=str(checkout),
        backends=tuple(backends),
        slots=slots,
        started=time.time(),
    )
