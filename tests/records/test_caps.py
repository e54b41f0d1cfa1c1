"""Caps are compared with what is spent and reserved at that moment; people only raise them.

Covers: E3
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparing.database import Database
from sparing.money import Amount, CapLimits, CapMeasure, CapScope, Reached, to_nano
from sparing.records import caps, ledger
from sparing.records.caps import Raise, Whose
from tests.records.attempts import FEATURE, WORST, attempt, limits, result
from tests.records.rows import feature_row, make_database, open_records

WHOSE = Whose(FEATURE, "plan", "2023-11-14")
CENT = to_nano("0.01")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path, feature_row(), feature_row(2, "Log slow queries"))


def spend(database: Database, **changes: Any) -> None:
    """A turn under way: it holds 1,000 tokens and 10 cents."""
    with database.write() as tx:
        ledger.begin(tx, attempt(**changes), WORST)


def reached(
    database: Database, allowed: CapLimits, worst: Amount = WORST, whose: Whose = WHOSE
) -> Reached | None:
    with database.read() as connection:
        return caps.current(connection, allowed, whose).reached(worst)


def test_below_every_cap_nothing_is_in_the_way(database: Database) -> None:
    spend(database)
    assert reached(database, limits(tokens=2000, usd="0.20")) is None


def test_a_reached_cap_says_kind_value_and_limit(database: Database) -> None:
    """E3"""
    spend(database)
    found = reached(database, limits(usd="0.19"))
    assert found == Reached(CapScope.FEATURE, "", CapMeasure.MONEY, 10 * CENT, 10 * CENT, 19 * CENT)
    assert found is not None
    assert found.words == (
        "money of this feature: $0.100 spent or reserved, the next turn may take $0.100,"
        " the limit is $0.190"
    )
    assert found.advice == "--money 0.38"


@pytest.mark.parametrize(
    ("scope", "name", "advice"),
    [
        (CapScope.FEATURE, "", "--tokens 3000"),
        (CapScope.STAGE, "plan", "--stage plan --tokens 3000"),
        (CapScope.DAY, "2023-11-14", "--day --tokens 3000"),
    ],
)
def test_feature_stage_and_day_have_a_cap_each(
    database: Database, scope: CapScope, name: str, advice: str
) -> None:
    """E3: the lowest counts."""
    spend(database)
    high, low = Amount(10**9, 10**12), Amount(1500, 10**12)
    amounts = [
        low if scope is one else high for one in (CapScope.FEATURE, CapScope.STAGE, CapScope.DAY)
    ]
    found = reached(database, CapLimits(*amounts, turn=WORST, attempts=6))
    assert found == Reached(scope, name, CapMeasure.TOKENS, 1000, 1000, 1500)
    assert found is not None
    assert found.advice == advice


def test_a_stage_has_its_own_cap_and_a_day_is_everybody_s(database: Database) -> None:
    spend(database, stage="implement")
    spend(database, dispatch="x", feature="r-002")
    allowed = CapLimits(Amount(2000, 10**12), Amount(1000, 10**12), Amount(2999, 10**12), WORST, 6)
    found = reached(database, allowed)
    assert found is not None
    assert (found.scope, found.spent) == (CapScope.DAY, 2000)
    tomorrow = Whose(FEATURE, "plan", "2023-11-15")
    assert reached(database, allowed, whose=tomorrow) is None


def test_tokens_count_where_no_price_is_known(database: Database) -> None:
    """E3: unknown money is not free."""
    unpriced = Amount(1000, None)
    assert reached(database, limits(usd="0.01"), unpriced) is None
    found = reached(database, limits(tokens=999, usd="0.01"), unpriced)
    assert found is not None
    assert found.measure is CapMeasure.TOKENS


def raised(
    database: Database, scope: CapScope, name: str, measure: CapMeasure, amount: int
) -> None:
    with database.write() as tx:
        caps.record(tx, Raise(FEATURE, scope, name, measure, amount, "terminal", 1.0))


def in_force(database: Database, whose: Whose = WHOSE) -> CapLimits:
    with database.read() as connection:
        return caps.in_force(connection, limits(), whose)


def test_a_raise_counts_for_its_scope_alone(database: Database) -> None:
    raised(database, CapScope.STAGE, "plan", CapMeasure.MONEY, 5 * 10**9)
    raised(database, CapScope.DISPATCH, "", CapMeasure.ATTEMPTS, 9)
    found = in_force(database)
    assert (found.stage.nano_usd, found.feature.nano_usd, found.attempts) == (5 * 10**9, 10**9, 9)
    assert in_force(database, Whose(FEATURE, "implement", "2023-11-14")).stage.nano_usd == 10**9
    assert in_force(database, Whose("r-002", "plan", "2023-11-14")) == limits()


def test_a_raised_day_is_raised_for_all_features_and_over_at_midnight(database: Database) -> None:
    raised(database, CapScope.DAY, "2023-11-14", CapMeasure.TOKENS, 10**6)
    assert in_force(database, Whose("r-002", "plan", "2023-11-14")).day.tokens == 10**6
    assert in_force(database, Whose(FEATURE, "plan", "2023-11-15")).day.tokens == 10_000


def test_limits_only_go_up(database: Database) -> None:
    """E3: a lower raise, or lower settings, take nothing back that a person allowed."""
    raised(database, CapScope.FEATURE, "", CapMeasure.TOKENS, 50_000)
    raised(database, CapScope.FEATURE, "", CapMeasure.TOKENS, 20)
    assert in_force(database).feature.tokens == 50_000


RACER = """
import sys
from pathlib import Path
from sparing.records import caps, ledger
from tests.records.attempts import WORST, attempt, limits
from tests.records.rows import open_records
from tests.records.test_caps import WHOSE

database = open_records(Path(sys.argv[1]).parent)
print("ready", flush=True)
sys.stdin.readline()
with database.write() as tx:
    if caps.current(tx, limits(usd="0.30"), WHOSE).reached(WORST) is None:
        ledger.begin(tx, attempt(sys.argv[2]), WORST)
        print("won")
    else:
        print("lost")
"""


def race(path: Path, number: int) -> Iterator[subprocess.Popen[str]]:
    for racer in range(number):
        yield subprocess.Popen(
            (sys.executable, "-c", RACER, str(path), f"racer-{racer}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent.parent,
        )


def test_of_eight_processes_one_gets_the_last_cent(database: Database) -> None:
    """E3: 20 of 30 cents are taken, each of the eight wants 10."""
    spend(database, dispatch="x")
    spend(database, dispatch="y")
    racers = list(race(database.path, 8))
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = [racer.communicate(timeout=240)[0].strip() for racer in racers]
    assert sorted(said) == ["lost"] * 7 + ["won"]
    with open_records(database.path.parent).read() as connection:
        rows = ledger.of_feature(connection, FEATURE)
    assert sum(row.held.nano_usd or 0 for row in rows) == 30 * CENT


def test_what_a_turn_did_not_need_is_free_again(database: Database) -> None:
    spend(database)
    assert reached(database, limits(usd="0.15")) is not None
    with database.write() as tx:
        ledger.finish(tx, attempt().dispatch, 1, result())
    assert reached(database, limits(usd="0.15")) is None
