"""What others will read after longer pauses is sent ahead, once, on record and under the caps.

Covers: E9, E7, I4
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.caching.primer import ROLE, prime
from sparing.dispatch.call import call
from sparing.dispatch.turn import prepare
from sparing.job import Job, Ticket
from sparing.payment.paid_call import ignored
from sparing.records import features, ledger
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.runtime.surroundings import set_current
from sparing.sent import Sent
from sparing.turn import Turn
from sparing.usage import Usage
from tests.briefing.sample import Sample, make_sample
from tests.dispatch.levered import Turned, turned

AT = 1_800_000_000.0
GROUP, STAGE, REVIEWER = "reviewer/documents", "design", "design-reviewer"


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    """Reviewers have looked every seven minutes; the backend can't keep two lives in one turn."""
    made = make_sample(tmp_path, "\nA line of a longer document.\n" * 700)
    script = tmp_path / "script.toml"
    script.write_text('base_tokens = 5000\n[[turn]]\nrole = "*"\nreply = "no"\n')
    own: dict[str, object] = {
        "agent.backend": "scripted", "agent.script": str(script), "models.standard": "m",
        "models.strong": "m", "models.cheap": "m", "economy.levers": ("all", "no-hour"),
    }  # fmt: skip
    row = replace(made.rows["feature"], overrides=own, generation=1, leg=1)
    with made.around.database.write() as tx:
        for table in ("verdicts", "ledger", "features"):
            tx.execute(f"delete from {table}")
        features.create(tx, row)
    found = made._replace(rows={**made.rows, "feature": row})
    looked(found, 420.0)
    end = set_current(found.around)
    yield found
    end()


def looked(sample: Sample, pause: float) -> None:
    kept: tuple[tuple[str, object], ...] = (
        ("group", GROUP), ("base", 5_000), ("blocks", []), ("resumed", False),
    )  # fmt: skip
    for number in range(6):
        at = AT - 3_000 + pause * number
        turned(sample, Turned(f"looker-{number}", STAGE, 1, at, sent=kept))


def with_settings(sample: Sample, **own: object) -> None:
    row = sample.rows["feature"]
    with sample.around.database.write() as tx:
        features.override(tx, row, {**row.overrides, **own})
    set_current(replace(sample.around, _loaded={}))  # settings are read once


def asked(sample: Sample, number: int = 1) -> tuple[Ticket, Job]:
    key = sample.rows["feature"].feature.key
    job = sample.source(REVIEWER, STAGE, Turn.REVIEW).job
    return Ticket(f"{key}.g1.1.{number}.0-{REVIEWER}", key, AT + 5 * number), job


def prepared(sample: Sample, number: int = 1) -> Sent:
    found = asyncio.run(prepare(*asked(sample, number), ""))
    assert isinstance(found, Sent), found
    return found


def primed(sample: Sample, sent: Sent) -> bool:
    return asyncio.run(prime(*asked(sample), sent, ignored))


def rows(sample: Sample, role: str = ROLE) -> list[LedgerRow]:
    with sample.around.database.read() as connection:
        found = ledger.of_feature(connection, sample.rows["feature"].feature.key)
    return [row for row in found if row.attempt.role == role]


def usage_of(row: LedgerRow) -> Usage:
    assert row.result is not None
    assert row.result.usage is not None
    return row.result.usage


def test_a_trunk_is_sent_ahead_and_read(sample: Sample) -> None:
    """E9, E7: reserved, sent with an hour's life, settled; the dispatch itself keeps five minutes
    and reads it."""
    sent = prepared(sample)
    assert sent.ahead is not None
    assert sent.life == "5m"
    assert primed(sample, sent)
    (row,) = rows(sample)
    size = sum(tokens for _, tokens in sent.ahead.blocks)
    bill = usage_of(row)
    assert bill.write_1h >= size + 5_000
    assert row.held.tokens >= bill.total
    assert "prompts of reviewer/documents follow after more than five minutes" in row.attempt.reason
    reply = asyncio.run(call(*asked(sample), sent))
    assert not reply.failure
    (turn,) = rows(sample, REVIEWER)
    assert usage_of(turn).read >= bill.write_1h - 100
    assert usage_of(turn).write_1h == 0


def test_the_next_choice_knows_it(sample: Sample) -> None:
    """E9: forty minutes later it counts as cached, and is not sent ahead again."""
    first = prepared(sample)
    primed(sample, first)
    before = _cached(prepared(sample, 2))
    assert before > 5_000
    late = prepared(sample, 480)
    assert _cached(late) == before
    assert late.ahead is None
    assert _cached(prepared(sample, 800)) == 0, "an hour is over"


def _cached(sent: Sent) -> int:
    return sent.choice.dump()["predicted"]["compose"]["cached"]


def test_once_is_enough(sample: Sample) -> None:
    """E9, I4: after a crash in the middle nobody knows how far it came; it is not sent again, and
    what it held goes on counting."""
    sent = prepared(sample)
    primed(sample, sent)
    assert not primed(sample, sent)
    assert len(rows(sample)) == 1


def test_a_crash_in_the_middle(sample: Sample) -> None:
    """E9, I4: the same, of one whose end nobody saw."""
    sent = prepared(sample)

    def dies(point: str) -> None:
        raise KeyboardInterrupt(point)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(prime(*asked(sample), sent, dies))
    with sample.around.database.write() as tx:
        ledger.close(tx)
    assert not primed(sample, sent)
    (row,) = rows(sample)
    assert (row.outcome, row.held.tokens > 5_000) == (AttemptState.UNKNOWN, True)


def test_what_fails_does_not_stand_in_the_way(sample: Sample) -> None:
    """E9, E7: a cap that it could break."""
    sent = prepared(sample)
    with_settings(sample, **{"caps.feature_tokens": 9_000})
    assert not primed(sample, sent)
    assert rows(sample) == []


@pytest.mark.parametrize(
    "own",
    [
        {"economy.levers": ("all", "no-hour", "no-primer")},
        {"economy.levers": ("all",)},
        {"review.policy": "seed"},
        {"review.policy": "fresh"},
        {"review.policy": "naive"},
    ],
    ids=str,
)
def test_what_speaks_against_it(sample: Sample, own: dict[str, Any]) -> None:
    """E9: a switch, a lever that does the same, a policy."""
    with_settings(sample, **own)
    assert prepared(sample).ahead is None


def test_who_comes_at_once_needs_none(sample: Sample) -> None:
    """E9: priced by the pauses seen here, and the same dispatch without any."""
    with sample.around.database.write() as tx:
        tx.execute("delete from ledger")
    assert prepared(sample).ahead is None, "nothing was seen yet"
    looked(sample, 100.0)
    assert prepared(sample, 700).ahead is None
