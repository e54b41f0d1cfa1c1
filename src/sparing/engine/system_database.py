"""Where the engine's library keeps its own record of steps: a file, or a schema on the server.

It is a cache of work in flight: all of it can be made again from our own records. What is written
goes through the redactor, as everywhere, and a row in any form but JSON is never read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import Any, NoReturn

import dbos._serialization as serialization
import sqlalchemy
from dbos import DBOS, DBOSConfig
from dbos import DBOSPortableJSONSerializer as JSONSerializer
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from sparing.connection import cleaned, with_parts_of_seconds
from sparing.database import state_errors
from sparing.engine.revision import REVISION, VERSION
from sparing.engine.step_statements import use_plain_statements
from sparing.fleet.newer_steps import refuse_newer_steps
from sparing.postgres import Server, connect_raw, server_errors
from sparing.records.daily_backup import may_be_used, set_damaged_aside
from sparing.records.folder import StateFolder
from sparing.redact import Redactor

HALF_MADE = ("already exists", "duplicate column")
"""Errors after a crash while its tables were being created, which is not one transaction."""
UNREADABLE = (
    "select workflow_uuid from workflow_status where status in ('PENDING', 'ENQUEUED')"
    " and coalesce(serialization, '') <> 'portable_json'"
)
FAULTY = (
    "select workflow_uuid from workflow_status s where status <> 'SUCCESS' and exists (select 1"
    " from operation_outputs o where o.workflow_uuid = s.workflow_uuid and o.error is not null)"
    " union select workflow_uuid from workflow_status where name = 'job' and status = 'ERROR'"
)
"""A replay would only repeat the error, though its cause may be gone: the disk was full, say."""
MOST_CONNECTIONS = 20


def refuse_pickle() -> None:
    def refuse(*_: object) -> NoReturn:
        raise TypeError("pickle is refused")

    for name in ("serialize", "deserialize"):
        setattr(serialization.DefaultSerializer, name, refuse)


def launch(folder: StateFolder, executor: str) -> str:
    """Launch DBOS; returns the new name of a damaged database that was set aside, or ""."""
    if folder.server is not None:
        refuse_newer_steps(folder.server, REVISION)
        DBOS(config=_config(folder, executor))
        DBOS.launch()
        return ""
    use_plain_statements()
    database = folder.engine_database
    lost = "" if not database.exists() or may_be_used(database) else set_damaged_aside(database)
    DBOS(config=_config(folder, executor))
    try:
        DBOS.launch()
    except DBAPIError as error:
        if not any(words in str(error.orig) for words in HALF_MADE):
            raise
        DBOS.destroy(destroy_registry=False)
        lost = set_damaged_aside(database)
        DBOS(config=_config(folder, executor))
        DBOS.launch()
    return lost


@contextmanager
def database_errors(folder: StateFolder) -> Generator[None]:
    """Turn database errors into a two-line message for a person to repair."""
    try:
        yield
    except DBAPIError as error:
        server = folder.server
        with server_errors(server) if server else state_errors(folder.engine_database):
            raise error.orig or error from None


def not_replayable(folder: StateFolder) -> list[str]:
    """Workflows whose rows are not in the one form that we write, or end in a recorded error."""
    path = folder.engine_database
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return [row[0] for query in (UNREADABLE, FAULTY) for row in connection.execute(query)]


def _config(folder: StateFolder, executor: str) -> DBOSConfig:
    config: DBOSConfig = {
        "name": "sparing",
        "executor_id": executor,
        "application_version": VERSION,
        "enable_patching": True,
        "serializer": JSONSerializer(),
        "log_level": "CRITICAL",
        "notification_listener_polling_interval_sec": 0.05,
    }
    if folder.server is None:
        url = f"sqlite:///{folder.engine_database}"
        config["system_database_engine"] = _sqlite(url, folder.redactor)
    else:
        url = "postgresql+psycopg:///engine"  # the library checks one, and uses the engine
        config["system_database_engine"] = _postgres(folder.server, folder.redactor)
        config["dbos_system_schema"] = folder.server.engine_schema
        # Nothing of ours waits for a message: a listener would be a connection for nothing.
        config["use_listen_notify"] = False
    config["system_database_url"] = url
    return config


def _sqlite(url: str, redactor: Redactor) -> sqlalchemy.Engine:
    """WAL with full sync, so that a recorded step survives a power cut; secrets are removed."""
    engine = sqlalchemy.create_engine(
        url, pool_size=MOST_CONNECTIONS, max_overflow=0, pool_timeout=60
    )

    def configure(connection: Any, _record: object) -> None:
        with_parts_of_seconds(connection, time.time)
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "busy_timeout=30000",
            "foreign_keys=ON",
            "journal_mode=WAL",
            "synchronous=FULL",
        ):
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", configure)
    return _without_secrets(engine, redactor)


def _postgres(server: Server, redactor: Redactor) -> sqlalchemy.Engine:
    """The driver reads the address, so that passwords come from where it looks for them."""
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: _connect(server), pool_size=MOST_CONNECTIONS,
        max_overflow=0, pool_timeout=60, pool_pre_ping=True,
    )  # fmt: skip
    return _without_secrets(engine, redactor)


def _connect(server: Server) -> Any:
    return connect_raw(server, server.engine_schema)


def _without_secrets(engine: sqlalchemy.Engine, redactor: Redactor) -> sqlalchemy.Engine:
    def clean(*said: Any) -> tuple[str, Any]:
        _connection, _cursor, statement, parameters, _context, many = said
        if many:
            return statement, [cleaned(redactor, row) for row in parameters]
        return statement, cleaned(redactor, parameters)

    event.listen(engine, "before_cursor_execute", clean, retval=True)
    return engine
