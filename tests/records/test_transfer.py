"""The rows of one feature, taken out and put into other records.

Covers: I4, E2
"""

from __future__ import annotations

from pathlib import Path

from sparing.connection import Connection
from sparing.database import open_database
from sparing.records import features, gates
from sparing.records.gates import ApprovalRow
from sparing.records.schema import MIGRATIONS
from sparing.records.transfer import OF_FEATURE, feature_columns, put_rows, rows_of
from tests.records.rows import feature_row


def tables_with_feature(connection: Connection) -> set[str]:
    names = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
    columns = "select 1 from pragma_table_info(?) where name = 'feature'"
    return {name for (name,) in names if connection.execute(columns, (name,)).fetchone()}


def test_every_table_with_rows_of_a_feature_is_known(tmp_path: Path) -> None:
    """I4: a new one must be thought about."""
    database = open_database(tmp_path / "a.db", MIGRATIONS)
    with database.read() as connection:
        assert tables_with_feature(connection) == set(OF_FEATURE)


def test_approvals_travel_with_their_feature(tmp_path: Path) -> None:
    """E2: which sections an approval saw is known on the other side."""
    old, new = (open_database(tmp_path / f"{name}.db", MIGRATIONS) for name in "ab")
    row = feature_row()
    key = row.feature.key
    seen = ApprovalRow(key, "specify", {"spec.md": {"Goal": "abc"}}, "c" * 40, 5.0)
    with old.write() as tx:
        features.create(tx, row)
        gates.keep_approval(tx, seen)
    with old.read() as connection, new.write() as tx:
        put_rows(tx, {"features": [feature_columns(connection, key)], **rows_of(connection, key)})
    with new.read() as connection:
        assert gates.approvals_of(connection, key) == {"specify": seen}
