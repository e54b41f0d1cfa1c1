"""The only engine of a state folder: it excludes others and checks that its disk is writable.

Where the records are on a server, other machines may run features of the same repository: each
process is identified there by a lock that it holds, and runs the features that it claimed.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING

from sparing.cli.garbage import no_collection
from sparing.cli.screen import show_status
from sparing.config.process_environment import network_environment
from sparing.desk.office import Office
from sparing.runtime.disk import Disk
from sparing.runtime.engine_lock import engine_lock
from sparing.workspace.sandbox.policy import Reach

if TYPE_CHECKING:  # loaded when the engine starts, or where there is a server
    from sparing.engine.lifecycle import Engine as Engine
    from sparing.fleet.presence import Presence
    from sparing.fleet.travel import Travel
    from sparing.fleet.worker_identity import Seat
    from sparing.runtime.surroundings import Surroundings


class EngineSeat:
    def __init__(self, office: Office, reach: Reach, go_on: str) -> None:
        self.reach = reach
        self._office, self._go_on = office, go_on
        self._disk = Disk(office.folder.path)
        self._presence: Presence | None = None
        self.travel: Travel | None = None

    def take(self) -> None:
        self._disk.hold(self._go_on)
        if self._office.folder.server is None:
            return
        from sparing.fleet.presence import Presence
        from sparing.fleet.travel import open_travel
        from sparing.fleet.worker_identity import new_worker

        settings = self._office.loaded.settings
        worker = new_worker(
            self._office.folder.path, self._office.repository.checkout,
            (str(settings.agent.backend),), settings.agent.concurrency, self._office.person,
        )  # fmt: skip
        presence = Presence(self._office.database, worker, settings.engine.lease_seconds)
        remote, who = settings.state.remote, worker.id
        self.travel = open_travel(self._office.repository, remote, who, network_environment())
        if self.travel is not None:
            self.travel.probe()
        presence.begin()
        self._presence = presence

    def seat(self, only: Sequence[str] | None = None) -> Seat:
        """`only`: the features requested. On a single machine, any feature that has to run does."""
        from sparing.fleet.worker_identity import Seat

        if self._presence is None:
            return Seat()
        worker = self._presence.worker
        wanted = None if only is None else frozenset(only)
        most = worker.slots if only is None else None
        return Seat(worker.id, worker.disk, self._presence, wanted, most)

    def engine(self, around: Surroundings, own: Seat) -> AbstractAsyncContextManager[Engine]:
        """The engine, running until the block ends; the doors import it here alone."""
        with no_collection():
            from sparing.engine.lifecycle import running

        settings = self._office.loaded.settings
        return running(around, settings.engine, settings.agent.concurrency, own)

    def look(self) -> None:
        """Raise if others have taken over, or if nothing can be written any more."""
        self._disk.look(self._go_on)
        if self._presence is not None:
            self._presence.look()

    def leave(self) -> None:
        if self._presence is not None:
            self._presence.end()


@contextmanager
def engine_seat(
    office: Office, reach: Reach, go_on: str, *, takes_any: bool = False
) -> Generator[EngineSeat]:
    """`reach`: how far its agents are confined; `go_on`: the command that continues; `takes_any`:
    it begins whatever a person starts meanwhile."""
    with engine_lock(office.folder.engine_lock, takes_any=takes_any):
        if office.loaded.settings.notify.status_line:
            show_status("  starting …")  # the engine and its first step take seconds
        seat = EngineSeat(office, reach, go_on)
        seat.take()
        try:
            yield seat
        finally:
            seat.leave()
