"""The same statements on SQLite and on Postgres: what is written is read again, to the last bit.

On SQLite by default; `make postgres` runs it, and the other suites of records, on a server.

Covers: I4, E2
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.database import Database
from sparing.records import events, features, findings, ledger, totals
from sparing.records.events import Event
from sparing.records.findings import FindingRow
from sparing.records.totals import Tally
from tests.records.attempts import FEATURE, WORST, attempt
from tests.records.rows import feature_row, make_database

MOST = 2**63 - 1


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path)


@pytest.mark.parametrize("at", [1794813704.5, 0.1, 1e-9, 4102444800.123456])
def test_times_come_back_to_the_last_bit(database: Database, at: float) -> None:
    """I4: seconds since 1970, with their fraction."""
    with database.write() as tx:
        features.create(tx, replace(feature_row(2), updated=at))
    with database.read() as connection:
        row = features.get(connection, feature_row(2).feature.key)
    assert row is not None
    assert row.updated == at


@pytest.mark.parametrize("amount", [0, 2_150_000_001, 10**15, MOST // 2])
def test_money_and_counts_have_sixty_four_bits(database: Database, amount: int) -> None:
    """E2: nano-dollars; a cap of 2.15 dollars is more than 32 bits hold."""
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        row = tx.execute("select * from ledger").fetchone()
        totals.add(tx, row, Tally(nano_usd=amount, output=amount))
    with database.read() as connection:
        tally = totals.get(connection, "feature", FEATURE)
    assert (tally.nano_usd, tally.output) == (amount, amount)


@pytest.mark.parametrize(
    "text", ["", "'; drop table features; --", "100 % ?", "größe 🜁 \u2028", "a\nb\tc", "x" * 70_000]
)
def test_texts_and_json_come_back(database: Database, text: str) -> None:
    """I4: signs that mean something in statements are texts like others."""
    told = Event(key="k", feature=FEATURE, at=1.0, kind="warning", text=text)
    with database.write() as tx:
        events.add(tx, told)
        features.override(tx, feature_row(), {"x": text})
    with database.read() as connection:
        (event,) = events.since(connection, 0)
        row = features.get(connection, FEATURE)
    assert row is not None
    assert (event.text, row.overrides["x"]) == (text, text)


def test_a_character_that_postgres_refuses_stops_nothing(database: Database) -> None:
    """I4: SQLite keeps it, Postgres has a mark in its place."""
    with database.write() as tx:
        events.add(tx, Event(key="k", feature=FEATURE, at=1.0, kind="warning", text="a\0b"))
    with database.read() as connection:
        (event,) = events.since(connection, 0)
    assert event.text in ("a\0b", "a\ufffdb")


def test_rows_come_in_the_order_in_which_they_were_written(database: Database) -> None:
    """I4: and names are compared byte by byte, whatever the server's language."""
    names = ["b", "Ä", "a", "Z", "_"]
    body = json.dumps({"into": ""})
    with database.write() as tx:
        rows = [FindingRow(FEATURE, "plan", name, "r", 1, 1, "open", body) for name in names]
        findings.put_findings(tx, rows)
        findings.put_findings(tx, [rows[2]._replace(last=2)])
        for name in names:
            figures = ", ".join(["1"] + ["0"] * 14)
            tx.execute(f"insert into totals values ('role', ?, {figures})", (name,))
    with database.read() as connection:
        assert [row.id for row in findings.findings_of(connection, FEATURE)] == names
        assert list(totals.every(connection, "role")) == sorted(names)
        assert findings.count_open(connection, FEATURE) == {"plan": 5}


def test_only_what_somebody_holds_open_is_counted(database: Database) -> None:
    """C2, K8: as a gate counts it; nobody does that with a suggestion nobody mentioned again."""
    states = ("new", "repeated", "contested", "resolved", "not repeated")
    bodies = [json.dumps({"into": into}) for into in ("", "F1")]
    with database.write() as tx:
        rows = [FindingRow(FEATURE, "plan", s, "r", 1, 1, s, bodies[0]) for s in states]
        findings.put_findings(
            tx, [*rows, FindingRow(FEATURE, "plan", "x", "r", 1, 1, "new", bodies[1])]
        )
    with database.read() as connection:
        assert findings.count_open(connection, FEATURE) == {"plan": 3}


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    """I1"""

    def fail() -> None:
        with database.write() as tx:
            features.create(tx, feature_row(3))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.read() as connection:
        assert features.get(connection, feature_row(3).feature.key) is None


def test_a_watcher_hears_of_each_commit_once(database: Database) -> None:
    """I2"""
    with database.watch() as changed:
        assert changed()
        assert not changed()
        with database.write() as tx:
            features.create(tx, feature_row(2))
        assert changed()
        assert not changed()
