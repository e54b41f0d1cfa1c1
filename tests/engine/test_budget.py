"""A feature in a user's repository meets its caps, is raised, and is killed on the way.

Covers: E2, E3, E5, I1
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sparing.database import Database
from sparing.records import ledger
from sparing.records.ledger import Outcome, Row
from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.engine.small import SCRIPT
from tests.terminal import Said, sparing


class Work:
    """One feature of the smallest tier; every word to it is a process of its own."""

    def __init__(self, path: Path, script: Path) -> None:
        self.path = path
        self._environ = {
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(script),
        }

    def say(self, *words: str, **environ: str) -> Said:
        return sparing(self.path, *words, environ={**self._environ, **environ})

    def run(self, **environ: str) -> Said:
        return self.say("run", "--yes", "--json", **environ)

    def view(self) -> dict[str, Any]:
        return self.say("show", "1", "--json").json

    @property
    def rows(self) -> list[Row]:
        (database,) = Path.home().glob(".local/state/sparing/*/sparing.db")
        with Database(database).read() as connection:
            (key,) = connection.execute("select key from features").fetchone()
            return ledger.of_feature(connection, key)

    @property
    def bill(self) -> dict[tuple[str, int], Usage]:
        """What the provider wrote into its own book, by dispatch and attempt."""
        (book,) = Path.home().glob(".local/state/sparing/*/scripted/bill.jsonl")
        found: dict[tuple[str, int], Usage] = {}
        for line in book.read_text().splitlines():
            noted = json.loads(line)
            dispatch, number, _ = noted.pop("call").rsplit(".", 2)
            key = dispatch, int(number)
            found[key] = found.get(key, Usage()) + Usage(**noted)
        return found


@pytest.fixture
def work(tmp_path: Path, user_repository: UserRepository) -> Work:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    found = Work(user_repository(), script)
    started = found.say("start", "Make a file", "--flow", "L1", "--json")
    forecast = started.json["forecast"]
    assert 0 < forecast["low_usd"] < forecast["high_usd"]
    assert forecast["origin"] == "estimated"
    return found


def test_a_cap_parks_the_feature_and_a_raise_lets_it_go_on(work: Work) -> None:
    """E3: exit 3, kind, value and limit; what is done is not done again."""
    caps = {"SPARING_CAPS__TURN_USD": "0.03", "SPARING_CAPS__FEATURE_USD": "0.04"}
    said = work.run(**caps)
    assert said.code == 3, said.err
    (view,) = said.json["features"]
    assert (view["stage"], view["position"], view["cause"]) == ("implement", "stuck", "budget")
    spent = sum(row.result.nano_usd or 0 for row in work.rows if row.result) / 10**9
    assert view["waits_for"] == (
        f"budget: money of this feature: ${spent:.3f} spent or reserved, the next turn may take"
        " $0.030, the limit is $0.040"
    )
    assert view["next_command"] == "sparing raise 001 --money 0.08"
    raised = work.say("raise", "1", "--money", "1", "--json", **caps)
    assert (raised.json["goes_on"], raised.json["next_command"]) == (True, "sparing run 001")
    assert work.run(**caps).code == 0
    assert Counter(row.attempt.stage for row in work.rows) == {
        "plan": 1, "implement": 1, "done": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("point", "unknown"),
    [("call:reserved", 1), ("call:answered@2", 1), ("call:end@3", 0)],
)
def test_after_a_kill_the_ledger_is_the_provider_s_bill(
    work: Work, point: str, unknown: int
) -> None:
    """E2, I1: every token that was billed is in a row; a killed turn's row says unknown."""
    assert work.run(SPARING_ENGINE__CRASH_AT=point).code == -9
    assert work.run().code == 0
    bill, rows = work.bill, work.rows
    killed = [row for row in rows if row.outcome is Outcome.UNKNOWN]
    assert (len(killed), len(rows)) == (unknown, 4)
    for row in rows:
        if row.outcome is Outcome.KNOWN:
            assert row.result is not None
            assert row.result.usage == bill[row.attempt.dispatch, row.number]
    assert set(bill) <= {(row.attempt.dispatch, row.number) for row in rows}
    shown = work.say("cost", "1", "--json").json["total"]
    assert (shown["turns"], shown["unknown_turns"]) == (len(rows), unknown)


def test_tries_are_counted_over_kills(work: Work) -> None:
    """E3: re-dispatch limit per dispatch; no recovery resets it, a person may raise it."""
    caps = {"SPARING_CAPS__ATTEMPTS": "1"}
    assert work.run(SPARING_ENGINE__CRASH_AT="call:reserved", **caps).code == -9
    said = work.run(**caps)
    assert said.code == 3
    (view,) = said.json["features"]
    assert view["waits_for"] == "budget: attempts of this dispatch: 1 made, the limit is 1"
    assert view["next_command"] == "sparing raise 001 --attempts 2"
    assert work.say("raise", "1", "--attempts", "2", **caps).code == 0
    assert work.run(**caps).code == 0


def test_a_loop_breaker_parks_with_its_reason(work: Work) -> None:
    """Not a matter of money: exit 2, and words of a person's are what helps."""
    said = work.run(SPARING_CAPS__REPLY_CHARS="10")
    assert said.code == 2
    (view,) = said.json["features"]
    assert (view["cause"], view["waits_for"]) == (
        "loop",
        "loop: builder answered with 18 characters, the limit is 10",
    )
    assert view["next_command"] == 'sparing reject 001 "what should be different"'
    assert work.say("reject", "1", "say less").code == 0


def test_gates_say_what_was_spent_and_what_may_follow(work: Work) -> None:
    """E5"""
    said = work.say("run")
    assert said.code == 2
    assert "\n  spent so far: $0.0" in said.err
    assert "\n  to come: $" in said.err
    assert "(estimated, from a simulated workload)" in said.err
