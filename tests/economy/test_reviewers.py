"""What a reviewer brings for its cost, and what is advised about one that brings little.

Covers: E4, C16.
"""

from __future__ import annotations

from sparing.economy.reviewers import (
    Post,
    PricedLook,
    RaisedFinding,
    ReviewerAdvice,
    advice,
    by_role,
    yields,
)

SPEC = Post("spec-reviewer", "m", "specify")
PHASE = Post("phase-reviewer", "m", "specify")
DESIGN = Post("phase-reviewer", "m", "design")


def looks(post: Post, count: int, nano: int | None = 100) -> list[PricedLook]:
    return [PricedLook(post, nano)] * count


def blocker(post: Post, *others: str, accepted: bool = True) -> RaisedFinding:
    return RaisedFinding(post, blocker=True, accepted=accepted, others=others)


def test_cost_for_an_accepted_blocker_by_role_model_and_stage() -> None:
    """E4: one that was not accepted costs, and brings nothing."""
    other = PHASE._replace(model="n")
    raised = [blocker(SPEC), blocker(SPEC, accepted=False), RaisedFinding(SPEC, False, True)]
    found = yields([*looks(SPEC, 3), *looks(PHASE, 1), *looks(other, 1), *looks(DESIGN, 1)], raised)
    assert [one.post for one in found] == [SPEC, PHASE, other, DESIGN]
    spec = found[0]
    assert (spec.looks, spec.blockers, spec.accepted, spec.settled) == (3, 2, 1, 1)
    assert (spec.nano_usd, spec.each) == (300, 300)
    assert found[1].each is None
    assert [(one.post, one.looks) for one in by_role(found)] == [
        (SPEC, 3),
        (Post("phase-reviewer", "", ""), 3),
    ]


def test_an_unknown_cost_is_not_zero() -> None:
    """E2"""
    (found,) = yields(looks(SPEC, 2, None), [blocker(SPEC)])
    assert (found.nano_usd, found.each) == (None, None)


def test_no_advice_before_there_are_looks_enough() -> None:
    """E4: nothing in nine looks says little."""
    assert advice(yields(looks(SPEC, 9), [])) == ()


def test_one_that_never_finds_a_blocker_is_sampled_then_dropped() -> None:
    """E4: with what the silence still allows."""
    (sample,) = advice(yields(looks(SPEC, 10), []))
    assert (sample.measure, sample.role) == (ReviewerAdvice.SAMPLE, "spec-reviewer")
    assert sample.why.endswith("none in 10 reviews: at most 1 in 3 finds one (95 % certain)")
    (drop,) = advice(yields(looks(SPEC, 20), []))
    assert drop.words.startswith("drop spec-reviewer: nothing it raised was accepted")
    settled = [RaisedFinding(SPEC, blocker=False, accepted=True)]
    (kept,) = advice(yields(looks(SPEC, 20), settled))
    assert kept.measure is ReviewerAdvice.SAMPLE


def test_one_whose_blockers_another_raises_too_is_merged() -> None:
    """E4: four of five."""
    raised = [*[blocker(SPEC, "phase-reviewer")] * 4, blocker(SPEC)]
    (found,) = advice(yields(looks(SPEC, 5), raised))
    assert found.words == (
        "merge spec-reviewer: 4 of its 5 accepted blockers were raised by phase-reviewer too"
    )
    fewer = [*[blocker(SPEC, "phase-reviewer")] * 3, *[blocker(SPEC)] * 2]
    assert advice(yields(looks(SPEC, 5), fewer)) == ()


def test_a_dear_one_is_sampled() -> None:
    """E4: more than five times what others' accepted blockers cost."""
    third = Post("design-reviewer", "m", "design")
    found = yields(
        [*looks(SPEC, 10), *looks(third, 10), *looks(PHASE, 10, 10_000)],
        [blocker(SPEC), blocker(third), blocker(PHASE)],
    )
    (one,) = advice(found)
    assert one.words == (
        "sample phase-reviewer: its accepted blockers cost 100 times as much as usual"
    )
