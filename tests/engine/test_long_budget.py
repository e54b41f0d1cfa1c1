"""A feature is killed on the way, and its books are right.

Covers: E2, E3, E5, I1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.usage import Origin
from tests.conftest import UserRepository
from tests.engine.capped import Work, capped_work


@pytest.fixture
def work(tmp_path: Path, user_repository: UserRepository) -> Work:
    return capped_work(tmp_path, user_repository)


@pytest.mark.parametrize(
    ("point", "killed"),
    [("call:reserved", 1), ("call:answered@2", 1), ("call:end@3", 0)],
)
def test_after_a_kill_the_ledger_is_the_provider_s_bill(
    work: Work, point: str, killed: int
) -> None:
    """E2, I1: every token that was billed is in a row; a killed turn's row is estimated from what
    the client kept, and from its prompt where nothing was sent yet; one whose reply is kept is not
    sent again."""
    assert work.run(SPARING_ENGINE__CRASH_AT=point).code == -9
    assert work.run().code == 0
    bill, rows = work.bill, work.rows
    results = [row.result for row in rows if row.result is not None]
    estimated = [one for one in results if one.origin is Origin.ESTIMATED]
    assert (len(estimated), len(results), len(rows)) == (killed, 3 + killed, 3 + killed)
    for row, result in zip(rows, results, strict=True):
        if result.origin is not Origin.ESTIMATED or (row.attempt.dispatch, row.number) in bill:
            assert result.usage == bill[row.attempt.dispatch, row.number]
    assert set(bill) <= {(row.attempt.dispatch, row.number) for row in rows}
    shown = work.say("cost", "1", "--json").json["total"]
    assert (shown["turns"], shown["unknown_turns"]) == (len(rows), 0)


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
