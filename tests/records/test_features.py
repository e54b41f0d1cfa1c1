"""Features: one number each, and no call that comes twice or late puts one back.

Covers: A4, A6, I1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.connection import Connection
from sparing.database import Database
from sparing.feature import FeatureStatus
from sparing.records import features, mailbox
from sparing.records.features import FeatureRow
from tests.records.rows import IntegrityErrors, feature_row, make_database, running_row, waiting_row

PLACE = {"state": {"stage": "implement"}, "head": "c9"}
KEY = feature_row().feature.key


def stored(database: Database) -> FeatureRow:
    with database.read() as connection:
        found = features.get(connection, KEY)
    assert found is not None
    return found


def test_a_feature_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    """A4"""
    row = replace(running_row(leg=3, generation=2), overrides={"flow.gates": ["plan"], "n": 1})
    database = make_database(tmp_path, row)
    assert stored(database) == row
    assert row.leg_id == "r-001.g2.3"


def test_an_unknown_feature_is_none(tmp_path: Path) -> None:
    with make_database(tmp_path).read() as connection:
        assert features.get(connection, "r-002") is None


def test_a_number_is_given_once_in_a_repository(tmp_path: Path) -> None:
    """A4: two starts at once can't both have it; another repository can."""
    database = make_database(tmp_path, feature_row(1))
    twice = replace(feature_row(1), feature=replace(feature_row(1).feature, key="other"))
    with pytest.raises(IntegrityErrors), database.write() as tx:
        features.create(tx, twice)
    with database.write() as tx:
        features.create(tx, feature_row(1, repository="/s"))
    with database.read() as connection:
        assert [row.feature.key for row in features.list_all(connection)] == ["r-001", "s-001"]


def test_features_are_listed_by_number(tmp_path: Path) -> None:
    database = make_database(tmp_path, *(feature_row(number) for number in (10, 2, 1)))
    with database.read() as connection:
        assert [row.feature.number for row in features.list_all(connection)] == [1, 2, 10]
        assert features.highest_number(connection) == 10


def test_without_features_the_highest_number_is_zero(tmp_path: Path) -> None:
    with make_database(tmp_path).write() as tx:
        tx.execute("delete from features")
        assert features.highest_number(tx) == 0


def test_a_planned_feature_begins_once(tmp_path: Path) -> None:
    database = make_database(tmp_path)
    with database.write() as tx:
        assert features.set_running(tx, KEY, (0, 0), 101.0)
        assert not features.set_running(tx, KEY, (0, 0), 102.0)
    expected = replace(feature_row(), status=FeatureStatus.ACTIVE, running=True, updated=101.0)
    assert stored(database) == expected


def test_a_leg_ends_once(tmp_path: Path) -> None:
    """I1: the step that ends it may be repeated after a crash."""
    database = make_database(tmp_path, running_row())
    ended = replace(
        running_row(),
        place=PLACE,
        head="c9",
        running=False,
        status=FeatureStatus.COMPLETED,
        updated=105.0,
    )
    with database.write() as tx:
        assert features.settle(tx, KEY, (0, 0), PLACE, "c9", FeatureStatus.COMPLETED, 105.0)
        assert not features.settle(tx, KEY, (0, 0), {}, "c1", FeatureStatus.ACTIVE, 106.0)
    assert stored(database) == ended


def test_an_answer_begins_the_next_leg_once(tmp_path: Path) -> None:
    """A6: whoever repeats it holds the row of the leg before."""
    before = waiting_row()
    database = make_database(tmp_path, before)
    with database.write() as tx:
        assert features.next_leg(tx, before, 110.0) == 1
        assert features.next_leg(tx, before, 111.0) == 1
    assert stored(database) == replace(before, leg=1, running=True, updated=110.0)


def test_a_leg_that_died_begins_anew_under_another_id(tmp_path: Path) -> None:
    """I1"""
    before = running_row(leg=2)
    database = make_database(tmp_path, before)
    with database.write() as tx:
        features.next_generation(tx, before, 110.0)
        features.next_generation(tx, before, 111.0)
    after = stored(database)
    assert after == replace(before, generation=1, updated=110.0)
    assert (before.leg_id, after.leg_id) == ("r-001.g0.2", "r-001.g1.2")


def test_a_running_leg_says_how_far_it_is(tmp_path: Path) -> None:
    database = make_database(tmp_path, running_row(leg=2))
    with database.write() as tx:
        mailbox.progress(tx, KEY, (0, 2), PLACE, "c9")
    assert stored(database) == replace(running_row(leg=2), place=PLACE, head="c9")


def test_a_leg_hears_what_it_was_told_until_it_decides(tmp_path: Path) -> None:
    """A6: an order that arrives while a move is being decided counts for that move."""
    row = running_row(leg=2)
    database = make_database(tmp_path, row)
    letters = (row.leg_id, "pause", "abandon")
    with database.write() as tx:
        assert mailbox.progress(tx, KEY, (0, 2), PLACE, "c9", letters=letters) == ""
        sent = mailbox.Letter(0, KEY, "pause", row.leg_id, "", "ada")
        mailbox.post(tx, "one", sent, 100.0)
        assert mailbox.progress(tx, KEY, (0, 2), PLACE, "c9", letters=letters) == "pause"
        assert mailbox.progress(tx, KEY, (0, 2), PLACE, "c9", letters=("other", "pause")) == ""
        assert mailbox.progress(tx, KEY, (1, 2), PLACE, "c9", letters=letters) is None


Call = Callable[[Connection, FeatureRow], object]
CALLS: dict[str, Call] = {
    "begin": lambda tx, row: features.set_running(tx, KEY, (row.generation, row.leg), 999.0),
    "settle": lambda tx, row: features.settle(
        tx, KEY, (row.generation, row.leg), {}, "late", FeatureStatus.ACTIVE, 999.0
    ),
    "progress": lambda tx, row: mailbox.progress(tx, KEY, (row.generation, row.leg), {}, "late"),
    "next leg": lambda tx, row: features.next_leg(tx, row, 999.0),
    "next generation": lambda tx, row: features.next_generation(tx, row, 999.0),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("now", [(1, 4), (2, 3), (2, 4)])
def test_a_call_of_an_earlier_leg_changes_nothing(
    tmp_path: Path, name: str, now: tuple[int, int]
) -> None:
    """I1: in all states, for every call: it belongs to its own leg and generation."""
    late = running_row(leg=3, generation=1)
    for running in (True, False):
        row = replace(running_row(leg=now[1], generation=now[0]), running=running)
        database = make_database(tmp_path / str(running), row)
        with database.write() as tx:
            CALLS[name](tx, late)
        assert stored(database) == row


@pytest.mark.parametrize("name", ["begin", "settle", "progress", "next generation"])
@pytest.mark.parametrize(
    "status", [FeatureStatus.ACTIVE, FeatureStatus.COMPLETED, FeatureStatus.ABANDONED]
)
def test_a_call_after_the_end_of_its_leg_changes_nothing(
    tmp_path: Path, name: str, status: FeatureStatus
) -> None:
    """I1: a feature at a gate waits on, one that is done stays done."""
    row = replace(waiting_row(), status=status)
    database = make_database(tmp_path, row)
    with database.write() as tx:
        CALLS[name](tx, row)
    assert stored(database) == row


def test_a_leg_at_work_is_not_overtaken(tmp_path: Path) -> None:
    """I1: the next leg begins when this one has ended."""
    database = make_database(tmp_path, running_row())
    with database.write() as tx:
        features.next_leg(tx, running_row(), 999.0)
    assert stored(database) == running_row()


@settings(max_examples=30, deadline=None)
@given(calls=st.lists(st.sampled_from(sorted(CALLS)), max_size=8))
def test_a_feature_never_goes_back(
    tmp_path_factory: pytest.TempPathFactory, calls: list[str]
) -> None:
    """I1: whatever is repeated in whatever order, legs and generations only grow, and a feature
    that has begun is never planned again."""
    database = make_database(tmp_path_factory.mktemp("features"))
    seen = [feature_row()]
    for name in calls:
        for row in list(seen):
            with database.write() as tx:
                CALLS[name](tx, row)
            now = stored(database)
            assert (now.generation, now.leg) >= (seen[-1].generation, seen[-1].leg)
            assert (now.status is FeatureStatus.PLANNED) <= (
                seen[-1].status is FeatureStatus.PLANNED
            )
            seen.append(now)
        seen = [seen[0], seen[-1]]
