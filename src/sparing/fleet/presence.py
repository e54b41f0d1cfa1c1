"""Staying registered as alive on a server, and noticing workers that are gone.

A worker holds a lock of the server in a session of its own, and sends a query there regularly. A
session that is silent for longer than the lease is ended by the *server*, so a process that is only
suspended loses its lock like one that was killed. Clocks of different machines are never compared.

A worker found without its lock has its row removed. From that transaction on nothing that it writes
counts (`sparing.postgres`), and its features may be claimed.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from sparing.database import Database
from sparing.errors import ConfigError, StateError
from sparing.postgres import ConnectionLost, PostgresConnection, connect_alone, writer_gone
from sparing.postgres import server_errors as errors
from sparing.records import workers
from sparing.records.workers import Worker

BEATS = 6
"""Heartbeats that a worker sends within one lease."""
CLOCK_SECONDS = 300.0
"""How far a worker's clock may be from the server's: days and prices depend on it."""
LOCK = "select pg_try_advisory_lock(hashtext(?), hashtext(?))"
SILENT = (
    "select id from workers where id <> ?"
    " and now() - pg_postmaster_start_time() > ? * interval '1 second'"
    " and not exists (select 1 from pg_locks where locktype = 'advisory' and granted"
    " and classid::bigint = hashtext(?)::bigint & 4294967295"
    " and objid::bigint = hashtext(workers.id)::bigint & 4294967295"
    " and database = (select oid from pg_database where datname = current_database()))"
)
"""Workers without their lock. After a restart of the server, all have time to come back."""


class Presence:
    """One worker's registration on one server."""

    def __init__(self, database: Database, worker: Worker, lease_seconds: float) -> None:
        assert database.server is not None
        self.worker = worker
        self._database, self._server, self._lease = database, database.server, lease_seconds
        self._session: PostgresConnection | None = None
        self._ended, self._gone = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._speak, name="presence", daemon=True)
        self._since = time.monotonic()

    def begin(self) -> None:
        """Register the worker; what this process writes counts for as long as it is registered."""
        with errors(self._server):
            self._session = self._locked()
        self._refuse_clock(self._session)
        with self._database.write() as tx:
            workers.announce(tx, self.worker)
        self._database.writer[:] = [self.worker.id]
        self._thread.start()

    def end(self) -> None:
        """Unregister, so that its features can be claimed at once instead of after the lease."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(2 * self._lease)
        with suppress(StateError), self._database.write() as tx:
            workers.remove(tx, self.worker.id)
        self._database.writer.clear()
        if self._session is not None:
            self._session.close()

    def drain(self) -> None:
        """Show others that this worker is finishing and takes nothing new."""
        with self._database.write() as tx:
            workers.set_draining(tx, self.worker.id)

    def look(self) -> None:
        """Raise if others have taken over."""
        if self._gone.is_set():
            raise writer_gone(self.worker.id)

    def sweep(self) -> list[str]:
        """Take the rows of those away who lost their lock; who they were."""
        silent = SILENT, (self.worker.id, 2 * self._lease, self._server.schema)
        if time.monotonic() - self._since < 2 * self._lease:
            return []
        with self._database.read() as connection:
            if not connection.execute(*silent).fetchall():
                return []
        with self._database.write() as tx:
            found = [str(row[0]) for row in tx.execute(*silent)]
            return [one for one in found if workers.remove(tx, one)]

    def _speak(self) -> None:
        while not self._ended.wait(self._lease / BEATS):
            try:
                with errors(self._server):
                    assert self._session is not None
                    self._session.execute("select 1")
            except StateError:
                if not self._return():
                    self._gone.set()
                    return

    def _return(self) -> bool:
        """After a restart of the server, or a silence; False if others have taken over."""
        self._since = time.monotonic()
        while not self._ended.is_set():
            with suppress(StateError), errors(self._server):
                self._session = self._locked()
                with self._database.read() as connection:
                    known = workers.is_known(connection, self.worker.id)
                self._since = time.monotonic()
                return known
            time.sleep(self._lease / BEATS)
        return True

    def _locked(self) -> PostgresConnection:
        session = connect_alone(self._server)
        limit = str(int(1000 * self._lease))
        session.execute("select set_config('idle_session_timeout', ?, false)", (limit,))
        taken = session.execute(LOCK, (self._server.schema, self.worker.id)).fetchone()
        if not taken[0]:
            session.close()
            raise ConnectionLost("the previous session has not ended yet", "wait a moment")
        return session

    def _refuse_clock(self, session: PostgresConnection) -> None:
        there = float(session.execute("select extract(epoch from clock_timestamp())").fetchone()[0])
        if (fault := clock_fault(time.time(), there)) is not None:
            session.close()
            raise fault


def clock_fault(here: float, there: float) -> ConfigError | None:
    """What is wrong if this machine's clock and the server's differ too much."""
    ahead = here - there
    if abs(ahead) <= CLOCK_SECONDS:
        return None
    words = f"{abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'}"
    return ConfigError(
        f"this machine's clock is {words} the clock of the database",
        "correct it (timedatectl set-ntp true), then run the same command again",
    )
