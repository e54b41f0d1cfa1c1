"""`.meta.json` says what the database says, after every command and in every commit.

Covers: A1, A2, A5, C1, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.commits.meta_json import project
from sparing.runtime.place_store import load_place
from tests.engine.played import Played, play
from tests.repositories import git


def assert_projected(played: Played) -> None:
    """The branch's file is what the rows give."""
    row = played.row
    place = load_place(played.office().folder, row.place)
    assert played.meta() == project(row, place)


@pytest.mark.long
def test_a_tier_is_told_in_full(tmp_path: Path) -> None:
    """A5, A2, F9: how often each stage was worked on, what judges remarked, in every commit; and
    verify leaves its document."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    done = played.say("run", "1", "--yes")
    assert done.code == 0, done.err
    meta = played.meta()
    assert {stage: one["iterations"] for stage, one in meta["phases"].items()} == {
        "brainstorm": 1, "design_review": 1, "plan": 1, "implement": 2, "code_review": 2,
        "verify": 1, "done": 1,
    }  # fmt: skip
    note = "suggestion: Say in which language the greeting is."
    assert meta["phases"]["design_review"]["reviewerNotes"] == [note]
    assert (meta["status"], meta["lastCompletedPhase"]) == ("completed", "done")
    assert_projected(played)
    told = [one.text for one in played.told() if one.kind == "commit"]
    assert told.count("Write design_review.md (001)") == 1, "K1: what judges leave is told too"
    assert told.count("Write code_review.md (001)") == 2
    text = played.document("verification.md")
    assert "## Outcome\nPassed: no check is red" in text
    assert ": green (" in text
    assert "`make test`" in text
    branch = played.row.feature.branch
    commits = git(played.repository, "rev-list", "--reverse", f"main..{branch}").split()
    told = [played.meta(commit) for commit in commits]
    assert [one["lastCompletedPhase"] for one in told][0] is None
    refused = next(one for one in told if one["phases"].get("code_review"))
    assert refused["phases"]["code_review"]["completed"] is None
    assert refused["lastCompletedPhase"] == "implement"


def test_an_abandoned_feature_says_so(tmp_path: Path) -> None:
    """A5: at once, in a commit of its own; the branch stays."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1").code == 2
    assert played.meta()["status"] == "active"
    assert played.say("abandon", "1", "--yes").code == 0
    assert played.meta()["status"] == "abandoned"
    assert played.subjects()[0] == "Abandon the feature (001)"
    assert_projected(played)


@pytest.mark.parametrize(
    ("flow", "said"),
    [("L3", "has no tasks: the flow L3 implements it in one stage"), ("feature", "no tasks yet")],
)
def test_a_flow_without_tasks_says_so(tmp_path: Path, flow: str, said: str) -> None:
    """K1: "yet" would promise some."""
    assert said in play(tmp_path, "small_tier_l3.toml", flow).say("tasks", "1").out


def test_a_skip_is_told_asked_and_recorded(tmp_path: Path) -> None:
    """A1, A5, K1: before the first run too; what is lost is said, and the record has it."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    said = played.say("skip", "1", "plan", "--json")
    assert said.code == 0, said.err
    assert said.json["lost"] == [
        "brainstorm is left out: there will be no brainstorm.md",
        "design_review is left out: nobody reviews the result",
    ]
    assert played.say("run", "1").code == 2
    state = played.say("show", "1", "--json").json
    assert (state["stage"], state["position"]) == ("plan", "gate")
    skips = [
        {"phase": "brainstorm", "toPhase": "plan"}, {"phase": "design_review", "toPhase": "plan"},
    ]  # fmt: skip
    assert played.meta()["skippedPhases"] == skips
    assert "plan" in played.meta()["phases"]
    refused = played.say("skip", "1", "implement")
    assert "nothing would be skipped" in refused.err
    assert "fix: sparing approve 001" in refused.err


def test_a_skipped_stage_that_is_done_after_all_is_no_longer_skipped(tmp_path: Path) -> None:
    """A1, A5: in `.meta.json` and on the page; what runs again is not shown as done."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("skip", "1", "plan").code == 0
    assert "\n\n\n" not in played.say("show", "1").out
    assert played.say("run", "1").code == 2
    assert played.say("back", "1", "brainstorm").code == 0
    assert played.say("run", "1").code == 2
    assert played.meta()["skippedPhases"] == [{"phase": "design_review", "toPhase": "plan"}]
    told = [line.strip() for line in played.say("show", "1").out.splitlines()]
    assert told.index("? brainstorm") < told.index("· plan")


@pytest.mark.long
def test_going_back_says_what_runs_again(tmp_path: Path) -> None:
    """A1: without a terminal nobody is asked; it is told all the same."""
    played = play(tmp_path, "small_tier_l3.toml", "L3", overrides={"flow.gates": ["plan"]})
    assert played.say("run", "1", SPARING_FLOW__GATES="plan").code == 2
    said = played.say("back", "1", "brainstorm")
    assert said.code == 0, said.err
    assert "run and paid for again: brainstorm, design_review, plan ($" in said.err
    assert "no longer approved: brainstorm, design_review" in said.err
    assert "plan is left, back to brainstorm" in said.out
