"""One row an attempt, whatever becomes of it; unknown is never zero.

Covers: E2
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparing.database import Database
from sparing.errors import StateError
from sparing.money import Amount, Billing, to_nano
from sparing.records import ledger, totals
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.records.totals import FEATURE_STAGE, SCOPES, Tally
from sparing.runtime.stage_budget import MOST_TURNS
from sparing.usage import Origin, Usage
from tests.records.attempts import FEATURE, WORST, attempt, result
from tests.records.rows import make_database


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path)


def rows(database: Database) -> list[LedgerRow]:
    with database.read() as connection:
        return ledger.of_feature(connection, FEATURE)


def total(database: Database, scope: str = "feature", name: str = FEATURE) -> Tally:
    with database.read() as connection:
        return totals.get(connection, scope, name)


def test_a_row_has_everything_that_is_known_of_a_turn(database: Database) -> None:
    """E2: feature, stage, role, iteration, template, way, session, model, prompt, tokens in
    disjoint buckets, cost, duration, files read, error."""
    asked = attempt(iteration=2, task="1.1", template="revise", way="resume")
    bill = result(Usage(1, 2, 3, 4, 5), failure="timed out", detail="no result after 5 s")
    with database.write() as tx:
        number = ledger.begin(tx, asked, WORST)
        ledger.finish(tx, asked.dispatch, number, bill)
    assert rows(database) == [LedgerRow(asked, 1, AttemptState.KNOWN, WORST, bill)]


def test_a_killed_turn_leaves_its_row_marked_unknown(database: Database) -> None:
    """E2: its end was not seen, so its cost is unknown and what it held stays taken."""
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
    assert [row.outcome for row in rows(database)] == [AttemptState.OPEN]
    with database.write() as tx:
        ledger.close(tx)
    assert rows(database) == [LedgerRow(attempt(), 1, AttemptState.UNKNOWN, WORST, None)]
    tally = total(database)
    assert (tally.turns, tally.unknown, tally.nano_usd) == (1, 1, 0)
    assert (tally.charged_tokens, tally.charged_nano_usd) == (WORST.tokens, WORST.nano_usd)


def test_a_repeated_turn_is_another_attempt(database: Database) -> None:
    """E2: the one before it was killed, or it would not be repeated."""
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        assert ledger.begin(tx, attempt(), WORST) == 2
        ledger.begin(tx, attempt("other"), WORST)
    assert sorted((row.number, row.outcome) for row in rows(database)) == [
        (1, AttemptState.OPEN),
        (1, AttemptState.UNKNOWN),
        (2, AttemptState.OPEN),
    ]


def test_a_bill_is_recorded_once(database: Database) -> None:
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        ledger.finish(tx, attempt().dispatch, 1, result())
        ledger.finish(tx, attempt().dispatch, 1, result(Usage(output=99), reply="other"))
    assert [row.result for row in rows(database)] == [result()]
    assert total(database).output == 5


def test_a_bill_without_its_reservation_is_an_error(database: Database) -> None:
    """E2: a server that came back from an older copy has lost it; nothing is paid unseen."""
    with pytest.raises(StateError, match="has lost the reservation"), database.write() as tx:
        ledger.finish(tx, attempt().dispatch, 1, result())


def test_a_late_bill_is_better_than_none(database: Database) -> None:
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        ledger.close(tx)
        ledger.finish(tx, attempt().dispatch, 1, result())
    assert [row.outcome for row in rows(database)] == [AttemptState.KNOWN]
    assert total(database).charged_tokens == 35


def test_a_client_that_did_not_tell_its_usage_leaves_it_unknown(database: Database) -> None:
    """E2: it ended, but nobody knows what it took."""
    silent = replace(result(), usage=None, origin=None, nano_usd=None, failure="crashed")
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        ledger.finish(tx, attempt().dispatch, 1, silent)
    (row,) = rows(database)
    assert (row.outcome, row.result) == (AttemptState.UNKNOWN, silent)
    assert total(database).charged_tokens == WORST.tokens


def test_the_bill_takes_the_place_of_the_reservation(database: Database) -> None:
    """E3: settled afterwards, in every total the row belongs to."""
    with database.write() as tx:
        ledger.begin(tx, attempt(), WORST)
        ledger.finish(tx, attempt().dispatch, 1, result())
    for scope, name in [
        ("feature", FEATURE), (FEATURE_STAGE, f"{FEATURE} plan"), ("stage", "plan"),
        ("role", "builder"), ("model", "claude-sonnet-5"), ("way", "compose"),
        ("day", "2023-11-14"),
    ]:  # fmt: skip
        tally = total(database, scope, name)
        assert (tally.charged_tokens, tally.charged_nano_usd) == (35, to_nano("0.02")), scope
        assert (tally.simulated, tally.unknown, tally.seconds) == (1, 0, 12.5), scope


def test_a_subscription_is_priced_but_not_charged(database: Database) -> None:
    """E3: figures are API-equivalent, caps count tokens."""
    asked = attempt(billing=Billing.SUBSCRIPTION)
    with database.write() as tx:
        ledger.begin(tx, asked, Amount(1000, None))
        ledger.finish(tx, asked.dispatch, 1, result())
    tally = total(database)
    assert (tally.subscription, tally.nano_usd) == (1, to_nano("0.02"))
    assert (tally.charged_tokens, tally.charged_nano_usd) == (35, 0)


def test_turns_that_are_learned_from_are_as_the_rows_say(database: Database) -> None:
    """E2: whole rows are read once, and yet a price that becomes known later is seen."""
    with database.write() as tx:
        for name in ("one", "two"):
            ledger.begin(tx, attempt(name), WORST)
            ledger.finish(tx, attempt(name).dispatch, 1, result(nano_usd=None))
    with database.read() as connection:
        backend = rows(database)[0].attempt.backend
        assert ledger.of_backend(connection, backend, 9) == rows(database)
        assert ledger.of_backend(connection, backend, 1) == rows(database)[-1:]
    with database.write() as tx:
        ledger.price(tx, lambda _model, _usage, _size: 7)
    with database.read() as connection:
        found = ledger.of_backend(connection, backend, 9)
    assert found == rows(database)
    assert [one.result.nano_usd for one in found if one.result] == [7, 7]


def test_as_many_turns_are_learned_from_as_anybody_asks_for(database: Database) -> None:
    """F2: budgets of stages are learned from the latest 400."""
    with database.write() as tx:
        for number in range(MOST_TURNS + 3):
            ledger.begin(tx, attempt(f"turn-{number}"), WORST)
            ledger.finish(tx, attempt(f"turn-{number}").dispatch, 1, result())
    with database.read() as connection:
        assert len(ledger.of_backend(connection, attempt().backend, MOST_TURNS)) == MOST_TURNS


def test_a_price_that_becomes_known_is_filled_in(database: Database) -> None:
    """E2: unknown, not zero, until there is one."""
    asked = attempt(model="nobody-knows")
    with database.write() as tx:
        ledger.begin(tx, asked, Amount(1000, None))
        ledger.finish(tx, asked.dispatch, 1, result(nano_usd=None))
        ledger.begin(tx, attempt("killed"), WORST)
        ledger.close(tx)
    assert (total(database).unpriced, total(database).nano_usd) == (1, 0)
    with database.write() as tx:
        ledger.price(tx, lambda _model, _usage, _size: None)
    assert total(database).unpriced == 1
    with database.write() as tx:
        ledger.price(tx, lambda _model, usage, size: usage.total * size)
    tally = total(database)
    assert (tally.unpriced, tally.nano_usd) == (0, 35 * 35)
    assert tally.charged_nano_usd == 35 * 35 + (WORST.nano_usd or 0)


buckets = st.integers(0, 10**9)
usages = st.builds(Usage, buckets, buckets, buckets, buckets, buckets)
turns = st.tuples(
    st.sampled_from(["plan", "implement"]),
    st.sampled_from(["builder", "judge", totals.RESUME_CHECK]),
    st.sampled_from(list(Billing)),
    st.sampled_from(["finish", "kill", "silent", "unpriced", "finish twice"]),
    usages,
    st.sampled_from(list(Origin)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(turns, min_size=1, max_size=8))
def test_totals_are_the_sums_of_the_rows(
    tmp_path_factory: pytest.TempPathFactory, played: list[tuple[Any, ...]]
) -> None:
    """E2: whatever happens to turns, what is kept beside the rows agrees with them."""
    database = make_database(tmp_path_factory.mktemp("totals"))
    for number, (stage, role, billing, fate, usage, origin) in enumerate(played):
        asked = attempt(str(number), stage=stage, role=role, billing=billing)
        cost = None if fate == "unpriced" else usage.total
        bill = result(usage, origin=origin, nano_usd=cost)
        if fate == "silent":
            bill = replace(bill, usage=None)
        with database.write() as tx:
            ledger.begin(tx, asked, WORST)
        for _ in range({"kill": 0, "finish twice": 2}.get(fate, 1)):
            with database.write() as tx:
                ledger.finish(tx, asked.dispatch, 1, bill)
    with database.read() as connection:
        for scope in SCOPES:
            found = totals.of_feature(connection, FEATURE, scope)
            kept = totals.every(connection, scope)
            assert {name: _shown(tally) for name, tally in kept.items()} == {
                name: _shown(tally) for name, tally in found.items()
            }


def _shown(tally: Tally) -> Tally:
    """Without what counts against caps, which a sum over rows does not have."""
    return replace(tally, charged_tokens=0, charged_nano_usd=0)
