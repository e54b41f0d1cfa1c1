"""Raising a cap: what is refused, what is recorded, and when a parked feature goes on.

Covers: E3, A6
"""

from __future__ import annotations

import pytest

from sparing.desk.features.view import feature_view
from sparing.desk.money.caps import CapRequest, RaisedCap, raise_caps, stopped_by
from sparing.desk.money.cost import limits_of
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.money import CapMeasure, CapScope, Reached, to_nano
from sparing.records import mailbox
from sparing.records.features import FeatureRow
from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.desk.ledgers import office_with, park, spend
from tests.records.attempts import NOON

DOLLAR = 10**9
TOMORROW = NOON + 86_400
MONEY = Reached(CapScope.FEATURE, "", CapMeasure.MONEY, 0, 3 * DOLLAR, 4 * DOLLAR)


@pytest.fixture
def parked(user_repository: UserRepository) -> tuple[Office, FeatureRow]:
    """Two of four dollars are spent, and the next turn may take three."""
    office, row = office_with(user_repository(), feature_usd=4.0, turn_usd=3.0)
    spend(office, row, "1.0-builder", Usage(output=2_000_000))
    return office, park(office, row, MONEY)


def wish(
    measure: CapMeasure, amount: int, scope: CapScope = CapScope.FEATURE, stage: str = ""
) -> CapRequest:
    return CapRequest(scope, stage, {measure: amount})


def ask(office: Office, row: FeatureRow, wished: CapRequest, at: float = NOON) -> RaisedCap:
    return raise_caps(office, row, wished, "terminal", at)


def letters(office: Office) -> list[str]:
    with office.database.read() as connection:
        return [letter.verb for letter in mailbox.unread(connection)]


def test_a_raise_that_is_enough_lets_the_feature_go_on(parked: tuple[Office, FeatureRow]) -> None:
    """E3: the word waits in the mailbox for the engine."""
    office, row = parked
    assert feature_view(office, row).next_command == "sparing raise 001 --money 8.00"
    assert ask(office, row, wish(CapMeasure.MONEY, 5 * DOLLAR)) == RaisedCap(
        parked=True, stands=None
    )
    assert letters(office) == ["continue"]
    assert feature_view(office, row).next_command == "sparing run 001"
    assert limits_of(office, row, NOON).feature.nano_usd == 5 * DOLLAR


def test_one_that_is_not_says_what_still_stands(parked: tuple[Office, FeatureRow]) -> None:
    office, row = parked
    found = ask(office, row, wish(CapMeasure.MONEY, 5 * DOLLAR - 1))
    assert found.stands == Reached(
        CapScope.FEATURE, "", CapMeasure.MONEY, 2 * DOLLAR, 3 * DOLLAR, 5 * DOLLAR - 1
    )
    assert letters(office) == []


def test_another_cap_is_raised_and_the_feature_stays(parked: tuple[Office, FeatureRow]) -> None:
    office, row = parked
    found = ask(office, row, wish(CapMeasure.TOKENS, 10**9))
    assert found.stands is not None
    assert found.stands.measure is CapMeasure.MONEY
    assert limits_of(office, row, NOON).feature.tokens == 10**9


def test_the_same_words_twice_are_no_mistake(parked: tuple[Office, FeatureRow]) -> None:
    """The first ones may have been lost between the raise and the letter."""
    office, row = parked
    ask(office, row, wish(CapMeasure.MONEY, 5 * DOLLAR - 1))
    found = ask(office, row, wish(CapMeasure.MONEY, 5 * DOLLAR - 1))
    assert found.stands is not None


def test_a_cap_is_not_lowered(parked: tuple[Office, FeatureRow]) -> None:
    office, row = parked
    with pytest.raises(UsageError, match=r"money of feature already goes up to \$4.00"):
        ask(office, row, wish(CapMeasure.MONEY, 3 * DOLLAR))


def test_without_a_number_it_goes_on_if_that_is_allowed_by_now(
    parked: tuple[Office, FeatureRow],
) -> None:
    """E3: not yet."""
    office, row = parked
    with pytest.raises(UsageError) as caught:
        ask(office, row, CapRequest(CapScope.FEATURE, "", {}))
    assert caught.value.repair == "sparing raise 001 --money 8.00"
    assert letters(office) == []


def test_a_new_day_has_room_again(user_repository: UserRepository) -> None:
    """E3, K1: a day that is over is said to be over, and stands in nobody's way."""
    office, row = office_with(user_repository(), day_usd=4.0, turn_usd=3.0)
    spend(office, row, "1.0-builder", Usage(output=2_000_000))
    reached = Reached(
        CapScope.DAY, "2023-11-14", CapMeasure.MONEY, 2 * DOLLAR, 3 * DOLLAR, 4 * DOLLAR
    )
    stuck = park(office, row, reached)
    later = feature_view(office, stuck, TOMORROW)
    assert (
        later.waits_for
        == "your go-ahead: the money cap of 2023-11-14 stopped it, and that day is over"
    )
    assert later.next_command == "sparing raise 001"
    assert "2023-11-14" in feature_view(office, stuck, NOON).waits_for
    assert "is over" not in feature_view(office, stuck, NOON).waits_for
    with pytest.raises(UsageError, match="money of day 2023-11-14"):
        ask(office, stuck, CapRequest(CapScope.FEATURE, "", {}))
    assert ask(office, stuck, CapRequest(CapScope.FEATURE, "", {}), TOMORROW).stands is None


def test_a_stage_is_one_of_the_flow_s(parked: tuple[Office, FeatureRow]) -> None:
    office, row = parked
    with pytest.raises(UsageError, match="the flow L1 has no stage 'design'"):
        ask(office, row, wish(CapMeasure.MONEY, 50 * DOLLAR, CapScope.STAGE, "design"))
    ask(office, row, wish(CapMeasure.MONEY, 50 * DOLLAR, CapScope.STAGE, "plan"))
    assert limits_of(office, row, NOON).stage.nano_usd == 50 * DOLLAR


def test_a_feature_that_is_not_parked_is_raised_for_later(user_repository: UserRepository) -> None:
    office, row = office_with(user_repository())
    assert stopped_by(office, row) is None
    assert ask(office, row, wish(CapMeasure.MONEY, to_nano(60))) == RaisedCap(
        parked=False, stands=None
    )
    assert letters(office) == []
    with pytest.raises(UsageError, match="name what to raise"):
        ask(office, row, CapRequest(CapScope.FEATURE, "", {}))


def test_what_is_over_is_not_raised(parked: tuple[Office, FeatureRow]) -> None:
    office, row = parked
    with office.database.write() as tx:
        tx.execute("update features set status = 'completed'")
    from sparing.desk.features.view import reload

    with pytest.raises(FeatureError, match="feature 001 is completed"):
        ask(office, reload(office, row), wish(CapMeasure.MONEY, to_nano(60)))
