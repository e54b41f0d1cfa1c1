"""What was spent, by each of the six questions, and what may follow.

Covers: E2, E3, E5
"""

from __future__ import annotations

import json

import pytest

from sparing.desk.money.cost import By, costs, feature_costs
from sparing.desk.money.forecast import outlook, outlook_words
from sparing.desk.office import Office
from sparing.money import Billing, CapScope
from sparing.records.features import FeatureRow
from sparing.report.cost import cost_csv
from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.desk.ledgers import office_with, spend
from tests.records.attempts import NOON


@pytest.fixture
def spent(user_repository: UserRepository) -> tuple[Office, FeatureRow]:
    office, row = office_with(user_repository())
    spend(office, row, "1.0-builder", Usage(read=900, output=100))
    spend(office, row, "2.0-builder", Usage(read=900, output=100), stage="implement", way="resume")
    spend(office, row, "3.0-judge", None, role="judge", stage="implement")
    spend(
        office, row, "4.0-judge", Usage(output=50), role="judge", stage="done", nano_usd=None,
        model="nobody-knows", started=NOON + 86_400, billing=Billing.SUBSCRIPTION,
    )  # fmt: skip
    return office, row


@pytest.mark.parametrize(
    ("by", "turns"),
    [
        (By.FEATURE, {"001-make-a-file": 4}),
        (By.STAGE, {"plan": 1, "implement": 2, "done": 1}),
        (By.ROLE, {"builder": 2, "judge": 2}),
        (By.MODEL, {"claude-sonnet-5": 3, "nobody-knows": 1}),
        (By.WAY, {"compose": 3, "resume": 1}),
        (By.DAY, {"2023-11-14": 3, "2023-11-15": 1}),
    ],
)
def test_six_questions_one_answer(
    spent: tuple[Office, FeatureRow], by: By, turns: dict[str, int]
) -> None:
    """E2: of one feature and of all, which is the same while there is one."""
    office, row = spent
    one, every = feature_costs(office, row, by, NOON), costs(office, by)
    assert {found.name: found.turns for found in one.rows} == turns
    assert {found.name: found for found in every.rows} == {found.name: found for found in one.rows}
    assert one.total == every.total
    assert one.total.usage == Usage(read=1800, output=250)


def test_what_is_not_known_is_said(spent: tuple[Office, FeatureRow]) -> None:
    """E2: a killed turn and a model without a price make a total a lower bound."""
    office, row = spent
    found = feature_costs(office, row, By.STAGE, NOON)
    assert [(one.name, one.cost) for one in found.rows] == [
        ("plan", "$0.001"),
        ("implement", "≥$0.001"),
        ("done", "unknown"),
    ]
    assert (found.total.cost, found.total.unknown, found.total.unpriced) == ("≥$0.002", 1, 1)
    assert found.notes == (
        "simulated",
        "API-equivalent: paid by a subscription, priced as if by the token",
        "1 turn cut off: what that cost is unknown",
        "1 turn of models without a price: set models.prices",
    )


def test_caps_show_what_is_taken(spent: tuple[Office, FeatureRow]) -> None:
    """E3: the turn without an end holds a million tokens and a dollar."""
    office, row = spent
    found = feature_costs(office, row, By.STAGE, NOON)
    assert [cap.scope for cap in found.caps] == [CapScope.FEATURE, CapScope.STAGE, CapScope.DAY]
    assert found.caps[0].words == "feature: $1.00 of $40.00, 1.00M of 60.00M tokens"
    assert found.caps[1].words == "stage plan: $0.001 of $20.00, 1,000 of 30.00M tokens"


def test_a_spreadsheet_gets_empty_fields_for_unknown(spent: tuple[Office, FeatureRow]) -> None:
    office, row = spent
    head, *lines = cost_csv(feature_costs(office, row, By.STAGE, NOON)).splitlines()
    assert head.startswith("stage,turns,uncached,read,write_5m,write_1h,output,cost_usd,")
    assert lines[0] == "plan,1,0,900,0,0,100,0.001,0,0,12.5,simulated,False"
    assert lines[2] == "done,1,0,0,0,0,50,,0,1,12.5,simulated,True"


def test_the_first_forecast_is_from_the_workload(user_repository: UserRepository) -> None:
    """E5"""
    office, row = office_with(user_repository(), "feature")
    found = outlook(office, row)
    assert found.learned == 0
    assert outlook_words(found).endswith("tokens (estimated, from a simulated workload)")
    assert 0 < (found.low.nano_usd or 0) < (found.high.nano_usd or 0)


def test_later_ones_are_from_the_ledger(user_repository: UserRepository) -> None:
    """E5: from three finished features on, stage by stage."""
    path = user_repository()
    for count in (1, 2, 3):
        office, row = office_with(path)
        for stage in ("plan", "implement", "done"):
            spend(office, row, f"1.0-{stage}", Usage(output=count * 1000), stage=stage)
        with office.database.write() as tx:
            key = (row.feature.key,)
            place = tx.execute("select place from features where key = ?", key).fetchone()[0]
            marks = {"plan": [1, 2, 1, False], "implement": [1, 2, 1, False]}
            tx.execute(
                "update features set status = 'completed', place = ? where key = ?",
                (json.dumps({**json.loads(place), "marks": marks}), *key),
            )
    office, row = office_with(path)
    found = outlook(office, row)
    assert found.basis == "2 of 3 stages from features here"
    assert found.low.tokens == 2000 + 204_000


def test_a_forecast_needs_prices_for_money(user_repository: UserRepository) -> None:
    office, row = office_with(user_repository())
    from dataclasses import replace

    unknown = replace(row, overrides={"models.standard": "nobody-knows"})
    assert outlook_words(outlook(office, unknown)).startswith("money unknown, a model has no price")
