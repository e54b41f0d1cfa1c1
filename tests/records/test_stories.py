"""What is told, kept and judged: events once, sessions replaced, verdicts to the letter."""

from __future__ import annotations

import string
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.database import Database
from sparing.finding import Finding, Severity, Verdict
from sparing.records import events, sessions, verdicts
from sparing.records.events import Event
from sparing.records.verdicts import VerdictRow
from sparing.session import Session
from tests.records.rows import feature_row, make_database

KEY = feature_row().feature.key
SESSION = Session("s1", "spec-reviewer", "scripted", "m", 900, 300, 1, "c0", 10.0)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
"""Without the one character that Postgres can't store, and that is replaced there."""
FINDINGS = st.builds(
    Finding,
    st.sampled_from(Severity),
    TEXT.filter(lambda text: bool(text.strip())),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
)
VERDICTS = st.builds(
    Verdict,
    st.text(string.ascii_lowercase + "-", min_size=1),
    st.booleans(),
    st.lists(FINDINGS, max_size=3).map(tuple),
    TEXT,
)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path, feature_row(1), feature_row(2))


def test_a_story_is_told_once(database: Database) -> None:
    """I1: a step that is repeated after a crash has the same key."""
    first = Event("k1", KEY, 1.0, "asks", "plan", "builder", "fresh", {"attempt": 1}, n=1)
    with database.write() as tx:
        events.add(tx, first)
        events.add(tx, replace(first, text="again", at=2.0))
    with database.read() as connection:
        assert events.since(connection, 0) == [first]


def test_events_since_a_number_and_of_one_feature(database: Database) -> None:
    with database.write() as tx:
        assert events.latest_number(tx) == 0
        for key, feature in (("a", "r-001"), ("b", "r-002"), ("c", "r-001")):
            events.add(tx, Event(key, feature, 1.0, "stage"))
    with database.read() as connection:
        assert [event.key for event in events.since(connection, 1)] == ["b", "c"]
        assert [event.key for event in events.since(connection, 0, "r-001")] == ["a", "c"]
        assert events.latest_number(connection) == 3


def test_the_id_a_resumed_call_returns_replaces_the_old(database: Database) -> None:
    """C3: with all that is kept beside it; other roles and stages have their own."""
    second = replace(SESSION, id="s2", iteration=2, commit="c1", context_tokens=500)
    with database.write() as tx:
        sessions.put(tx, KEY, "specify", SESSION)
        sessions.put(tx, KEY, "design", replace(SESSION, id="other"))
        sessions.put(tx, KEY, "specify", second)
    with database.read() as connection:
        assert sessions.get(connection, KEY, "specify", "spec-reviewer") == second
        assert sessions.get(connection, KEY, "specify", "phase-reviewer") is None
        assert sessions.get(connection, "r-002", "specify", "spec-reviewer") is None
        design = sessions.get(connection, KEY, "design", "spec-reviewer")
    assert design == replace(SESSION, id="other")


@settings(deadline=None)
@given(verdict=VERDICTS, passed=st.booleans())
def test_a_verdict_comes_back_word_for_word(
    tmp_path_factory: pytest.TempPathFactory, verdict: Verdict, passed: bool
) -> None:
    """C13, C18: what a reviewer said is what everyone later reads."""
    row = VerdictRow("d1", KEY, "specify", 1, "c0", passed, verdict, 5.0)
    database = make_database(tmp_path_factory.mktemp("verdicts"))
    with database.write() as tx:
        verdicts.put(tx, row)
    with database.read() as connection:
        assert verdicts.get(connection, "d1") == row
        assert verdicts.of_feature(connection, KEY) == [row]


def test_half_a_character_of_a_model_stops_nobody(database: Database) -> None:
    """C14: valid JSON can name one, and no database takes it."""
    half = "half \ud800 a character"
    finding = Finding(Severity.WARNING, half)
    row = VerdictRow("d", KEY, "specify", 1, "c", False, Verdict("r", False, (finding,), half), 5.0)
    with database.write() as tx:
        verdicts.put(tx, row)
        events.add(tx, Event("k", KEY, 1.0, "verdict", text=half))
        found = verdicts.get(tx, "d")
        told = events.since(tx, 0)
    assert found is not None
    assert found.verdict.findings == (finding,)
    assert [found.verdict.summary, told[0].text] == ["half ? a character"] * 2


def test_the_first_verdict_of_a_dispatch_stays(database: Database) -> None:
    """I1: reading a reply again gives no second opinion."""
    row = VerdictRow("d1", KEY, "specify", 1, "c0", True, Verdict("r", approved=True), 5.0)
    with database.write() as tx:
        verdicts.put(tx, row)
        verdicts.put(tx, replace(row, passed=False, at=6.0))
        assert verdicts.get(tx, "d1") == row
        assert verdicts.get(tx, "d2") is None


def test_verdicts_of_a_stage_in_the_order_they_came(database: Database) -> None:
    """C13"""
    row = VerdictRow("d1", KEY, "specify", 1, "c0", True, Verdict("r", approved=True), 5.0)
    rows = [row, replace(row, dispatch="d2", at=3.0), replace(row, dispatch="d3", stage="design")]
    with database.write() as tx:
        for one in rows:
            verdicts.put(tx, one)
        found = verdicts.of_feature(tx, KEY, "specify")
    assert [one.dispatch for one in found] == ["d1", "d2"]
