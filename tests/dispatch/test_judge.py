"""What becomes of a reviewer's reply: half of two verdicts is kept, and its session remembered.

Covers: C14, E10, C8, E7
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.dispatch.judge import judge
from sparing.dispatch.turn import remember
from sparing.dispatch_policy import Way
from sparing.job import Job, Ticket
from sparing.records import features, sessions, verdicts
from sparing.reply import Reply, ReplyOutcome
from sparing.runtime.source import session_scope
from sparing.runtime.surroundings import set_current
from sparing.sent import NaivePrompt, Sent
from sparing.session import Session
from sparing.turn import Turn
from tests.briefing.sample import Sample, make_sample

STAGE, FIRST, SECOND = "specify", "spec-reviewer", "phase-reviewer"
SENT = Sent("prompt of now", 700, Way.COMPOSE, "", "", "m", NaivePrompt())
READABLE: dict[str, object] = {"approved": True, "findings": [], "summary": "read"}


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    """Nobody has looked yet."""
    made = make_sample(tmp_path)
    script = tmp_path / "script.toml"
    script.write_text("base_tokens = 5000\n")
    own: dict[str, object] = {"agent.backend": "scripted", "agent.script": str(script)}
    row = replace(made.rows["feature"], overrides=own)
    with made.around.database.write() as tx:
        for table in ("verdicts", "ledger", "features"):
            tx.execute(f"delete from {table}")
        features.create(tx, row)
    end = set_current(made.around)
    yield made._replace(rows={**made.rows, "feature": row})
    end()


def ticket_of(sample: Sample, job: Job) -> Ticket:
    key = sample.rows["feature"].feature.key
    return Ticket(f"{key}.g1.1.1.0-{job.who}", key, 100.0)


def judged(sample: Sample, job: Job, *halves: object, last: bool) -> ReplyOutcome:
    text = sample.around.folder.keep(json.dumps({"verdicts": halves}))
    answer = Reply(reply=text, session="s1", context_tokens=9_000)
    return asyncio.run(judge(ticket_of(sample, job), job, SENT, answer, last))


def kept(sample: Sample) -> list[tuple[str, bool]]:
    with sample.around.database.read() as connection:
        found = verdicts.of_feature(connection, sample.rows["feature"].feature.key)
    return [(one.verdict.role, one.passed) for one in found]


def test_only_the_half_that_could_not_be_read_is_asked_for_again(sample: Sample) -> None:
    """C14, E10: the good one counts, whether or not it is said a second time."""
    job = sample.source(FIRST, STAGE, Turn.REVIEW, panel=(FIRST, SECOND)).job
    good, broken = {"reviewer": FIRST, **READABLE}, {"reviewer": SECOND, "approved": "maybe"}
    first = judged(sample, job, good, broken, last=False)
    assert first.complaint.startswith(f"the verdict of {SECOND}: ")
    assert (first.wanted, kept(sample)) == ((SECOND,), [(FIRST, True)])
    again = judged(sample, job, {"reviewer": SECOND, **READABLE}, last=True)
    assert (again.complaint, again.result.failure, again.result.passed) == ("", "", True)
    assert kept(sample) == [(FIRST, True), (SECOND, True)]


def test_a_first_reply_is_read_whole_whatever_was_kept_before(sample: Sample) -> None:
    """C14, I1: a step that is repeated after a crash finds its own half in the records, and must
    not take the first verdict of the reply for the second one."""
    job = sample.source(FIRST, STAGE, Turn.REVIEW, panel=(FIRST, SECOND)).job
    good, broken = {"reviewer": FIRST, **READABLE}, {"reviewer": SECOND, "approved": "maybe"}
    told = [judged(sample, job, good, broken, last=False) for _ in range(2)]
    assert told[0] == told[1]
    assert told[1].wanted == (SECOND,)


@pytest.mark.parametrize(
    ("way", "seen", "chars", "opening"),
    [
        (Way.RESUME, True, 1_000, "the first prompt"),
        (Way.COMPOSE, True, 700, "prompt of now"),
        (Way.COMPOSE, False, 700, "prompt of now"),
        (Way.RESUME, False, 700, "prompt of now"),
    ],
)
def test_a_session_is_known_by_the_prompt_that_opened_it(
    sample: Sample, way: Way, seen: bool, chars: int, opening: str
) -> None:
    """C8, E7: a resumed one by its first prompt, against whose size a delta is measured and whose
    blocks a cache holds; a new one by its own."""
    source = sample.source(FIRST, STAGE, Turn.REVIEW, iteration=2, seen=1 if seen else 0)
    if source.session is not None:
        source = replace(source, session=replace(source.session, opening="the first prompt"))
    ticket, answer = ticket_of(sample, source.job), Reply(session="s2", context_tokens=3_000)
    with sample.around.database.write() as tx:
        remember(tx, source, ticket, replace(SENT, way=way), answer)
    with sample.around.database.read() as connection:
        found = sessions.get(connection, ticket.feature, session_scope(source.job), FIRST)
    assert found is not None
    assert _figures(found) == ("s2", chars, opening, 3_000)


def _figures(session: Session) -> tuple[str, int, str, int]:
    return session.id, session.prompt_chars, session.opening, session.context_tokens
