"""Sessions of open loops are kept warm while that pays, on record and under the caps.

Covers: E1, C6, C16
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.agents.backend import Access, AgentCall
from sparing.caching.keep_alive import ROLE, open_sessions, warm
from sparing.caching.next_turn import waits
from sparing.context.prompt import turn_words
from sparing.finding import Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Position
from sparing.money import Amount, Billing
from sparing.records import features, ledger, mailbox, sessions, verdicts
from sparing.review.verdict import SCHEMA
from sparing.runtime import turn_history
from sparing.segment import Segment, Volatility
from sparing.sent import NaivePrompt, SentRecord
from sparing.session import Session
from sparing.usage import Origin
from tests.briefing.sample import Sample, make_sample

AT = 1_800_000_000.0
PROMPT = (
    Segment("spec", "word " * 40_000, Volatility.FEATURE, mark=True),
    Segment("turn", "Look at it.", Volatility.ITERATION),
)
REVIEWER, STAGE = "spec-reviewer", "specify"


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """A reviewer has rejected; its author is at work."""
    made = make_sample(tmp_path)
    script = tmp_path / "script.toml"
    script.write_text('base_tokens = 2000\n[[turn]]\nrole = "*"\nreply = "no"\n')
    own: dict[str, object] = {
        "agent.backend": "scripted", "agent.script": str(script), "models.standard": "m",
        "models.strong": "m", "models.cheap": "m",
    }  # fmt: skip
    place = {"state": begin(FEATURE.name, STAGE).dump(), "head": made.second}
    row = replace(
        made.rows["feature"], overrides=own, place=place, head=made.second, generation=1, leg=1
    )
    found = made._replace(rows={**made.rows, "feature": row})
    with found.around.database.write() as tx:
        for table in ("verdicts", "ledger", "features"):
            tx.execute(f"delete from {table}")
        features.create(tx, row)
    looked(found, passed=False)
    return found


def call(sample: Sample) -> AgentCall:
    return AgentCall(
        "look.1", REVIEWER, STAGE, 1, "", turn_words.system("reviewer"), PROMPT,
        sample.around.repository.checkout, "docs", Access.READ_ONLY, "m", AT, 60.0, schema=SCHEMA,
    )  # fmt: skip


def looked(sample: Sample, *, passed: bool) -> None:
    """A real turn of the scripted agent, with all that is recorded of one."""
    row, around = sample.rows["feature"], sample.around
    reply = asyncio.run(around.backend(row).run(call(sample), lambda _: None))
    assert reply.failure is None, reply.detail
    blocks = tuple((one.digest, one.tokens, "5m" if one.mark else "") for one in PROMPT)
    attempt = ledger.Attempt(
        "look.1", row.feature.key, 1, STAGE, REVIEWER, 1, "", "review", "compose", "", "scripted",
        "m", Billing.API, "", 10, NaivePrompt(), AT, "trunk",
        SentRecord(base=2_200, blocks=blocks, resumed=False),
    )  # fmt: skip
    calls = [{"added": one.added, "output": one.output} for one in reply.calls]
    result = ledger.AttemptResult(
        reply.session, reply.usage, Origin.SIMULATED, 0, calls, reply.context_tokens, 20.0, [], ""
    )
    kept = Session(
        reply.session, REVIEWER, "scripted", "m", 100, reply.context_tokens, 1, sample.first, AT,
        last_call=AT,
    )  # fmt: skip
    verdict = verdicts.VerdictRow(
        "look.1", row.feature.key, STAGE, 1, sample.first, passed, Verdict(REVIEWER, passed), AT
    )
    with around.database.write() as tx:
        ledger.finish(tx, "look.1", ledger.begin(tx, attempt, Amount(0, 0)), result)
        sessions.put(tx, row.feature.key, STAGE, kept)
        verdicts.put(tx, verdict)


def rows(sample: Sample) -> list[ledger.LedgerRow]:
    with sample.around.database.read() as connection:
        found = ledger.of_feature(connection, sample.rows["feature"].feature.key)
    return [row for row in found if row.attempt.role == ROLE]


def kept(sample: Sample) -> Session:
    with sample.around.database.read() as connection:
        found = sessions.get(connection, sample.rows["feature"].feature.key, STAGE, REVIEWER)
    assert found is not None
    return found


def warmed(sample: Sample, at: float) -> int:
    return asyncio.run(warm(sample.around, at))


def test_a_session_that_will_be_needed_is_read_once_more(sample: Sample) -> None:
    """C6: shortly before it would be forgotten, for the price of reading it."""
    assert warmed(sample, AT + 200) == 0, "not yet"
    assert warmed(sample, AT + 280) == 1
    (row,) = rows(sample)
    assert row.result is not None
    usage = row.result.usage
    assert usage is not None
    assert usage.read > 50_000, "all that the session had sent"
    assert usage.write_5m < 100
    assert "spec-reviewer is asked again with 100 %" in row.attempt.reason
    assert row.held.tokens > usage.total, "reserved before it was sent"
    assert kept(sample).last_call == AT + 280
    assert kept(sample).context_tokens < row.result.context_tokens, "left as it was"


def test_what_was_read_again_is_believed_to_be_warm(sample: Sample) -> None:
    """E1: the next choice knows of it."""
    warmed(sample, AT + 280)
    with sample.around.database.read() as connection:
        sends = turn_history.sends(connection, ("trunk",), AT + 500)
        assert [(one.first_at, one.resumed) for one in sends] == [(AT, False), (AT + 280, True)]
        everything = ledger.of_feature(connection, sample.rows["feature"].feature.key)
    assert waits(everything) == [], "a call that only reads is nobody's turn"
    assert warmed(sample, AT + 290) == 0, "it has just been read"


def test_nobody_is_kept_warm_for_ever(sample: Sample) -> None:
    """C6: who waits longer than any other did is given up."""
    times = [AT + 280 * n for n in range(1, 12)]
    assert sum(warmed(sample, at) for at in times) == 1


@pytest.mark.parametrize(
    "own",
    [
        {"economy.levers": ("all", "no-keep-alive")},
        {"economy.levers": ("all", "no-resume")},
        {"review.policy": "fresh"},
        {"engine.clock": "counted"},
        {"caps.feature_tokens": 60_000},
    ],
    ids=str,
)
def test_what_speaks_against_it(sample: Sample, own: dict[str, object]) -> None:
    """C6, C16: a switch, a policy, a clock that does not run, a cap."""
    row = sample.rows["feature"]
    with sample.around.database.write() as tx:
        features.override(tx, row, {**row.overrides, **own})
    anew = sample._replace(around=replace(sample.around, _loaded={}))  # settings are read once
    assert warmed(anew, AT + 280) == 0
    assert rows(sample) == []


def test_after_an_approval_nobody_needs_it(sample: Sample) -> None:
    """C6: a program knows."""
    with sample.around.database.write() as tx:
        tx.execute("update verdicts set passed = 1")
    assert warmed(sample, AT + 280) == 0


def test_at_a_gate_nothing_is_kept_warm(sample: Sample) -> None:
    """E5: the price of waiting is told instead."""
    row = sample.rows["feature"]
    state = {**row.place["state"], "position": Position.GATE.value}
    with sample.around.database.write() as tx:
        mailbox.progress(tx, row.feature.key, (1, 1), {**row.place, "state": state}, row.head)
    assert open_sessions(sample.around, AT + 280) == []


def test_whose_turn_it_is_needs_no_warmth(sample: Sample) -> None:
    """C6: its own calls keep the session alive."""
    (before,) = open_sessions(sample.around, AT + 280)
    assert before.session.role == REVIEWER
    with sample.around.database.write() as tx:
        tx.execute("update ledger set outcome = 'open'")
    assert open_sessions(sample.around, AT + 280) == []
