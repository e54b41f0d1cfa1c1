"""Orders beside an answer: refused where they make no sense, kept where no engine runs.

Covers: A6, K1
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sparing.desk.features import orders
from sparing.desk.features.orders import OrderTiming
from sparing.desk.features.skip_and_back import jump, plan_back, plan_skip
from sparing.desk.features.view import feature_view
from sparing.desk.office import Office
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.records import mailbox
from sparing.records.features import FeatureRow
from tests.desk.standing import NOW, PASSED, reload, settled, standing, started

AT = NOW + 20
Order = Callable[[Office, FeatureRow], object]


def letters(office: Office) -> list[tuple[str, str]]:
    with office.database.read() as connection:
        return [(one.verb, one.body) for one in mailbox.unread(connection)]


def skip(office: Office, row: FeatureRow) -> object:
    return jump(office, row, plan_skip(office, row), "terminal", AT)


def back(office: Office, row: FeatureRow) -> object:
    return jump(office, row, plan_back(office, row, "plan"), "terminal", AT)


def resume(office: Office, row: FeatureRow) -> object:
    return orders.resume(office, row, "terminal", AT)


def pause(office: Office, row: FeatureRow) -> object:
    return orders.pause(office, row, "terminal", AT)


def abandon(office: Office, row: FeatureRow) -> object:
    return orders.abandon(office, row, "terminal", AT)


def say(office: Office, row: FeatureRow) -> object:
    return orders.say(office, row, " use Redis ", "terminal", AT)


@pytest.mark.parametrize(
    ("order", "name", "letter"),
    [
        (skip, "at a gate", ("skip", "done")),
        (back, "stuck, acceptable", ("back", "plan")),
        (resume, "stuck", ("continue", "")),
        (pause, "under way", ("pause", "")),
        (abandon, "under way", ("abandon", "")),
        (say, "not begun", ("say", "use Redis")),
        (say, "under way", ("say", "use Redis")),
    ],
)
def test_an_order_becomes_a_letter(
    office: Office, order: Order, name: str, letter: tuple[str, str]
) -> None:
    order(office, standing(office, name))
    assert letters(office) == [letter]


@pytest.mark.parametrize(
    ("order", "name", "repair"),
    [
        (back, "under way", "first: sparing pause 001"),
        (resume, "not begun", "sparing run 001"),
        (resume, "under way", "sparing run 001"),
        (resume, "at a gate", "sparing show 001"),
        (pause, "at a gate", "sparing show 001"),
        (pause, "not begun", "sparing show 001"),
        (pause, "done", "sparing show 001"),
        (abandon, "done", "sparing show 001"),
        (say, "abandoned", "sparing show 001"),
        (skip, "stuck", 'sparing reject 001 "what should be different"'),
    ],
)
def test_an_order_that_makes_no_sense(office: Office, order: Order, name: str, repair: str) -> None:
    """K1: the command that helps, and nothing is written."""
    row = standing(office, name)
    with pytest.raises(SparingError) as caught:
        order(office, row)
    assert caught.value.repair == repair
    assert letters(office) == []


@pytest.mark.parametrize("name", ["not begun", "at a gate", "stuck"])
def test_giving_up_counts_at_once_while_nothing_runs(office: Office, name: str) -> None:
    row = standing(office, name)
    assert orders.abandon(office, row, "terminal", AT).counts is OrderTiming.NOW
    after = reload(office, row)
    assert after.status is FeatureStatus.ABANDONED
    assert feature_view(office, after).waits_for == ""
    with pytest.raises(SparingError):
        orders.abandon(office, after, "terminal", AT)


def test_an_order_for_a_leg_that_is_over(office: Office) -> None:
    """Somebody looked at a feature that has moved on since."""
    row = standing(office, "under way")
    settled(office, row, (PASSED,))
    for order in (pause, abandon):
        with pytest.raises(SparingError, match="has changed in the meantime"):
            order(office, row)


@pytest.mark.parametrize("words", ["", "x" * 4001, "bell\a"])
def test_words_that_can_not_be_said(office: Office, words: str) -> None:
    with pytest.raises(SparingError):
        orders.say(office, started(office), words, "terminal", AT)


@pytest.mark.parametrize(
    ("reason", "cause", "command"),
    [
        ("paused by you", Cause.PAUSED, "sparing resume 001"),
        ("auth: please log in again", Cause.FAILED, "sparing resume 001"),
        ("quota: until 14:00", Cause.FAILED, "sparing resume 001"),
        ("set-up failed: npm ci", Cause.FAILED, "sparing resume 001"),
        ("checks are red: test", Cause.FAILED, 'sparing reject 001 "what should be different"'),
    ],
)
def test_the_next_command_after_a_stop(
    office: Office, reason: str, cause: Cause, command: str
) -> None:
    """K1: what has nothing to do with the work is resumed, not rejected."""
    row = standing(office, "under way")
    stuck = settled(office, row, (Outcome(OutcomeKind.FAILED, reason=reason, cause=cause),))
    assert feature_view(office, stuck).next_command == command


def test_all_that_is_under_way_is_paused_at_once(office: Office) -> None:
    """K1: what waits or has not begun needs no order."""
    for name in ("under way", "at a gate", "not begun", "under way"):
        standing(office, name)
    assert [row.feature.id for row in orders.pause_all(office, "terminal", AT)] == ["001", "004"]
    assert [row.feature.id for row in orders.pause_all(office, "terminal", AT + 1)] == [
        "001",
        "004",
    ]
