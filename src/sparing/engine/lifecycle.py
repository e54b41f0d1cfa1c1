"""Starting and stopping the engine: one a state folder.

Callers hold the engine's lock before they import this. Pickle is refused before the first row
is read, and the executor's id is constant: whoever holds the lock continues what the last
holder left.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import dbos._serialization as serialization
import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos import DBOSPortableJSONSerializer as JSONSerializer
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from sparing.caching.keep_alive import keep_warm
from sparing.config.settings import EngineSettings
from sparing.connection import cleaned
from sparing.database import state_errors
from sparing.dispatch.paid_call import clear
from sparing.engine import recorded_step
from sparing.engine.leg import leg, open_slots
from sparing.engine.mail import legs_to_start, obey_all, start_of
from sparing.engine.revision import VERSION, begin_anew, cancel_others, is_other
from sparing.records.copies import copy_daily
from sparing.records.features import FeatureRow
from sparing.redact import Redactor
from sparing.runtime.surroundings import Surroundings, set_current
from sparing.workspace.sandbox.launcher import sweep

ENDED = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
ANEW = (
    "feature {} goes on from its last decision: this version of sparing records its work"
    " differently"
)
HALF_MADE = ("already exists", "duplicate column")
"""What its tables say after a death while they were made; that is not one transaction."""
LOST = (
    "the engine's database was damaged and is kept as {}; the feature goes on from its last"
    " decision"
)


class Engine:
    """What a door that runs features may do; made by `running`."""

    def __init__(self, around: Surroundings, lost: str = "") -> None:
        self._around = around
        self._lost = lost
        self._started: set[str] = set()

    async def tick(self) -> None:
        """Obey letters, start legs. Cheap; called again and again."""
        await asyncio.to_thread(copy_daily, self._around.folder.path, time.time())
        await asyncio.to_thread(obey_all, self._around, time.time())
        for row in await asyncio.to_thread(legs_to_start, self._around):
            if row.leg_id not in self._started:
                self._started.add(row.leg_id)
                with SetWorkflowID(row.leg_id):
                    # From a thread, so that it runs in the engine's own loop and not in this one.
                    await asyncio.to_thread(DBOS.start_workflow, leg, start_of(self._around, row))

    async def failed(self) -> dict[str, str]:
        """Legs that died, by id: of a bug, or of a full disk."""
        found = await DBOS.list_workflows_async(name="leg", status=ENDED, load_input=False)
        return {status.workflow_id: str(status.error) for status in found}

    async def repair(self) -> None:
        """A leg that died, can't be read or was recorded another way is begun anew, as a new
        generation."""
        others = await cancel_others()
        dead = set(await self.failed())
        foreign = await asyncio.to_thread(unreadable, self._around.folder.engine_database)
        for row in await asyncio.to_thread(legs_to_start, self._around):
            if _has(row, foreign):
                await DBOS.cancel_workflow_async(row.leg_id, cancel_children=True)
            if self._lost:
                await begin_anew(self._around, row, time.time(), LOST.format(self._lost))
            elif _has(row, others) or await is_other(row.leg_id):
                told = ANEW.format(row.feature.id)
                await begin_anew(self._around, row, time.time(), told)
            elif _has(row, foreign) or row.leg_id in dead:
                await begin_anew(self._around, row, time.time())


@asynccontextmanager
async def running(
    around: Surroundings, settings: EngineSettings, concurrency: int
) -> AsyncGenerator[Engine]:
    """Launch, recover what was left, and take everything back at the end."""
    refuse_pickle()
    recorded_step.arm(settings.crash_at)
    open_slots(concurrency)
    await asyncio.to_thread(clear, around)
    await asyncio.to_thread(sweep, around.folder.scratch)
    restore = set_current(around)
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    try:
        with _told(around.folder.engine_database):
            engine = Engine(around, _launch(around))
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


def _launch(around: Surroundings) -> str:
    """The new name of a database that could not be used, if so."""
    database = around.folder.engine_database
    lost = "" if not database.exists() or _is_sound(database) else set_aside(database)
    DBOS(config=_config(database, around.folder.redactor))
    try:
        DBOS.launch()
    except DBAPIError as error:
        if not any(words in str(error.orig) for words in HALF_MADE):
            raise
        DBOS.destroy(destroy_registry=False)
        lost = set_aside(database)
        DBOS(config=_config(database, around.folder.redactor))
        DBOS.launch()
    return lost


@contextmanager
def _told(database: Path) -> Generator[None]:
    """What keeps the engine from its database is a person's to repair: two lines."""
    try:
        yield
    except DBAPIError as error:
        with state_errors(database):
            raise error.orig or error from None


def set_aside(database: Path) -> str:
    """The name that it has now; everything in it can be made again from our own records."""
    kept = next(
        name
        for n in count(1)
        if not (name := database.with_name(f"{database.name}.damaged-{n}")).exists()
    )
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    database.rename(kept)
    return str(kept)


def _is_sound(database: Path) -> bool:
    """Without writing; a file that can't be opened at all is no matter of its content."""
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("pragma quick_check(1)").fetchone() == ("ok",)
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False


def _has(row: FeatureRow, names: Sequence[str]) -> bool:
    """Whether one of these workflows is the feature's leg, or a job of it."""
    return any(f"{name}.".startswith(f"{row.leg_id}.") for name in names)


def _config(path: Path, redactor: Redactor) -> DBOSConfig:
    url = f"sqlite:///{path}"
    return {
        "name": "sparing",
        "system_database_url": url,
        "system_database_engine": _sqlite(url, redactor),
        "executor_id": "engine",
        "application_version": VERSION,
        "enable_patching": True,
        "serializer": JSONSerializer(),
        "log_level": "CRITICAL",
        "notification_listener_polling_interval_sec": 0.05,
    }


def _sqlite(url: str, redactor: Redactor) -> sqlalchemy.Engine:
    """WAL with full sync: a step that is recorded survives a power cut. And no secret is."""
    engine = sqlalchemy.create_engine(url, pool_size=20, max_overflow=0, pool_timeout=60)

    def configure(connection: Any, _record: object) -> None:
        with_parts_of_seconds(connection)
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "busy_timeout=30000",
            "foreign_keys=ON",
            "journal_mode=WAL",
            "synchronous=FULL",
        ):
            connection.execute(f"PRAGMA {pragma}")

    def clean(*said: Any) -> tuple[str, Any]:
        _connection, _cursor, statement, parameters, _context, many = said
        if many:
            return statement, [cleaned(redactor, row) for row in parameters]
        return statement, cleaned(redactor, parameters)

    event.listen(engine, "connect", configure)
    event.listen(engine, "before_cursor_execute", clean, retval=True)
    return engine


def with_parts_of_seconds(connection: sqlite3.Connection) -> None:
    """DBOS takes it that from Python 3.12 on SQLite is 3.42 or newer, and asks for
    `unixepoch('subsec')`; an older one answers with nothing."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", -1, _epoch)


def _epoch(*how: str) -> float:
    return time.time() if "subsec" in how else int(time.time())


OURS = "portable_json"


def refuse_pickle() -> None:
    def refuse(*_: object) -> NoReturn:
        raise TypeError("pickle is refused")

    for name in ("serialize", "deserialize"):
        setattr(serialization.DefaultSerializer, name, refuse)


def unreadable(database: Path) -> list[str]:
    """Workflows under way whose rows are not in the one form that we write."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "select workflow_uuid from workflow_status"
            " where status in ('PENDING', 'ENQUEUED') and coalesce(serialization, '') <> ?",
            (OURS,),
        )
        return [row[0] for row in rows]
