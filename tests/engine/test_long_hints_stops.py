"""A hint repairs, where a stage stops for a reason of its own: every choice that a screen names is
typed, and leads on.

Covers: A3, A6, K1, E3, F5
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.played import Played, play
from tests.engine.test_hints import repair, state, typed

pytestmark = pytest.mark.long


@pytest.fixture
def gate(tmp_path: Path) -> Played:
    """A feature of tier L3 that waits at its first gate."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1").code == 2
    return played


def offered(played: Played) -> list[str]:
    return [one["command"] for one in played.say("show", "1", "--json").json["choices"]]


def test_an_idea_ends_as_its_document(gate: Played) -> None:
    """A1: `stop` is offered at the first gate, and is taken there."""
    assert "sparing stop 001" in gate.say("show", "1").out
    assert typed(gate, "sparing stop 001").code == 0
    assert state(gate) == ("brainstorm", "abandoned")
    assert "sparing stop" not in gate.say("show", "1").out


def test_a_first_stage_that_is_stuck_is_skipped(tmp_path: Path) -> None:
    """A6: by the command that stands among its choices."""
    script = tmp_path / "nobody.toml"
    script.write_text('[[turn]]\nrole = "nobody"\nreply = ""\n')
    played = play(tmp_path, str(script))
    assert played.say("run", "1").code == 2
    assert state(played) == ("brainstorm", "stuck")
    assert "sparing skip 001" in offered(played)
    assert typed(played, "sparing skip 001").code == 0
    played.say("run", "1")
    assert state(played)[0] == "specify"


def test_stages_that_were_left_out_or_are_yet_to_come(gate: Played) -> None:
    """A3: what is behind is gone back to, what is ahead is skipped to, what is over begins where
    something is known."""
    ahead = gate.say("rerun", "1", "plan", "--yes")
    assert repair(ahead) == "skip ahead to it: sparing skip 001 plan"
    assert typed(gate, "sparing skip 001 plan").code == 0
    assert gate.say("run", "1").code == 2
    assert state(gate) == ("plan", "gate")
    behind = gate.say("rerun", "1", "design_review", "--yes")
    assert repair(behind) == "go back to it: sparing back 001 design_review"
    assert typed(gate, "sparing back 001 design_review").code == 0
    assert gate.say("run", "1").code == 2
    assert state(gate) == ("design_review", "gate")


def test_a_stage_that_was_left_out_of_a_finished_feature(gate: Played) -> None:
    """A3: it is over, so only a rerun of what is known leads on."""
    assert gate.say("skip", "1", "plan", "--yes").code == 0
    assert gate.say("run", "1", "--yes").code == 0
    left_out = gate.say("rerun", "1", "design_review", "--yes")
    command = repair(left_out).removeprefix("from a stage before it: ")
    assert command == "sparing rerun 001 brainstorm"
    assert typed(gate, repair(typed(gate, command))).code == 0
    assert gate.say("run", "1").code == 2
    assert state(gate) == ("brainstorm", "gate")


def test_too_small_a_raise_names_what_is_enough(tmp_path: Path) -> None:
    """E3"""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    cap = {"SPARING_CAPS__FEATURE_TOKENS": "10"}
    assert played.say("run", "1", **cap).code == 3
    stopped = played.say("resume", "1", **cap)
    assert repair(stopped).startswith("sparing raise 001 --tokens ")
    little = played.say("raise", "1", "--tokens", "20", **cap)
    assert "raised, but not enough" in little.out
    command = little.out.splitlines()[-1].strip()
    assert command == repair(stopped)
    assert typed(played, command, **cap).code == 0
    assert played.say("run", "1", **cap).code == 2
    assert state(played) == ("brainstorm", "gate")


def test_one_question_after_the_other(tmp_path: Path) -> None:
    """F5: what is left is named until nothing is."""
    script = Path(__file__).parents[1] / "scripts" / "asking_authors.toml"
    text = script.read_text("utf-8")
    both = text.replace("(default: in English)", "\n- In which file is it?")
    assert both != text
    (tmp_path / "script.toml").write_text(both)
    played = play(tmp_path, str(tmp_path / "script.toml"))
    gates = {"SPARING_FLOW__GATES": "specify"}
    assert played.say("run", "1", **gates).code == 2
    first = played.say("answer", "1", "English", "--question", "1")
    assert "open questions: 1" in first.out
    command = first.out.splitlines()[-1].strip()
    assert command == 'sparing answer 001 --question 2 "…"'
    last = typed(played, command.replace("…", "greeting.txt"))
    assert last.code == 0
    assert typed(played, last.out.splitlines()[-1].strip(), **gates).code == 2
    assert played.say("show", "1", "--json").json["questions"] == []
