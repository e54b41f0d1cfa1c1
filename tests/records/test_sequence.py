"""What came after what is a matter of the sequence, never of a clock. Covers: C9, C13, C16."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.commits.review_history import items_of, told_of
from sparing.database import Database
from sparing.finding import Finding, Severity, Verdict
from sparing.records import events, features, ledger, sessions, verdicts
from sparing.records.events import Event
from sparing.records.folder import open_folder
from sparing.review.history import write_history
from sparing.session import Session
from tests.records.attempts import NOON, WORST, attempt, result
from tests.records.rows import feature_row


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_folder(tmp_path, "r").database()
    with database.write() as tx:
        features.create(tx, feature_row())
    return database


PLANNED = (("quality", NOON), ("security", NOON + 5), ("spec", NOON + 10), ("fix", NOON + 3))
"""Siblings are planned five seconds apart; the round was quicker than that."""


def test_turns_of_a_quick_round_stay_in_order(database: Database) -> None:
    """C16: ledger and verdicts."""
    key = feature_row().feature.key
    with database.write() as tx:
        for name, at in PLANNED:
            turn = attempt(name, feature=key, role=name, started=at)
            number = ledger.begin(tx, turn, WORST)
            ledger.finish(tx, turn.dispatch, number, result(session=name))
            row = verdicts.VerdictRow(name, key, "plan", 1, "c", True, Verdict(name, True), at)
            verdicts.put(tx, row)
        found = ledger.of_feature(tx, key)
        said = verdicts.of_feature(tx, key)
    names = [name for name, _ in PLANNED]
    assert [row.attempt.role for row in found] == names
    assert [row.verdict.role for row in said] == names


def test_the_latest_session_is_the_one_used_last(database: Database) -> None:
    """C3: whatever its planned time says."""
    key = feature_row().feature.key
    with database.write() as tx:
        for stage, at in (("specify", NOON + 10), ("design", NOON + 3)):
            turn = attempt(stage, feature=key, started=at)
            ledger.finish(tx, turn.dispatch, ledger.begin(tx, turn, WORST), result(session=stage))
            kept = Session(stage, "author", "scripted", "m", 1, 1, 1, "c", at)
            sessions.put(tx, key, stage, kept)
        found = sessions.latest(tx, key, "author")
    assert found is not None
    assert found.id == "design"


def test_the_history_tells_looks_in_the_order_of_decisions(database: Database) -> None:
    """C13: what dispatches side by side told stands before the look they led to, by name."""
    key = feature_row().feature.key
    told = [
        ("b.unread", "unread", NOON),
        ("a.unread", "unread", NOON + 5),
        ("1.look", "look", NOON + 9),
        ("c.fallback", "fallback", NOON + 2),
        ("2.changes", "changes", NOON + 1),
    ]
    with database.write() as tx:
        for name, kind, at in told:
            events.add(tx, Event(name, key, at, kind))
        found = [one.key for one in told_of(tx, key)]
    assert found == ["a.unread", "b.unread", "1.look", "c.fallback", "2.changes"]


def test_a_tier_s_judge_is_in_the_history(database: Database) -> None:
    """C13, F9: with the ids that the builder is given, what could not be verified, and below it
    what the builder says; a reviewer's verdict is told by its loop alone."""
    key = feature_row().feature.key
    gap = Finding(Severity.BLOCKER, "Nobody is greeted.", location="a.py", quote="x = 1")
    wish = Finding(Severity.SUGGESTION, "Say it louder.")
    said = Verdict("judge", False, (wish, gap))
    with database.write() as tx:
        for name, stage in (("d1", "code_review"), ("d2", "specify")):
            row = verdicts.VerdictRow(
                name, key, stage, 1, "c", False, said, NOON, ("none", "absent")
            )
            verdicts.put(tx, row)
            events.add(tx, Event(f"{name}.verdict", key, NOON, "verdict", stage, "judge"))
        changes = {"changes": ["`F1`: changed"]}
        events.add(tx, Event("3.changes", key, NOON, "changes", "implement", data=changes))
        items = items_of(told_of(tx, key))
    assert write_history(items).splitlines()[2:] == [
        "## code_review · judge · iteration 1", "",
        "**Reviewer:** judge", "**Decision:** does not pass: back to implement", "",
        "**Findings:**", "- [suggestion] Say it louder.",
        "- [blocker] Nobody is greeted. (at: a.py)",
        "  State: F1, its quote does not stand there: unverified", "  Quote: x = 1", "",
        "**Changes made:**", "- `F1`: changed", "",
    ]  # fmt: skip
