"""Verdicts come by a seed, and on the whole as real reviews went. Covers: G2, C18."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sparing.dispatch_policy import Order, Way
from sparing.double.agent.workload import ROUNDS
from sparing.double.model import Model
from sparing.double.recognise import PlayedTurn, recognise
from sparing.double.request import read_asked
from sparing.double.verdicts import QuotableLine, fit, verdict
from sparing.finding import Severity, Verdict
from sparing.review.verdict import SCHEMA, passes, read_verdict
from tests.double.serving import ask
from tests.double.turns import CASES, SPEC, texts
from tests.double.wired import agent, user

FEATURES = 400


def turn(role: str, iteration: int) -> PlayedTurn:
    known = recognise(read_asked(ask("# Your role: judge\n# This turn: x, iteration 1 of 3\n")))
    return replace(known, role=role, iteration=iteration)


def judged(told: PlayedTurn, seed: int | None) -> Verdict:
    found = read_verdict(
        told.role, json.dumps(verdict(told, seed, [QuotableLine("a.md", "a line")]))
    )
    assert isinstance(found, Verdict)
    return found


@pytest.mark.parametrize("group", ROUNDS)
@pytest.mark.parametrize("iteration", [1, 3, 5])
def test_findings_are_as_many_as_they_really_were(group: str, iteration: int) -> None:
    role = "code-quality-reviewer" if group == "implement" else f"{group}-reviewer"
    told = [judged(turn(role, iteration), seed) for seed in range(FEATURES)]
    counts = {one: sum(said.count(one) for said in told) / FEATURES for one in Severity}
    means = (*counts.values(), sum(map(passes, told)) / FEATURES)
    assert means == pytest.approx(ROUNDS[group][iteration - 1], abs=0.25)


def test_a_verdict_approves_exactly_what_it_has_nothing_against() -> None:
    told = [judged(turn("phase-reviewer", 2), seed) for seed in range(FEATURES)]
    assert {one.approved for one in told} == {True, False}
    assert all(one.approved == passes(one) for one in told)


def test_without_a_seed_everything_is_approved() -> None:
    assert passes(judged(turn("spec-reviewer", 1), seed=None))


def test_seed_role_stage_and_iteration_decide() -> None:
    told = turn("spec-reviewer", 1)
    assert judged(told, 1) == judged(told, 1)
    assert judged(told, 1) != judged(told, 2)
    assert judged(told, 1) != judged(replace(told, after="design"), 1)
    assert judged(told, 1) != judged(replace(told, iteration=2), 1)


def test_the_way_a_turn_is_sent_does_not_change_the_judgement() -> None:
    """C18: fresh with documents, fresh by path, or resumed."""
    case = CASES["review it again"]
    first = texts(case._replace(resumed=False), Way.COMPOSE, Order.NESTED)
    conversations = [
        [user(*texts(case._replace(resumed=False), Way.COMPOSE, Order.NESTED))],
        [user(*texts(case._replace(resumed=False), Way.REFERENCE, Order.NESTED))],
        [user(*first), agent("{}"), user(*texts(case, Way.RESUME, Order.NESTED))],
    ]
    said = [Model(seed=1).say(read_asked(ask(messages=talk))).text for talk in conversations]
    counts = [
        (found.approved, *(found.count(severity) for severity in Severity))
        for text in said
        if isinstance(found := read_verdict("spec-reviewer", text), Verdict)
    ]
    assert len(counts) == 3
    assert len(set(counts)) == 1
    assert counts[0][0] is False


def test_a_finding_quotes_a_line_that_stands_there_in_a_word_of_the_role() -> None:
    told = user(*texts(CASES["review a document"], Way.COMPOSE, Order.NESTED))
    said = Model(seed=1).say(read_asked(ask(messages=[told]))).text
    found = read_verdict("spec-reviewer", said)
    assert isinstance(found, Verdict)
    assert found.findings
    assert {one.quote for one in found.findings} <= set(SPEC.splitlines())
    words = {"testability", "assumptions", "scope", "traceability", "clarity"}
    assert {one.category for one in found.findings} <= words


def test_what_a_schema_requires_is_there_and_what_it_does_not_know_is_not() -> None:
    schema = {
        "properties": {
            "approved": {"type": "boolean"},
            "rank": {"type": "integer"},
            "inner": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]},
        },
        "required": ["approved", "rank", "inner"],
    }
    fitted = fit({"approved": False, "other": 1}, schema)
    assert fitted == {"approved": False, "rank": 0, "inner": {"a": "x"}}
    told = verdict(turn("implementation-reviewer", 1), 1, [])
    assert fit(told, SCHEMA) == told
