"""All rows of one feature, as they stand: taken out of one database and put into another."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.codec import JsonObject
from sparing.connection import Connection
from sparing.records.transfer import order_of

TABLES = (
    *("ledger", "gates", "mailbox", "events", "verdicts", "findings", "rulings", "sessions"),
    *("raises", "quoted_facts", "sheet_parts"),
)
"""Those that name the feature a row belongs to; `features` and `resume_checks` are beside them."""


def rows_of(connection: Connection, feature: str) -> dict[str, list[JsonObject]]:
    """In the order in which they were written."""
    return {table: _rows(connection, table, "feature", feature) for table in TABLES}


def feature_columns(connection: Connection, feature: str) -> JsonObject:
    return _rows(connection, "features", "key", feature)[0]


def checks_of(connection: Connection, backend: str) -> list[JsonObject]:
    return _rows(connection, "resume_checks", "backend", backend)


def _rows(connection: Connection, table: str, column: str, value: str) -> list[JsonObject]:
    order = order_of(table)
    every = f"select * from {table} where {column} = ? order by {order}"  # noqa: S608 - our names
    return [dict(zip(row.keys(), row, strict=True)) for row in connection.execute(every, (value,))]


def put_rows(tx: Connection, rows: Mapping[str, list[JsonObject]]) -> None:
    """Into tables that have none of this feature. Columns that are not known here are passed over:
    another version may have recorded them."""
    for table in ("features", "resume_checks", *TABLES):
        found = tx.execute("select name from pragma_table_info(?)", (table,))
        known = [str(one[0]) for one in found]
        for row in rows.get(table, ()):
            named = [name for name in known if name in row]
            marks = ", ".join("?" * len(named))
            into = f"insert into {table} ({', '.join(named)}) values ({marks})"  # noqa: S608
            tx.execute(into, tuple(row[name] for name in named))
