"""A small task that goes on in the session of the one before. Covers: E13, C11, C18."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.dispatch.prompt import choose
from sparing.dispatch_policy import Lever, Way
from sparing.economy.expected_work import Memory
from sparing.job import Ticket
from sparing.records import sessions
from sparing.runtime.source import Source, source_of
from sparing.runtime.surroundings import set_current
from sparing.runtime.turn_history import memory_of
from sparing.turn import Turn
from tests.briefing.sample import Sample
from tests.dispatch.levered import lever_sample, sent, without

WARM = 100.0
"""Seconds after the session's turn began, within the cache's life."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return lever_sample(tmp_path_factory)


def second_task(sample: Sample, seen: int = 1, iteration: int = 1, **own: Any) -> Source:
    source = sample.source(
        "implementer", "implement", Turn.IMPLEMENT, task="2", chain="1", seen=seen,
        iteration=iteration,
    )  # fmt: skip
    assert source.session is not None
    return replace(source, session=replace(source.session, **own))


def told(source: Source) -> dict[str, str]:
    return {one.name: one.text for one in compose(gather(source), Way.RESUME).segments}


def test_the_session_is_told_the_task_and_what_it_refers_to(sample: Sample) -> None:
    """E13: spec, goals, project and role stand in it already."""
    source = second_task(sample)
    assert gather(source).resumable
    fresh = [one.name for one in compose(gather(source), Way.COMPOSE).segments]
    found = told(source)
    assert {"spec", "goals", "role"} < {*fresh}
    assert list(found) == [one for one in fresh if one in ("plan", "design", "task", "turn")]
    assert "report on this task alone" in found["turn"]
    assert "task 2" in found["turn"]


def test_the_cheaper_way_is_taken(sample: Sample) -> None:
    """E13: a short transcript goes on; a long one is left, and so is one that is cold."""
    _, short = sent(second_task(sample, last_call=WARM - 1), WARM)
    assert short.decision.way is Way.RESUME
    _, long = sent(second_task(sample, last_call=WARM - 1, context_tokens=150_000), WARM)
    assert long.decision.way is not Way.RESUME
    assert {Way.RESUME, Way.COMPOSE} <= {*long.decision.predictions}
    assert short.record.chained


def test_without_the_lever_every_task_is_fresh(sample: Sample) -> None:
    """E13, C11"""
    source = second_task(without(sample, Lever.CHAIN), last_call=WARM - 1)
    assert not gather(source).resumable
    assert sent(source, WARM)[1].decision.way is not Way.RESUME
    assert sent(source, WARM)[1].record.dump()["off"][Lever.CHAIN.value] == "switched off"


@pytest.mark.parametrize("policy", ["seed", "fresh", "naive"])
def test_other_policies_have_no_chains(sample: Sample, policy: str) -> None:
    """E13, C11: each task's first implementer is fresh, as the original has it."""
    row = sample.rows["feature"]
    row = replace(row, overrides={**row.overrides, "review.policy": policy})
    around = replace(sample.around, _loaded={})
    other = sample._replace(around=around, rows={**sample.rows, "feature": row})
    source = second_task(other, last_call=WARM - 1)
    assert sent(source, WARM)[1].decision.way is not Way.RESUME


def test_a_session_that_knows_another_spec_is_left(sample: Sample) -> None:
    """C18: what all tasks share was sent with the first one's prompt, and has to be the same."""
    source = second_task(sample, seen=1, iteration=2)
    assert source.session is not None
    assert not source.untouched(ArtifactName.SPEC, source.session.commit)
    assert not gather(source).resumable


def test_files_that_others_changed_since_are_named(sample: Sample) -> None:
    """C18: what the session remembers of them does not count."""
    source = second_task(sample, commit=sample.base)
    assert "src/gate.py" in told(source)["changed-files"]
    assert "have to be read again" in told(source)["turn"]
    assert "changed-files" not in told(second_task(sample))


def test_a_session_that_fails_gives_way_to_a_fresh_one(sample: Sample) -> None:
    """E13, C8"""
    source = second_task(sample, last_call=WARM - 1)
    lost = choose(source, gather(source), WARM, "invalid session: gone")
    assert lost.decision.way is not Way.RESUME
    assert "spec" in [one.name for one in lost.composed.segments]


def test_the_session_is_that_of_the_task_before(sample: Sample) -> None:
    """E13: found by the task that the job follows; its own is kept apart."""
    job, feature = second_task(sample).job, sample.rows["feature"].feature.key
    kept = second_task(sample).session
    assert kept is not None
    with sample.around.database.write() as tx:
        sessions.put(tx, feature, "implement/1", kept)
    back = set_current(sample.around)
    ticket = Ticket("x", feature, WARM)
    assert source_of(ticket, job).session == kept
    assert source_of(ticket, replace(job, chain="")).session is None
    back()


def test_turns_of_chains_are_learned_from_apart() -> None:
    """E13, E1: what is expected of them is not what a fresh task does, nor a tier's stage."""
    assert memory_of(Way.RESUME, noted=False, chained=True) is Memory.NEIGHBOUR
    assert memory_of(Way.COMPOSE, noted=False, chained=True) is Memory.NONE
