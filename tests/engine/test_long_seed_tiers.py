"""The tiers under `seed`: the judge sits in the builder's session, which builds on afterwards.
Under other policies it begins anew each time, and is told what it found before.

Covers: F1, F6, F9, A2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.played import play

pytestmark = pytest.mark.long
SEED = {"review.policy": "seed"}


@pytest.mark.parametrize("flow", ["L1", "L2"])
def test_a_tier_comes_to_its_end_under_seed(tmp_path: Path, flow: str) -> None:
    """A2: from the plan to the last commit, in one session. F9: whoever sums up is told what the
    program itself has verified since."""
    played = play(tmp_path, "small_tier_l3.toml", flow, overrides=SEED)
    done = played.say("run", "1", "--yes")
    assert done.code == 0, done.err
    assert played.meta()["status"] == "completed"
    # K1: the policy it ran under, whatever the settings say afterwards.
    later = {"SPARING_REVIEW__POLICY": "adaptive"}
    assert "\n  policy seed\n" in played.say("show", "1", **later).out
    assert played.say("report", "1", "--json", **later).json["policies"] == ["seed"]
    summed = played.say("show", "prompt", "builder", "--feature", "1", "--stage", "done").out
    assert "resumed session (--way resume)" in summed
    assert ('name="verification.md"' in summed) == (flow == "L2")
    told = 'name="check-results">\n- test: green\n</document>'
    assert (told in summed) == (flow == "L1") == ("The document `check-results`" in summed)
    assert "The document `feedback`" not in summed  # nothing was said of an earlier attempt


def test_a_judge_in_the_session_does_not_take_the_builders_tools(tmp_path: Path) -> None:
    """F1, F6: after a turn that may write nothing the builder writes plan and code, and the
    code again. The script's judge is shown no diff there, and so never approves."""
    played = play(tmp_path, "small_tier_l3.toml", "L3", overrides=SEED)
    done = played.say("run", "1", "--yes")
    assert "may not write" not in done.err
    subjects = played.subjects()
    assert "Write plan.md (001)" in subjects
    assert subjects.count("Greet people (001)") == 1
    assert "Address the review (001)" in subjects, "C5: the second attempt is no second feature"
    for role, stage in (("builder", "implement"), ("judge", "code_review")):
        again = played.say("show", "prompt", role, "--feature", "1", "--stage", stage).out
        assert f"you now enter the `{stage}` stage again" in again
        assert "# Skill: " not in again, "B7: the guide is in its context"


def test_a_judge_that_begins_anew_is_told_what_became_of_its_findings(tmp_path: Path) -> None:
    """F9, C17: what it found, and what the builder says of it. K1: its looks are counted, and of
    what nobody reviewed no rounds are told."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1", "--yes").code == 0
    again = played.say("show", "prompt", "judge", "--feature", "1", "--stage", "code_review").out
    assert "- `F1` blocker, judge, greeting.txt: The greeting names nobody." in again
    assert "It greets Ada now." in again
    # B6: of the builder's reply its words, and not the form that ends it.
    assert "### HANDOFF" not in again
    assert "**Status**" not in again
    # C13: what it found is in the history, with what became of it.
    told = played.document(".review-history.md")
    assert [one for one in told.splitlines() if one.startswith("## ")] == [
        "## design_review · judge · iteration 1", "## code_review · judge · iteration 1",
        "## code_review · judge · iteration 2",
    ]  # fmt: skip
    assert "**Decision:** does not pass: back to implement\n" in told
    assert "- [blocker] The greeting names nobody. (at: greeting.txt)\n  State: F1\n" in told
    assert "**Changes made:**\n- It greets Ada now.\n" in told
    second = ("--feature", "1", "--stage", "code_review", "--iteration", "2")
    seen = played.say("show", "prompt", "judge", *second).out
    assert "not sent" not in seen, "K1: the iteration is the one that `show` names"
    assert "It greets Ada now." in seen
    shown = played.say("show", "1").out
    assert "judge, iteration 1: 1 finding\n" in shown
    assert "judge, iteration 2: passed\n" in shown
    assert "  - code_review: 2 rounds, nothing open\n" in shown
    assert "  - verify: " not in shown
    assert "code_review, 2 reviews in 2 iterations" in played.say("show", "reviews", "1").out
    summed = played.say("show", "prompt", "builder", "--feature", "1", "--stage", "done").out
    assert "Passed. It names somebody." in summed, "F4: how the last judge ended, not that it did"


def test_who_joins_a_session_that_the_judge_opened_is_told_its_role_and_form(
    tmp_path: Path,
) -> None:
    """F1, F7: where brainstorm was skipped. Once told, the builder is not told again."""
    played = play(tmp_path, "small_tier_l3.toml", "L3", overrides=SEED)
    assert played.say("skip", "1", "design_review").code == 0
    played.say("run", "1", "--yes")
    for stage, told in (("plan", True), ("implement", False)):
        sent = played.say("show", "prompt", "builder", "--feature", "1", "--stage", stage).out
        assert "resumed session (--way resume)" in sent
        assert ("# Your role: builder" in sent) == told
        assert ("- **Next Stage Needs**" in sent) == told
        assert ("End with the HANDOFF block as before" in sent) != told
