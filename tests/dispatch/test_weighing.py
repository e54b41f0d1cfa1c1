"""What speaks for going on with a session, and what a new one begins with.

Covers: F2, F4, F6, C12, E1, E6.

Original faults that can't happen: (b) parts of the context not counted, (g) what resume needs lost
with the process, (h) a handoff that fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.program_handoff import pipeline_of, program_handoff
from sparing.continuation import Continuation, SessionStep, WeighResult
from sparing.dispatch.handoff import write_handoff
from sparing.dispatch.weighing import weigh
from sparing.dispatch_policy import Way
from sparing.economy.expected_work import Memory, TurnClass
from sparing.job import JobKind, Ticket
from sparing.records import events, features, sessions
from sparing.runtime import turn_history
from sparing.runtime.source import source_of
from sparing.runtime.stage_budget import budget_of
from sparing.segment import estimate_tokens
from sparing.turn import Turn
from sparing.turn_event import HandedOffEvent, WeighedEvent
from sparing.turn_kind import Errand
from tests.briefing.sample import FOLDER, Sample
from tests.dispatch.shared import (
    AT,
    SIX_HOURS,
    done,
    entering,
    had_turn,
    scripted_sample,
    session,
    with_settings,
)


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    with scripted_sample(tmp_path) as made:
        yield made


def test_the_program_fills_in_what_it_knows(sample: Sample) -> None:
    """F4: outputs, chain, feature, files that were opened with size and names, imports."""
    had_turn(
        sample, "brainstorm", [30_000], read=["src/gate.py", f"{FOLDER}/plan.md", "/etc/hosts"]
    )
    pipeline = pipeline_of(entering(sample, "implement", None))
    assert [one.stage for one in pipeline.stages] == [
        "brainstorm", "design_review", "plan", "implement",
    ]  # fmt: skip
    assert pipeline.stages[0].text == "Taken over by the design review."
    assert (pipeline.title, pipeline.tier, pipeline.next_stage) == (
        "Rate limits", "L3", "implement",
    )  # fmt: skip
    assert [one.split(" ")[0] for one in pipeline.changed_files] == ["src/gate.py"]
    assert "src/gate.py" in pipeline.seen["key_files"]
    assert "allowed" in pipeline.seen["key_files"]
    assert "/etc/hosts" not in "".join(pipeline.seen.values())
    text = sample.around.folder.fetch(program_handoff(entering(sample, "implement", None)))
    assert text.startswith("# Handoff\n")
    assert "### Handoff Chain" in text


def weighed(
    sample: Sample, at: float = AT + 10, stage: str = "implement"
) -> tuple[WeighResult, dict[str, object]]:
    key = sample.rows["L3"].feature.key
    job = replace(entering(sample, stage, None).job, going=Continuation("L3"), kind=JobKind.WEIGH)
    ticket = Ticket(f"{key}.g0.1.{at:.0f}.0-weigh", key, at)
    found = done(weigh(ticket, job)).found
    assert found is not None
    with sample.around.database.read() as connection:
        event = events.last(connection, key, WeighedEvent.kind)
    assert event is not None
    return found, event.data


def kept(sample: Sample, commit: str = "", tokens: int = 20_000) -> None:
    with sample.around.database.write() as tx:
        one = replace(session(sample, commit), context_tokens=tokens)
        sessions.put(tx, sample.rows["L3"].feature.key, "L3", one)


def test_before_a_stage_the_last_call_is_weighed_against_the_window(sample: Sample) -> None:
    """F2, fault (b): all of the last call, whatever the sum over calls says."""
    kept(sample)
    had_turn(sample, "plan", [9_000, 20_000])
    found, data = weighed(sample)
    assert (data["used"], data["window"], data["budget"]) == (20_000, 200_000, 60_000)
    assert (data["remaining"], data["need"], found.forced) == (180_000, 72_000, False)
    had_turn(sample, "implement", [150_000])
    found, data = weighed(sample, AT + 20)
    assert (found.go, found.forced, found.at_all) == (SessionStep.HAND_OFF, True, True)
    assert "75 % of its window: 50,000 tokens are left, the stage needs 72,000" in found.reason


def test_a_compacted_session_is_handed_off(sample: Sample) -> None:
    """F2: the context of a session shrinks, and nobody said so."""
    kept(sample)
    had_turn(sample, "plan", [80_000, 20_000])
    found, data = weighed(sample)
    assert (found.go, found.forced, data["shrunk"]) == (SessionStep.HAND_OFF, True, True)


def test_a_session_that_cannot_be_resumed_says_why(sample: Sample) -> None:
    """F2, K1: a person reads the reason next to the new session."""
    with sample.around.database.write() as tx:
        one = replace(session(sample, ""), context_tokens=20_000, backend="codex")
        sessions.put(tx, sample.rows["L3"].feature.key, "L3", one)
    had_turn(sample, "plan", [9_000, 20_000])
    found, _ = weighed(sample)
    assert (found.go, found.reason) == (SessionStep.HAND_OFF, "the session belongs to codex")


def test_a_cold_cache_is_known_after_hours(sample: Sample) -> None:
    """F1, F6, fault (g): nothing but rows is needed for it."""
    kept(sample)
    had_turn(sample, "plan", [9_000, 20_000])
    assert weighed(sample)[1]["warm"] is True
    _, data = weighed(sample, AT + SIX_HOURS)
    assert (data["warm"], data["idle_seconds"]) == (False, SIX_HOURS)


@pytest.mark.parametrize(
    ("tokens", "go"), [(12_000, SessionStep.CONTINUE), (90_000, SessionStep.HAND_OFF)]
)
def test_a_long_session_is_not_read_again_for_a_summary(
    sample: Sample, tokens: int, go: SessionStep
) -> None:
    """F6, E6: whoever did the work need not look at it to sum it up; every call reads the session
    again, so that a long one, warm as it is, costs more than a look."""
    kept(sample, tokens=tokens)
    opened = [9_000 + 300 * n for n in range(8)]
    had_turn(sample, "plan", opened, turn=Turn.WRITE, way=Way.COMPOSE)
    had_turn(sample, "implement", [tokens + 300 * n for n in range(10)])
    found, data = weighed(sample, stage="done")
    assert (data["warm"], found.forced) == (True, False)
    assert (found.go, found.judged) == (go, False), found.reason


def test_a_session_that_knows_a_future_is_left(sample: Sample) -> None:
    """C12: after the work was taken back to an earlier commit."""
    kept(sample, sample.second)
    job = entering(sample, "implement", None).job
    key = sample.rows["L3"].feature.key
    back = replace(job, head=sample.first, going=Continuation("L3"), kind=JobKind.WEIGH)
    ticket = Ticket(f"{key}.g1.1.1.0-weigh", key, AT)
    found = done(weigh(ticket, back)).found
    assert found is not None
    assert (found.go, found.forced) == (SessionStep.HAND_OFF, False)
    assert "was reset" in found.reason


def test_what_it_takes_to_hand_over_is_learned(sample: Sample) -> None:
    """F4, E1: a session that ends took five calls to say it; the next is expected to."""
    had_turn(sample, "plan", [20_000])
    kept(sample)
    _, before = weighed(sample)
    had_turn(sample, "plan", [20_000] * 5, turn=Turn.HAND_OVER)
    with sample.around.database.read() as connection:
        works = turn_history.works(connection, "scripted")
    asked = TurnClass("builder", Errand.HAND_OVER, Memory.TRANSCRIPT)
    assert works[asked].calls > 3
    _, after = weighed(sample, AT + 11)
    assert isinstance(before["judgement"], float)
    assert isinstance(after["judgement"], float)
    assert after["judgement"] > 2 * before["judgement"]


def test_a_retrospective_is_learned_from(sample: Sample) -> None:
    """E1: under an errand of its own: nobody else is expected to read as much."""
    had_turn(sample, "finish", [20_000] * 9, turn=Turn.RETRO)
    with sample.around.database.read() as connection:
        works = turn_history.works(connection, "scripted")
    assert {one.errand for one in works} == {Errand.RETRO}


def test_a_budget_is_set_learned_or_estimated(sample: Sample) -> None:
    """F2"""
    source = entering(sample, "implement", None)
    assert budget_of(source) == (60_000, "estimated")
    for number in range(5):
        _other(sample, f"other-{number}")
        had_turn(sample, "implement", [5_000] * (number + 1), feature=f"other-{number}")
    assert budget_of(source) == (10_100, "learned")
    said = with_settings(sample, flow__budgets=("implement 80000",))
    assert budget_of(entering(said, "implement", None)) == (80_000, "set")


def _other(sample: Sample, key: str) -> None:
    row = sample.rows["L3"]
    number = 100 + int(key.rpartition("-")[2])
    with sample.around.database.write() as tx:
        features.create(tx, replace(row, feature=replace(row.feature, key=key, number=number)))


@pytest.mark.parametrize(("why", "reply"), [("network", ""), ("last", "well, good luck")])
def test_a_handoff_that_fails_is_the_program_s_own(sample: Sample, why: str, reply: str) -> None:
    """F4, fault (h): neither an error nor an answer without sense stops the work."""
    key = sample.rows["L3"].feature.key
    ticket = Ticket(f"{key}.g0.1.2.0-handoff", key, AT)
    job = replace(entering(sample, "implement", None).job, turn=Turn.HAND_OVER)
    said = sample.around.folder.keep(reply) if reply else ""
    found = done(write_handoff(ticket, job, said, why))
    text = sample.around.folder.fetch(found.result.reply)
    assert text == sample.around.folder.fetch(program_handoff(source_of(ticket, job)))
    with sample.around.database.read() as connection:
        event = events.last(connection, key, HandedOffEvent.kind)
    assert event is not None
    assert (event.data["judged"], event.data["tokens"]) == (False, estimate_tokens(text))


def test_an_answer_without_its_sections_goes_back_once(sample: Sample) -> None:
    """F4"""
    key = sample.rows["L3"].feature.key
    ticket = Ticket(f"{key}.g0.1.3.0-handoff", key, AT)
    job = replace(entering(sample, "implement", None).job, turn=Turn.HAND_OVER)
    keep = sample.around.folder.keep
    poor = done(write_handoff(ticket, job, keep("## Patterns\nx\n"), ""))
    assert poor.problem.startswith("the section 'Warnings' is missing")
    good = keep("## Patterns\nErrors are values.\n## Warnings\nThe clock jumps.\n")
    found = done(write_handoff(ticket, job, good, ""))
    assert found.problem == ""
    assert "The clock jumps." in sample.around.folder.fetch(found.result.reply)
