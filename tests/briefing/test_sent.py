"""A prepared prompt: its order, its key, what it asks to read, and what is told of it.

Covers: B2, B5, C8
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing import codec
from sparing.briefing.gather import gather
from sparing.briefing.recall import tell_prepared, tell_unread
from sparing.briefing.trunk_group import order_of
from sparing.context.prompt.compose import compose
from sparing.dispatch.prompt import choose, seal
from sparing.dispatch_policy import Order, Way
from sparing.job import Ticket
from sparing.money import Amount
from sparing.records import events, ledger
from sparing.records.folder import load_prompt
from sparing.runtime.source import Source
from sparing.sent import NaivePrompt, Sent
from sparing.turn import Turn
from sparing.usage import Origin, Usage
from tests.briefing.sample import Sample, make_sample

KEY = "sample-001"


@pytest.fixture
def own(tmp_path: Path) -> Sample:
    """A sample whose feature has a scripted agent."""
    sample = make_sample(tmp_path)
    script = tmp_path / "script.toml"
    script.write_text("base_tokens = 5000\n")
    with_agent = {"agent.backend": "scripted", "agent.script": str(script)}
    row = replace(sample.rows["feature"], overrides=dict[str, object](with_agent))
    return sample._replace(rows={**sample.rows, "feature": row})


def prepared(source: Source, way: Way) -> Sent:
    """As if this way had been chosen."""
    brief = gather(source)
    chosen = choose(source, brief, 100.0)
    composed = compose(brief, way, order_of(source), 1)
    decision = replace(chosen.decision, way=way)
    return seal(source, brief, replace(chosen, composed=composed, decision=decision))


def words(sample: Sample, sent: Sent) -> str:
    return "".join(one.text for one in load_prompt(sample.around.folder, sent.prompt))


def test_a_prepared_prompt_outlives_the_process(own: Sample) -> None:
    sent = prepared(own.source("spec-reviewer", "specify", Turn.REVIEW), Way.COMPOSE)
    assert codec.load(Sent, codec.dump(sent)) == sent
    assert len(words(own, sent)) == sent.chars
    assert sum(one.mark for one in load_prompt(own.around.folder, sent.prompt)) == 1


def test_what_was_prepared_before_an_update_can_still_be_sent(own: Sample) -> None:
    """I4: fields that are new have defaults."""
    sent = prepared(own.source("spec-reviewer", "specify", Turn.REVIEW), Way.COMPOSE)
    new = ("order", "trunk", "reads", "warnings", "choice")
    old = {name: value for name, value in codec.dump(sent).items() if name not in new}
    assert codec.load(Sent, old).prompt == sent.prompt


def test_reviewers_of_one_stage_share_a_trunk_key_and_authors_another(own: Sample) -> None:
    """B5"""
    roles = (("spec-reviewer", Turn.REVIEW), ("phase-reviewer", Turn.REVIEW))
    keys = {prepared(own.source(role, "specify", turn), Way.COMPOSE).trunk for role, turn in roles}
    author = prepared(own.source("spec-author", "specify", Turn.WRITE), Way.COMPOSE).trunk
    assert len(keys) == 1
    assert author not in keys


def test_a_reviewer_whose_session_is_gone_is_told(own: Sample) -> None:
    """C8: and one that never had a session is not."""
    source = own.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1)
    brief = gather(source)
    lost = choose(source, brief, 100.0, "invalid session: gone")
    assert (lost.decision.way, lost.marker) == (Way.PLAIN, "invalid session: gone")
    assert "prior review session unavailable" in words(own, seal(source, brief, lost))
    first = own.source("spec-reviewer", "specify", Turn.REVIEW)
    found = choose(first, gather(first), 100.0)
    assert (found.marker, found.decision.reason.startswith("first look")) == ("", True)
    assert "unavailable" not in words(own, seal(first, gather(first), found))


def test_the_seed_s_policy_has_the_seed_s_order(own: Sample) -> None:
    """B1"""
    row = own.rows["feature"]
    seed = replace(row, feature=replace(row.feature, key="sample-009"))
    seed = replace(seed, overrides={**row.overrides, "review.policy": "seed"})
    source = replace(own.source("spec-reviewer", "specify", Turn.REVIEW), row=seed)
    sent = prepared(source, Way.REFERENCE)
    assert sent.order is Order.SEED
    assert words(own, sent).startswith("# Your role: spec-reviewer\n")


def answered(sample: Sample, ticket: Ticket, reply: str, read: list[str]) -> None:
    attempt = ledger.Attempt(
        ticket.id, KEY, 0, "specify", "spec-reviewer", 1, "", "review", "reference", "", "scripted",
        "m", sample.around.settings(sample.rows["feature"]).agent.billing, "p", 1,
        NaivePrompt(), 1.0,
    )  # fmt: skip
    kept = sample.around.folder.keep(reply)
    result = ledger.AttemptResult("", Usage(), Origin.SIMULATED, None, [], 0, 1.0, read, kept)
    with sample.around.database.write() as tx:
        number = ledger.begin(tx, attempt, Amount(0, None))
        ledger.finish(tx, ticket.id, number, result)


@pytest.mark.parametrize(
    ("reply", "read", "missed"),
    [
        ("Files read: prd.md (9 lines)\n{}", [], []),
        ("{}", ["docs/features/001-rate-limits/prd.md"], []),
        ("{}", ["README.md"], ["prd.md"]),
        ("Files read: spec.md (3 lines)", [], ["prd.md"]),
    ],
)
def test_a_file_that_was_not_read_is_told_and_never_blocks(
    own: Sample, reply: str, read: list[str], missed: list[str]
) -> None:
    """B2: tool events first, the line as the fallback."""
    source = own.source("spec-reviewer", "specify", Turn.REVIEW)
    sent, ticket = prepared(source, Way.REFERENCE), Ticket("t1", KEY, 1.0)
    assert [Path(path).name for path in sent.reads] == ["prd.md"]
    answered(own, ticket, reply, read)
    with own.around.database.write() as tx:
        for _ in range(2):  # a repeated step tells it once
            tell_unread(tx, source, ticket, sent)
    with own.around.database.read() as connection:
        told = [one for one in events.since(connection, 0, KEY) if one.kind == "unread"]
    assert [one.data["files"] for one in told] == ([missed] if missed else [])
    assert [one.text for one in told] == [
        "LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads" for _ in told
    ]


def test_inline_nothing_has_to_be_read(own: Sample) -> None:
    source = own.source("spec-reviewer", "specify", Turn.REVIEW)
    assert prepared(source, Way.COMPOSE).reads == ()


def test_what_was_odd_about_a_prompt_is_told(own: Sample) -> None:
    """D2: a document that was sent whole."""
    source = own.source("implementer", "implement", Turn.IMPLEMENT, task="1")
    sent = replace(prepared(source, Way.COMPOSE), warnings=("task 1 names no part of plan.md",))
    for _ in range(2):
        tell_prepared(source, Ticket("t2", KEY, 1.0), sent)
    with own.around.database.read() as connection:
        told = [one.text for one in events.since(connection, 0, KEY) if one.kind == "warning"]
    assert told == ["task 1 names no part of plan.md"]
