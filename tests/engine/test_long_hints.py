"""A hint repairs, where its state is one that a run leaves behind: stories of one feature each, in
which the person only types what the last message named.

Covers: A3, K1, E3, F5, C2, H2
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engine.played import Played, play
from tests.engine.test_hints import repair, state, typed
from tests.repositories import git

pytestmark = pytest.mark.long


@pytest.fixture
def gate(tmp_path: Path) -> Played:
    """A feature of tier L3 that waits at its first gate."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1").code == 2
    return played


def test_what_has_not_begun_is_run(tmp_path: Path) -> None:
    """K1: every message about it names the one command that begins it."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    causes = (("resume", "1"), ("rerun", "1", "brainstorm", "--yes"), ("back", "1", "brainstorm"))
    before = [played.say(*words) for words in causes]
    assert {repair(one) for one in before} == {"sparing run 001"}
    assert "sparing run 001" in played.say("status").out
    assert typed(played, "sparing run 001").code == 2
    assert "waits for you" in played.say("status").out
    after = [played.say(*words) for words in causes]
    assert all(one.err != two.err for one, two in zip(before, after, strict=True))


def test_a_gate_by_hints(gate: Played) -> None:
    """A1, A3, K1: a stub can't be built on; the message's `edit` repairs it, and what is said to
    be next leads on each time."""
    stub = {"EDITOR": 'sh -c \'printf "# Stub" > "$0"\''}
    whole = "# Brainstorm\\n## Idea\\nA greeting in a file of its own, which all find at once.\\n"
    good = {"EDITOR": f'sh -c \'printf "{whole * 2}" > "$0"\''}
    assert gate.say("skip", "1", "plan", "--yes").code == 0
    assert gate.say("run", "1").code == 2
    assert state(gate) == ("plan", "gate")
    assert gate.say("edit", "1", "plan", **stub).code == 0
    refused = gate.say("approve", "1")
    assert "plan.md has" in refused.err
    assert repair(refused) == "sparing edit 001 plan"
    assert typed(gate, repair(refused), **good).code == 0
    assert gate.say("approve", "1").code == 0
    twice = gate.say("approve", "1")
    assert typed(gate, repair(twice)).code == 2
    assert state(gate) == ("code_review", "gate")


def test_a_cap_by_hints(tmp_path: Path) -> None:
    """E3, K1: `resume` names `raise` with the amount, and that is enough."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    cap = {"SPARING_CAPS__FEATURE_TOKENS": "10"}
    assert played.say("run", "1", **cap).code == 3
    stopped = played.say("resume", "1", **cap)
    assert repair(played.say("raise", "1", **cap)) == repair(stopped)
    raised = typed(played, repair(stopped), **cap)
    assert raised.code == 0
    command = raised.out.strip().rpartition("otherwise: ")[2]
    assert typed(played, command, **cap).code == 2
    assert state(played) == ("brainstorm", "gate")


def test_questions_by_hints(tmp_path: Path) -> None:
    """F5, K1: without words, with too few, with a default that is not there: each says how."""
    played = play(tmp_path, "asking_authors.toml")
    gates = {"SPARING_FLOW__GATES": "design"}
    assert played.say("run", "1", **gates).code == 2
    nobody = played.say("answer", "1")
    assert repair(nobody) == 'sparing answer 001 "say it here"'
    assert "sparing answer 001 --defaults" in played.say("answer", "1", "one", "--defaults").err
    bare = played.say("answer", "1", "--defaults")
    assert repair(bare) == 'sparing answer 001 --question 1 "say it here"'
    assert 'sparing answer 001 "' in repair(played.say("answer", "1", " "))
    assert typed(played, repair(bare).replace("say it here", "one")).code == 0
    assert "is already answered" in played.say("answer", "1", "two").err
    assert played.say("run", "1", **gates).code == 2
    assert state(played) == ("design", "gate")


def test_findings_by_hints(tmp_path: Path) -> None:
    """C2, K1: what stays open is listed, ruled on as the list says, and then approved."""
    gates = {"SPARING_FLOW__GATES": "specify"}
    played = play(tmp_path, "objecting_reviewer.toml", overrides={"review.cap": 2})
    assert played.say("run", "1", **gates).code == 2
    listed = typed(played, "sparing rule 001").out
    command = listed.rpartition("it may stay: ")[2].strip()
    finding = command.split()[3]
    assert repair(played.say("rule", "1", finding)) == f'sparing rule 001 {finding} dismiss "why"'
    reasonless = repair(played.say("rule", "1", finding, "dismiss"))
    assert reasonless == f'sparing rule 001 {finding} dismiss "say it here"'
    ruled = typed(played, command)
    assert ruled.code == 0
    assert "it may stay" not in typed(played, "sparing rule 001").out
    assert typed(played, ruled.out.strip().rpartition(": ")[2]).code in (0, 2)


def test_a_merged_feature_by_hints(tmp_path: Path) -> None:
    """K1: what is over says so, its worktree goes as the message has it, another one begins."""
    played = play(tmp_path, "small_tier_l3.toml", "L1")
    assert played.say("run", "1", "--yes").code == 0
    git(played.repository, "merge", "--quiet", played.row.feature.branch)
    assert "sparing clean" in played.say("status").out
    assert "sparing clean 001" in played.say("show", "1").out
    fonts = {"MPLCONFIGDIR": str(tmp_path)}
    nowhere = played.say("report", "--html", "--output", "README.md/x.html", **fonts)
    assert typed(played, repair(nowhere), **fonts).code == 0
    merged = played.say("rerun", "1", "plan", "--yes")
    assert repair(merged) == 'start another one: sparing start "…"'
    assert typed(played, "sparing clean 001").code == 0
    assert "sparing clean" not in played.say("status").out + played.say("show", "1").out


def test_a_branch_and_a_worktree_that_are_gone(gate: Played) -> None:
    """H2, I1, K1: `sparing resume` alone is enough: one feature was stopped."""
    feature = gate.row.feature
    (tree,) = (gate.folder / "state").glob(f"*/worktrees/{feature.name}")
    shutil.rmtree(tree)
    git(gate.repository, "worktree", "prune")
    git(gate.repository, "branch", "-D", feature.branch)
    assert gate.say("approve", "1").code == 0
    gate.say("run", "1")
    stage, position = state(gate)
    if position == "stuck":
        assert typed(gate, "sparing resume").code == 0
        assert gate.say("run", "1").code == 2
        stage, position = state(gate)
    assert (stage, position) == ("design_review", "gate")
