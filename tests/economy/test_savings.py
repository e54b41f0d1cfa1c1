"""What was saved, lever by lever, recomputed from recorded dispatches.

Covers: E4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Lever, Policy, Way
from sparing.economy.comparison.bound import CallSize
from sparing.economy.comparison.naive import NaiveTurn, naive_usage
from sparing.economy.comparison.naive_replay import naive_turns
from sparing.economy.comparison.recorded_turn import RecordedTurn, ReplayedPrompt, SeedPrompt
from sparing.economy.comparison.replay import (
    ReplayedDispatch,
    ReplayedSessions,
    ReplayRules,
    all_fresh,
    as_recorded,
    replay_bills,
    seed_sent,
    with_lookups,
)
from sparing.economy.comparison.savings import Savings, savings
from sparing.economy.cost_model import TYPICAL
from sparing.usage import Origin, Usage

MODEL = "claude-sonnet-5"
BASE, DOCUMENT, ROLE, DELTA = 3_000, 5_000, 600, 300


def block(name: str, tokens: int, mark: Life | None = None) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, name, tokens, mark)


def look(
    number: int, role: str = "reviewer", *, resume: bool = False, mark: Life = Life.FIVE_MINUTES,
    gap: float = 60.0, calls: Sequence[CallSize] = (CallSize(0, 100), CallSize(400, 50)),
) -> RecordedTurn:  # fmt: skip
    """The n-th turn of a run: the document is shared, the role's words are not."""
    trunk, own = block("document", DOCUMENT, mark), block(f"words of {role}", ROLE)
    turn = block(f"turn {number}", 50)
    ways = {Way.COMPOSE: ReplayedPrompt((trunk, own, turn))}
    delta = (block(f"delta {number}", DELTA),) if resume else ()
    if resume:
        ways[Way.RESUME] = ReplayedPrompt(delta)
    naive = NaiveTurn(
        MODEL, gap * number, (f"all {number}", DOCUMENT + 50), (role, ROLE), ("tools", BASE),
        [(call.added, call.output) for call in calls],
    )  # fmt: skip
    paths = block(f"paths {number}", 80)
    words = replace(trunk, mark=None)
    seed = SeedPrompt(
        ReplayedPrompt((own, paths, turn), DOCUMENT, 1), 2_800, (own, words, turn), delta, 1_200
    )
    return RecordedTurn(
        f"specify {role}", role, MODEL, gap * number, 3.0, ("trunk", BASE),
        Way.RESUME if resume else Way.COMPOSE, tuple(calls), naive, ways, seed,
    )  # fmt: skip


def saved(turns: Sequence[RecordedTurn], policy: Policy = Policy.ADAPTIVE) -> Savings:
    return savings(turns, lambda _: TYPICAL, policy)


def cost(bills: Sequence[Usage]) -> float:
    return sum(map(TYPICAL.price, bills))


def test_a_run_is_billed_again_as_it_was() -> None:
    """E4: the second role reads base and document from the cache, its own words it writes."""
    bills = replay_bills([look(0, "a"), look(1, "b")], ReplayRules(as_recorded))
    prompt = BASE + DOCUMENT + ROLE + 50
    assert bills[0] == Usage(write_5m=prompt + 400, read=prompt, output=150)
    assert bills[1].write_5m == ROLE + 50 + 400
    assert bills[1].read == BASE + DOCUMENT + prompt


def test_the_ladder_from_the_naive_way_by_hand() -> None:
    """E4: two roles share a document; the naive way sends it in one block to each of them."""
    found = saved([look(0, "a"), look(1, "b")])
    fresh = found.naive
    assert (fresh.baseline, fresh.origin) == ("naive", Origin.SIMULATED)
    assert fresh.cost == pytest.approx(cost(naive_usage(naive_turns([look(0, "a"), look(1, "b")]))))
    steps = {step.lever: step.saved for step in fresh.steps}
    # In the trunk the document is written once and read once, instead of written twice; the
    # role's words, which the naive way marks by themselves, come with it.
    assert list(steps) == ["trunk"]
    assert steps["trunk"] == pytest.approx(DOCUMENT * (1.25 - 0.1))
    assert all(step.origin is Origin.SIMULATED for step in fresh.steps)


def test_the_ladder_from_the_original_rules_is_an_estimate() -> None:
    """E4: by path a document is read by a call of its own, which nobody has made."""
    found = saved([look(0, "a"), look(1, "b")])
    assert found.seed is not None
    assert [step.lever for step in found.seed.steps] == ["inline", "trunk"]
    assert {step.origin for step in found.seed.steps} == {Origin.ESTIMATED}
    assert found.seed.origin is Origin.ESTIMATED
    assert all(step.saved > 0 for step in found.seed.steps)


def test_a_session_that_went_on() -> None:
    """E4: what resuming saved against the same prompts sent fresh."""
    turns = [look(0), look(1, resume=True)]
    steps = {step.lever: step.saved for step in saved(turns).naive.steps}
    fresh = cost(replay_bills(turns, ReplayRules(all_fresh)))
    assert steps[Lever.RESUME] == pytest.approx(
        fresh - cost(replay_bills(turns, ReplayRules(as_recorded)))
    )
    assert steps[Lever.RESUME] > 0


def test_an_hours_life_and_pings_are_levers_of_their_own() -> None:
    """E4: a pause of ten minutes; an entry of an hour outlives it, a ping carries one of five."""
    hour = [look(0, mark=Life.ONE_HOUR), look(10, "b", mark=Life.ONE_HOUR)]
    steps = {step.lever: step.saved for step in saved(hour).naive.steps}
    assert steps[Lever.HOUR] > 0
    assert Lever.KEEP_ALIVE not in steps
    ping = replace(look(4), ways={}, calls=(CallSize(20, 1),), ping=True)
    kept = [look(0), ping, look(8, resume=True)]
    assert {step.lever for step in saved(kept).naive.steps} >= {Lever.KEEP_ALIVE}
    without = replay_bills(kept, ReplayRules(as_recorded, pings=False))
    assert without[1] == Usage()
    assert without[2].read < replay_bills(kept, ReplayRules(as_recorded))[2].read


def test_what_was_sent_ahead_is_a_lever_of_its_own() -> None:
    """E9, E4: two looks after ten minutes each; what the primer saved, less what it cost. Without
    any that comes late it has only cost."""
    trunk = block("document", DOCUMENT, Life.ONE_HOUR)
    ahead = replace(
        look(0, "primer"), at=-2.0, ways={Way.COMPOSE: ReplayedPrompt((trunk,))}, seed=None,
        calls=(CallSize(0, 1),), ping=True, ahead=True,
    )  # fmt: skip
    looks = [look(0, "a"), look(10, "b"), look(20, "c")]
    found = saved([ahead, *looks])
    steps = {step.lever: step.saved for step in found.naive.steps}
    primed = BASE + DOCUMENT
    assert steps[Lever.PRIMER] == pytest.approx(2 * 1.15 * primed - 0.85 * primed, abs=20)
    assert sum(steps.values()) == pytest.approx(found.naive.cost - found.replayed)
    assert found.bound <= saved(looks).bound, "it is no work of its own"
    soon = {step.lever: step.saved for step in saved([ahead, look(0, "a")]).naive.steps}
    assert soon[Lever.PRIMER] == pytest.approx(-0.85 * primed, abs=20)


@pytest.mark.parametrize(("delta_chars", "way"), [(1_400, Way.RESUME), (1_401, Way.REFERENCE)])
def test_the_original_goes_on_unless_the_change_is_long(delta_chars: int, way: Way) -> None:
    """E4, C6: more than half of the characters of its own latest fresh prompt are too many."""
    again = look(1, resume=True)
    assert again.seed is not None
    again = replace(again, seed=replace(again.seed, delta_chars=delta_chars))
    taken: list[Way] = []

    def pick(turn: RecordedTurn, talk: ReplayedSessions) -> ReplayedDispatch:
        sent = seed_sent(turn, talk)
        taken.append(sent.way)
        return sent

    replay_bills([look(0), again], ReplayRules(pick))
    assert taken == [Way.REFERENCE, way]


def test_documents_by_path_take_a_call_more() -> None:
    """E4: the same work after it."""
    calls = (CallSize(900, 30), CallSize(400, 50))
    assert with_lookups(calls, [5_200]) == (
        CallSize(900, 150),
        CallSize(5_350, 30),
        CallSize(400, 50),
    )
    assert with_lookups(calls, []) == calls


def test_work_that_a_lever_spared_stands_beside_the_sums() -> None:
    """E4: estimated, and in neither ladder."""
    turns = [look(0, "a"), look(1, "b")]
    plain = saved(turns)
    found = savings(turns, lambda _: TYPICAL, Policy.ADAPTIVE, {Lever.NOTES: {1: [4_000]}})
    (step,) = found.beyond
    assert (step.lever, step.origin) == ("notes", Origin.ESTIMATED)
    assert step.saved > 4_000 * TYPICAL.write_5m
    assert (found.naive, found.replayed) == (plain.naive, plain.replayed)


def test_a_turn_that_followed_at_once() -> None:
    """E4: a reply put into shape goes on in the session under every rule."""
    follow = replace(look(1), ways={}, way=Way.RESUME, calls=(CallSize(40, 20),), seed=None)
    bill = replay_bills([look(0), follow], ReplayRules(all_fresh))[1]
    assert bill.write_5m == 50 + 40
    assert saved([look(0), follow]).seed is not None


def test_a_session_that_these_records_do_not_hold() -> None:
    """E4: it is sent as one block that nobody has cached."""
    lost = replace(look(1, resume=True), transcript=20_000)
    assert replay_bills([lost], ReplayRules(as_recorded))[0].write_5m >= 20_000 + DELTA


def test_without_what_the_original_would_send_nothing_is_claimed() -> None:
    """E4: rows of an older version."""
    assert saved([replace(look(0), seed=None)]).seed is None


def test_a_run_by_the_original_rules_has_no_steps_from_them() -> None:
    """E4: what was not done can have saved nothing."""
    turn = look(0)
    assert turn.seed is not None
    sent = replace(turn, way=Way.REFERENCE, ways={**turn.ways, Way.REFERENCE: turn.seed.fresh})
    found = saved([sent], Policy.SEED)
    assert found.seed is not None
    assert (found.seed.steps, found.seed.cost) == ((), pytest.approx(found.replayed))


def test_models_share_no_cache() -> None:
    """E4: two models have twice the bound of one that looks once."""
    turn = look(0)
    other = replace(turn, model="claude-opus-5", naive=replace(turn.naive, model="claude-opus-5"))
    assert saved([turn, other]).bound == pytest.approx(2 * saved([turn]).bound)


@st.composite
def runs(draw: st.DrawFn) -> list[RecordedTurn]:
    turns: list[RecordedTurn] = []
    asked: set[str] = set()
    gap = draw(st.sampled_from([30.0, 200.0, 400.0]))
    for number in range(draw(st.integers(1, 6))):
        role = draw(st.sampled_from(["a", "b"]))
        calls = [CallSize(0, 100), *[CallSize(500, 80)] * draw(st.integers(0, 4))]
        resume = role in asked and draw(st.booleans())
        turns.append(look(number, role, resume=resume, gap=gap, calls=calls))
        asked.add(role)
    return turns


@settings(max_examples=40, deadline=None)
@given(turns=runs())
def test_steps_add_up_and_limits_hold(turns: list[RecordedTurn]) -> None:
    """E4: a ladder leads to the run exactly; nothing beats the bound; hindsight is no worse."""
    found = saved(turns)
    for ladder in (found.naive, found.seed):
        assert ladder is not None
        total = ladder.cost - sum(step.saved for step in ladder.steps)
        assert total == pytest.approx(found.replayed)
    assert found.bound <= found.replayed + 1e-6
    assert found.oracle.cost <= found.replayed + 1e-6
    assert sum(found.bills) == pytest.approx(found.replayed)


def test_a_builder_goes_on_from_stage_to_stage() -> None:
    """E4: in the session it used last, whatever the stages are called."""
    stages = ("plan", "implement", "done")
    turns = [
        replace(look(n, "builder", resume=n > 0), line=f"{stage} builder", at=60.0 * n)
        for n, stage in enumerate(stages)
    ]
    bills = replay_bills(turns, ReplayRules(as_recorded))
    first = BASE + DOCUMENT + ROLE + 50 + 400
    assert bills[1].write_5m == 50 + DELTA + 400
    assert bills[2].read == 2 * (first + 50 + DELTA + 400) + 50 + DELTA


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Policy.ADAPTIVE, "sessions resumed, expected cheaper"),
        (Policy.SEED, "sessions resumed"),
    ],
)
def test_only_a_policy_that_predicts_expected_anything(policy: Policy, words: str) -> None:
    """E4, K1: under `seed` a session is resumed by rule, whatever it is going to cost."""
    found = saved([look(0), look(1, resume=True)], policy)
    assert words in [one.words for one in found.naive.steps]
