"""Savings out of a ledger: what can be replayed is, what can't is counted.

Covers: E4
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sparing.desk.money.feature_records import basis_of
from sparing.desk.money.figures import project_report
from sparing.desk.money.lever_savings import economy_of
from sparing.desk.money.model_costs import model_costs
from sparing.desk.office import Office
from sparing.records import ledger
from sparing.records.features import FeatureRow
from sparing.report.savings_table import Economy
from sparing.sent import NaivePrompt
from sparing.usage import Usage
from tests.desk.reviewing import asked
from tests.desk.standing import NOW, standing, started
from tests.records.attempts import attempt, result

NAIVE = NaivePrompt(("p", 6_000), ("r", 500), ("judge", 2_000))
TRUNK, ROLE = ["document", 5_000, "5m", "spec"], ["words", 500, "", "role"]


def kept(*blocks: list[Any], **more: Any) -> dict[str, Any]:
    """A row as an engine leaves it: what else could have been sent stands beside it."""
    compose = {"blocks": [TRUNK, ROLE, *blocks]}
    fresh = [ROLE, ["paths", 80, "", "references"], *blocks]
    seed = {
        "fresh": fresh, "fresh_chars": 2_500, "reads": [5_000, 1],
        "full": [ROLE, [*TRUNK[:2], "", "spec"], *blocks],
    }  # fmt: skip
    ways = {"compose": compose, **more.pop("ways", {})}
    return {
        "base": 2_300, "resumed": False, "predicted": {"compose": {"cost": 1.0}},
        "beside": {"ways": ways, "seed": {**seed, **more.pop("seed", {})}, "base": "b"}, **more,
    }  # fmt: skip


def sent(office: Office, row: FeatureRow, number: int, **changes: Any) -> None:
    asked(
        office, row, changes.pop("dispatch", f"d{number}"),
        **{
            "stage": "specify", "role": f"reviewer-{number}", "trunk": "t",
            "naive": replace(NAIVE, role=(f"r{number}", 500), prompt=(f"p{number}", 6_000)),
            "started": NOW + 60 * number, "sent": kept([f"turn {number}", 40, "", "turn"]),
            **changes,
        },
    )  # fmt: skip


def found(office: Office, row: FeatureRow) -> Economy:
    economy = economy_of(office, [basis_of(office, row)])
    assert economy is not None
    return economy


@pytest.mark.parametrize(
    ("flow", "policy", "ladders"),
    [
        ("feature", "adaptive", ["naive", "seed"]),
        ("feature", "seed", ["naive"]),
        ("L1", "adaptive", ["naive"]),
    ],
)
def test_two_reviewers_share_a_document(
    office: Office, flow: str, policy: str, ladders: list[str]
) -> None:
    """E4: each ladder leads to the same run, in dollars; none from the original where the run is
    the original's, or where that would go on in one session, which nothing replays."""
    row = started(office, flow=flow, **{"review.policy": policy})
    sent(office, row, 1)
    sent(office, row, 2)
    economy = found(office, row)
    assert (economy.turns, economy.left_out, economy.in_money) == (2, 0, True)
    assert economy.origin == "simulated"
    assert economy.billed == pytest.approx(0.04)
    for ladder in economy.ladders:
        saved = sum(step.saved for step in ladder.steps)
        assert ladder.cost - saved == pytest.approx(economy.replayed)
    assert [one.baseline for one in economy.ladders] == ladders
    assert {step.lever for step in economy.naive.steps} == {"scope", "trunk"}
    assert economy.bound < economy.replayed


def test_what_can_t_be_replayed_is_counted_and_left_out(office: Office) -> None:
    """E4: no end, no calls, or a row of an older version."""
    row = started(office)
    sent(office, row, 1)
    sent(office, row, 2, usage=None)
    sent(office, row, 3, sent={})
    sent(office, row, 4, sent={"base": 10, "predicted": {"compose": {"cost": 1.0}}})
    economy = found(office, row)
    assert (economy.turns, economy.left_out) == (1, 3)
    assert "3 turns can't be replayed and are in none of these figures" in economy.notes


def test_one_turn_is_spoken_of_as_one(office: Office) -> None:
    """E4, K1: a number and its verb agree."""
    row = started(office)
    sent(office, row, 1)
    sent(office, row, 2, usage=None)
    notes = found(office, row).notes
    assert "1 turn can't be replayed and is in none of these figures" in notes


def test_a_model_without_a_price(office: Office) -> None:
    """E2: input tokens instead of money, and said so."""
    row = started(office)
    sent(office, row, 1, model="nobody-knows-it")
    economy = found(office, row)
    assert not economy.in_money
    assert economy.billed == economy.replayed
    assert economy.amount(1234.0) == "1,234"


def test_a_ping_is_no_turn_of_the_naive_way(office: Office) -> None:
    """E4: it reads the session of the role that it is sent for, and changes nothing in it."""
    row = started(office)
    again = {
        "ways": {"resume": {"blocks": [["delta", 90, "", "delta"]]}},
        "seed": {"delta": [["delta", 90, "", "delta"]], "delta_chars": 300},
    }
    sent(office, row, 1, role="spec-author", dispatch="first")
    sent(
        office, row, 5, role="keep-alive", template="keep-alive", way="resume", naive=NaivePrompt(),
        dispatch="x.keep-alive-spec-author",
        sent={"base": 2_300, "blocks": [], "resumed": True},
    )  # fmt: skip
    sent(office, row, 9, role="spec-author", way="resume", sent=kept(**again), iteration=2)
    economy = found(office, row)
    assert (economy.turns, economy.left_out) == (3, 0)
    assert {step.lever for step in economy.naive.steps} >= {"resume", "keep-alive"}


def test_files_that_came_along_are_estimated(office: Office) -> None:
    """E4: in neither sum; and levers that one run can't judge are named, as are those off."""
    row = started(office)
    more: dict[str, Any] = {
        "noted": True, "given": ["a.py", "b.py", "c.py"], "levers": ["trunk", "map", "notes"],
        "off": {"trim": "the backend's tools answer the model directly"},
    }  # fmt: skip
    sent(office, row, 1, template="review", iteration=2, sent=kept(**more))
    economy = found(office, row)
    assert [(one.lever, one.origin) for one in economy.beyond] == [("preload", "estimated")]
    assert all(one.saved > 0 for one in economy.beyond)
    assert (economy.untold, list(economy.off)) == (("map",), ["trim"])
    assert (
        "switched on, but one run can't tell what it saved: map (a map of the repository)"
        in economy.notes
    )


def test_a_repository_is_the_sum_of_its_features(office: Office) -> None:
    """E4"""
    rows = [standing(office, "under way") for _ in range(2)]
    for number, row in enumerate(rows):
        sent(office, row, 1, dispatch=f"{number}")
    whole = project_report(office).economy
    one = found(office, rows[0])
    assert whole is not None
    assert whole.turns == 2
    assert whole.naive.cost == pytest.approx(2 * one.naive.cost)
    assert whole.bound == pytest.approx(2 * one.bound)


def test_where_nothing_was_sent_nothing_is_said(office: Office) -> None:
    """E4"""
    assert economy_of(office, [basis_of(office, started(office))]) is None


def test_the_bill_is_what_was_billed(office: Office) -> None:
    """E4: measured stays measured; what the replay does not explain is shown by itself."""
    row = started(office)
    one = attempt(sent=kept(), naive=NAIVE, trunk="t", stage="specify", role="r")
    with office.database.write() as tx:
        number = ledger.begin(tx, _of(one, row), ledger.Amount(1, 1))
        bill = result(Usage(uncached=9_000, output=5), nano_usd=90_000_000)
        ledger.finish(tx, one.dispatch, number, bill)
    economy = found(office, row)
    assert economy.billed == pytest.approx(0.09)
    assert economy.differs
    assert economy.unexplained == pytest.approx(0.09 - economy.replayed)


def _of(one: ledger.Attempt, row: FeatureRow) -> ledger.Attempt:
    from dataclasses import replace

    return replace(one, feature=row.feature.key)


def test_a_lever_that_some_turns_had_was_not_off_all_along(office: Office) -> None:
    """E4, E6: its record may switch it off in the middle of a feature."""
    row = started(office)
    why = "its own record: over 5 groups it cost 2.5 % more than prompts without it"
    on: dict[str, Any] = {"levers": ["trunk", "hour"], "off": {"trim": "no"}}
    late: dict[str, Any] = {"levers": ["hour"], "off": {"trim": "no", "trunk": why}}
    for number, levers in enumerate((on, on, late)):
        sent(office, row, number, sent=kept([f"turn {number}", 40, "", "turn"], **levers))
    assert found(office, row).off == {"trim": "no", "trunk": f"{why} (in 1 of 3 turns)"}


def test_the_table_of_models_begins_with_what_was_billed(office: Office) -> None:
    """E4: also where the bill is not what the group would cost by itself."""
    row = started(office)
    for number in range(2):
        told = kept([f"turn {number}", 40, "", "turn"], group="reviewer/documents")
        sent(office, row, number, sent=told, nano_usd=50_000_000)
    (group,) = model_costs(office, basis_of(office, row)).rows
    assert group.cost_usd == pytest.approx(0.1)
    cheap = {one.model_class: one for one in group.on}["cheap"]
    assert 0.05 < cheap.cost_usd < 0.1, "what it saves is small beside this bill"
