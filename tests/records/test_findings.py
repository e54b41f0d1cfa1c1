"""What is open and what people ruled: replaced by the next look, never lost.

Covers: C2, C12, I1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.database import Database
from sparing.records.findings import (
    FindingRow,
    RulingRow,
    findings_of,
    put_findings,
    put_ruling,
    rulings_of,
)
from tests.records.rows import feature_row, make_database

KEY = feature_row().feature.key
OTHER = feature_row(2).feature.key
ROW = FindingRow(KEY, "specify", "F1", "spec-reviewer", 1, 1, "new", '{"id": "F1"}')
RULING = RulingRow(KEY, "specify", "F1", "dismissed", "we know", 10.0)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path, feature_row(1), feature_row(2))


def test_a_finding_is_replaced_by_its_latest_state(database: Database) -> None:
    """C2: under an id that stays; its order stays too."""
    second, design = ROW._replace(id="F2"), ROW._replace(stage="design")
    resolved = ROW._replace(state="resolved", last=2, body="{}", role="phase-reviewer")
    with database.write() as tx:
        put_findings(tx, [ROW, second, design, ROW._replace(feature=OTHER)])
        put_findings(tx, [resolved])
        put_findings(tx, [resolved])
    with database.read() as connection:
        assert findings_of(connection, KEY) == (resolved, second, design)
        assert findings_of(connection, KEY, "specify") == (resolved, second)
        assert findings_of(connection, KEY, "implement") == ()


def test_the_latest_ruling_stands(database: Database) -> None:
    """C2, I1: also when an older one is written once more after a crash."""
    later = RULING._replace(ruling="upheld", words="", at=20.0)
    with database.write() as tx:
        for row in (RULING, later, RULING, RULING._replace(stage="design")):
            put_ruling(tx, row)
        put_ruling(tx, RULING._replace(feature=OTHER))
    with database.read() as connection:
        assert rulings_of(connection, KEY) == (later, RULING._replace(stage="design"))
        assert rulings_of(connection, KEY, "design") == (RULING._replace(stage="design"),)


def test_a_ruling_outlives_the_finding_it_is_about(database: Database) -> None:
    """C12: a rerun stores the findings anew; what people said stays."""
    with database.write() as tx:
        put_ruling(tx, RULING)
        put_findings(tx, [ROW._replace(state="resolved")])
        assert rulings_of(tx, KEY) == (RULING,)


def test_half_a_character_stops_nobody(database: Database) -> None:
    """C14: a model's words may hold one."""
    with database.write() as tx:
        put_findings(tx, [ROW._replace(body="\ud800")])
        put_ruling(tx, RULING._replace(words="a \udfff b"))
        assert findings_of(tx, KEY)[0].body == "?"
        assert rulings_of(tx, KEY)[0].words == "a ? b"
