"""Steps that workers of a later version have recorded: an earlier one must not continue them."""

from __future__ import annotations

from contextlib import closing

from sparing.errors import StateError
from sparing.postgres import Server, connect_raw, server_errors

REVISIONS = (
    "select distinct substring(application_version from '^sparing-r([0-9]+)$') from"
    " (select application_version from workflow_status order by created_at desc limit 50) as latest"
    " where application_version ~ '^sparing-r[0-9]+$'"
)


def refuse_newer_steps(server: Server, known: int) -> None:
    """Raise if the latest steps have a higher revision than `known`."""
    with server_errors(server), closing(connect_raw(server, server.engine_schema)) as raw:
        found = raw.execute("select to_regclass('workflow_status')").fetchone()
        rows = raw.execute(REVISIONS).fetchall() if found and found[0] else []
    newest = max((int(row[0]) for row in rows), default=0)
    if newest > known:
        raise StateError(
            f"{server.shown} is in use by workers of a newer sparing (revision {newest} > {known}"
            " of its step records)",
            "install that version here too, then start the worker again",
        )
