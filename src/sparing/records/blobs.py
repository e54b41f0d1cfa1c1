"""Texts and the secret of a team, in its database: what a state folder keeps in files."""

from __future__ import annotations

from sparing.database import Database
from sparing.errors import StateError

STORE = (
    "insert into blobs (digest, data) values (?, ?)"
    # One that was damaged is replaced.
    " on conflict (digest) do update set data = excluded.data where blobs.data <> excluded.data"
)


def put(database: Database, digest: str, data: bytes) -> None:
    """Store a text under its hash, once; readers are not notified, since no row refers to it
    yet."""
    with database.read() as connection:
        connection.execute(STORE, (digest, data))


def get(database: Database, digest: str) -> bytes:
    with database.read() as connection:
        row = connection.execute("select data from blobs where digest = ?", (digest,)).fetchone()
    if row is None:
        raise StateError(
            f"a stored text is missing: {digest[:12]}", "restore the database from its backup"
        )
    return bytes(row[0])


def digests(database: Database) -> list[str]:
    with database.read() as connection:
        return [str(row[0]) for row in connection.execute("select digest from blobs")]


def shared_secret(database: Database, name: str, new: bytes) -> bytes:
    """Return the stored secret, or store `new` and return it; concurrent callers get the same
    one."""
    with database.read() as connection:
        known = "select data from secrets where name = ?"
        if (row := connection.execute(known, (name,)).fetchone()) is None:
            made = "insert into secrets (name, data) values (?, ?) on conflict do nothing"
            connection.execute(made, (name, new))
            row = connection.execute(known, (name,)).fetchone()
        return bytes(row[0])
