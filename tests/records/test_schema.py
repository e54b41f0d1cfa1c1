"""A state folder that an earlier version wrote is carried on, with all that was spent.

Covers: E2, E3, I4
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sparing.database import open_database
from sparing.errors import StateError
from sparing.records import ledger, totals
from sparing.records.ledger import AttemptState
from sparing.records.schema import MIGRATIONS
from sparing.usage import Usage
from tests.records.attempts import FEATURE, WORST, attempt
from tests.records.rows import feature_row

RELEASED = ("afe418266e73b36e",)
"""How the hashes of the schemas begin that people may have on their disks."""

FIRST = (
    "insert into ledger (dispatch, attempt, feature, stage, role, iteration, task, way, reason,"
    " backend, model, session, prompt, prompt_chars, naive, started, uncached, read, write_5m,"
    " write_1h, output, origin, calls, context_tokens, seconds, files_read, reply, failure, detail)"
    " values (?, ?, ?, 'plan', 'builder', 1, '', 'compose', '', 'scripted', 'claude-sonnet-5', '',"
    " 'hash', 400, '{}', 1700000000.0, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', 'reply', '', '')"
)


def first_schema(folder: Path) -> Path:
    """A database as the first version left it: a turn with its bill, and one that was killed."""
    path = folder / "sparing.db"
    database = open_database(path, MIGRATIONS[:1])
    with database.write() as tx:
        row, created = feature_row(), "insert into features values (?, 1, ?, ?, 'L1', '/r', 'main',"
        created += " 'c0', 100.0, 'planned', '{}', 0, 0, ?, 'c0', 0, 100.0)"
        names = (row.feature.key, row.feature.slug, row.feature.title, json.dumps(row.place))
        tx.execute(created, names)
        tx.execute(FIRST, ("d1", 1, FEATURE, 1, 2, 3, 4, 5, "simulated", "[]", 10, 20.0))
        tx.execute(FIRST, ("d2", 1, FEATURE, *[None] * 6, None, None, None))
    return path


def test_a_released_schema_never_changes() -> None:
    found = tuple(hashlib.sha256(text.encode()).hexdigest()[:16] for text in MIGRATIONS)
    assert found[: len(RELEASED)] == RELEASED


def test_spending_of_the_first_version_counts(tmp_path: Path) -> None:
    """E3: an upgrade resets nothing."""
    database = open_database(first_schema(tmp_path), MIGRATIONS)
    with database.read() as connection:
        known, killed = ledger.of_feature(connection, FEATURE)
        tally = totals.get(connection, "feature", FEATURE)
        kept = {scope: totals.every(connection, scope) for scope in totals.SCOPES}
        added = {scope: totals.of_feature(connection, FEATURE, scope) for scope in totals.SCOPES}
    assert (known.outcome, killed.outcome) == (AttemptState.KNOWN, AttemptState.UNKNOWN)
    assert (tally.turns, tally.unknown, tally.unpriced) == (2, 1, 1)
    assert (tally.usage, tally.charged_tokens) == (Usage(1, 2, 3, 4, 5), 15)
    assert list(kept["day"]) == ["2023-11-14"]
    assert {scope: list(names) for scope, names in kept.items()} == {
        scope: list(names) for scope, names in added.items()
    }


def test_old_turns_get_their_price_and_new_ones_are_added(tmp_path: Path) -> None:
    """E2, E3: money of before the upgrade is caught up with."""
    database = open_database(first_schema(tmp_path), MIGRATIONS)
    with database.write() as tx:
        ledger.price(tx, lambda _model, usage, _size: 1000 * usage.total)
        ledger.begin(tx, attempt(), WORST)
    with database.read() as connection:
        tally = totals.get(connection, "feature", FEATURE)
    assert (tally.turns, tally.unpriced, tally.nano_usd) == (3, 0, 15_000)
    assert tally.charged_nano_usd == 15_000 + (WORST.nano_usd or 0)


def test_an_upgrade_that_is_killed_is_begun_again(tmp_path: Path) -> None:
    """I4: all or nothing."""
    path = first_schema(tmp_path)
    broken = (*MIGRATIONS[:1], MIGRATIONS[1] + ";\ncreate table totals (x)")
    with pytest.raises(StateError, match="totals"):
        open_database(path, broken)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma user_version").fetchone() == (1,)
    with open_database(path, MIGRATIONS).read() as connection:
        assert totals.get(connection, "feature", FEATURE).turns == 2
