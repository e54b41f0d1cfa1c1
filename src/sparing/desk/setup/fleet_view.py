"""The workers of a repository on a shared database, for display."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.desk.office import Office
from sparing.records import claims, workers


@dataclass(frozen=True, slots=True)
class WorkerView:
    id: str
    host: str
    person: str
    checkout: str
    version: str
    kernel: str
    backends: tuple[str, ...]
    slots: int
    features: int
    """Number of features that it has claimed and runs."""
    seconds: float
    """Seconds since it started."""
    draining: bool


def worker_views(office: Office, at: float) -> list[WorkerView]:
    """The workers; empty if the records are in a file: see `engine_presence`."""
    if office.folder.server is None:
        return []
    with office.database.read() as connection:
        return [
            WorkerView(
                id=one.id,
                host=one.host,
                person=one.person,
                checkout=one.checkout,
                version=one.version,
                kernel=one.kernel,
                backends=one.backends,
                slots=one.slots,
                features=len(claims.of_worker(connection, one.id)),
                seconds=max(0.0, at - one.started),
                draining=one.draining,
            )
            for one in workers.every(connection)
        ]
