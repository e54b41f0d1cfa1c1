"""How long questions to a long ledger take: `python -m bench.ledger`.

Fills a ledger with 100,000 attempts of 1,316 features and prints the median of several runs of
each question, in milliseconds. Nothing is asserted here: a busy machine is no defect.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparing.database import Database, open_database
from sparing.feature import Feature, FeatureStatus
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.money import Amount, Billing, CapLimits
from sparing.records import caps, features, ledger, totals
from sparing.records.features import FeatureRow
from sparing.records.ledger import Attempt, AttemptResult
from sparing.records.schema import MIGRATIONS
from sparing.sent import NaivePrompt
from sparing.usage import Origin, Usage

ROWS = 100_000
PER_FEATURE = 76
RUNS = 9
NOON = 1_700_000_000.0
WORST = Amount(3_000_000, 3 * 10**9)
LIMITS = CapLimits(*(Amount(10**12, 10**18),) * 3, turn=WORST, attempts=6)
GOALS = {"one feature": 10.0, "totals": 100.0}
OUT = Path(__file__).parent / "out" / "ledger.json"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        database = open_database(Path(folder) / "sparing.db", MIGRATIONS)
        print(f"filling a ledger with {ROWS:,} rows …", flush=True)
        keys = fill(database)
        measure(database, keys[len(keys) // 2])


def measure(database: Database, key: str) -> None:
    def reading(ask: Callable[[Any], object]) -> Callable[[], object]:
        def asked() -> object:
            with database.read() as connection:
                return ask(connection)

        return asked

    questions = [
        ("one feature", "all its rows", reading(lambda c: ledger.of_feature(c, key))),
        *(
            ("one feature", f"by {by}", reading(lambda c, by=by: totals.of_feature(c, key, by)))
            for by in totals.SCOPES
        ),
        *(
            ("totals", f"by {by}", reading(lambda c, by=by: totals.every(c, by)))
            for by in totals.SCOPES
        ),
        ("turn", "reserve and settle", lambda: turn(database, key)),
    ]
    print(f"{'question':<32}{'median ms':>10}{'goal':>8}")
    medians: dict[str, float] = {}
    for group, name, ask in questions:
        question = f"{group}, {name}"
        medians[question] = _median(ask)
        print(f"{question:<32}{medians[question]:>10.2f}{GOALS.get(group, ''):>8}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"rows": ROWS, "milliseconds": medians}, indent=2))


def _median(ask: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def turn(database: Database, key: str) -> None:
    """What a dispatch pays for its caps and its row: two transactions that reach the disk."""
    asked = attempt(key, 0)
    with database.write() as tx:
        whose = caps.Whose(key, asked.stage, asked.day)
        assert caps.current(tx, LIMITS, whose).reached(WORST) is None
        number = ledger.begin(tx, asked, WORST)
    with database.write() as tx:
        ledger.finish(tx, asked.dispatch, number, RESULT)


def fill(database: Database) -> list[str]:
    keys = [f"bench-{number:04d}" for number in range(1, 1 + -(-ROWS // PER_FEATURE))]
    made = 0
    for number, key in enumerate(keys, 1):
        with database.write() as tx:
            features.create(tx, row(key, number))
            for place in range(min(PER_FEATURE, ROWS - made)):
                asked = attempt(key, place)
                ledger.finish(tx, asked.dispatch, ledger.begin(tx, asked, WORST), RESULT)
                made += 1
    return keys


def row(key: str, number: int) -> FeatureRow:
    feature = Feature(key, number, "bench", "Bench", FEATURE.name, "bench", "main", "c0", NOON)
    place = {"state": begin(FEATURE.name).dump(), "head": "c0"}
    return FeatureRow(
        feature, FeatureStatus.COMPLETED, {}, 0, 0, place, "c0", running=False, updated=NOON
    )


RESULT = AttemptResult(
    "session", Usage(100, 200_000, 20_000, 0, 2_400), Origin.SIMULATED, 114_000_000,
    [{"added": 20_000, "output": 300}] * 6, 40_000, 60.0, ["src/a.py", "src/b.py"], "r" * 64,
)  # fmt: skip


def attempt(key: str, place: int) -> Attempt:
    stage = FEATURE.stages[place % len(FEATURE.stages)]
    number = int(key.rpartition("-")[2])
    plain = Attempt(
        f"{key}.g0.0.{place}.0-{stage.author}", key, 0, stage.name, stage.author, 1, "", "write",
        "compose", "no session yet", "scripted", "claude-sonnet-5", Billing.API, "p" * 64, 40_000,
        NaivePrompt(), NOON + 86_400 * (number % 365) + 60 * place,
    )  # fmt: skip
    return replace(plain, way="resume") if place % 3 else plain


if __name__ == "__main__":
    main()
