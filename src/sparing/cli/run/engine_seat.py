"""The one engine of a repository: nobody else runs it, and its disk takes what it writes.

Where the records are on a server, that holds for all machines: a lock of the server, held by a
session. It is free when the process is killed or its machine is gone, and stays held while the
process is only stopped. After a restart of the server whoever had it takes it again, or ends.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sparing.errors import EngineBusy
from sparing.postgres import (
    ConnectionLost,
    PostgresConnection,
    Server,
    connect_alone,
    server_errors,
)
from sparing.records.folder import StateFolder
from sparing.runtime.disk import Disk
from sparing.runtime.engine_lock import engine_lock
from sparing.workspace.sandbox.policy import Reach

BUSY = "features of this repository are being run by another process, perhaps on another machine"


class EngineSeat:
    def __init__(self, folder: StateFolder, reach: Reach, go_on: str) -> None:
        self.reach = reach
        self._disk, self._go_on = Disk(folder.path), go_on
        self._server = folder.server
        self._session: PostgresConnection | None = None

    def take(self) -> None:
        if self._server is not None:
            self._hold(self._server)
        self._disk.hold(self._go_on)

    def look(self) -> None:
        """Raise if another process has it by now, or if nothing can be written any more."""
        self._disk.look(self._go_on)
        if self._server is not None:
            self._hold(self._server)

    def _hold(self, server: Server) -> None:
        try:
            with server_errors(server):
                if self._session is not None:
                    self._session.execute("select 1")
                    return
        except ConnectionLost:
            self.leave()
        with server_errors(server):
            session = connect_alone(server)
            name = (server.schema,)
            taken = session.execute("select pg_try_advisory_lock(hashtext(?), 0)", name)
            if not taken.fetchone()[0]:
                session.close()
                raise EngineBusy(BUSY, "see how far it is: sparing status")
            self._session = session

    def leave(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


@contextmanager
def engine_seat(folder: StateFolder, reach: Reach, go_on: str) -> Generator[EngineSeat]:
    """`reach`: how far its agents are confined; `go_on`: the command that continues."""
    with engine_lock(folder.engine_lock):
        seat = EngineSeat(folder, reach, go_on)
        seat.take()
        try:
            yield seat
        finally:
            seat.leave()
