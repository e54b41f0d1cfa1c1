"""Before stages are left out or run again, a person at a terminal is asked. Covers: A1."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.flow.state import FlowState
from tests.engine.played import Played, play
from tests.typed import Typed


def stage_of(played: Played) -> str:
    return FlowState.load(played.row.place["state"]).stage


def asked(played: Played, words: tuple[str, ...], question: str, answer: str) -> str:
    """What stands on the terminal after this answer to the question."""
    own = {"SPARING_STATE__FOLDER": str(played.folder / "state")}
    terminal = Typed(played.repository, *words, environ=own)
    terminal.wait_for(f"{question} [y/N]: ")
    terminal.type(f"{answer}\n")
    terminal.end()
    return terminal.screen


@pytest.mark.long
def test_skip_and_back_say_what_is_lost_and_ask(tmp_path: Path) -> None:
    """A1: no, and Enter, leave the feature where it is; `--yes` is not asked."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    for answer, then in (("n", "brainstorm"), ("", "brainstorm"), ("y", "plan")):
        screen = asked(played, ("skip", "1", "plan"), "skip to plan?", answer)
        assert "design_review is left out: nobody reviews the result" in screen
        assert stage_of(played) == then
    assert played.say("run", "1").code == 2
    words = ("back", "1", "brainstorm")
    assert "is left" not in asked(played, words, "go back to brainstorm?", "n")
    own = {"SPARING_STATE__FOLDER": str(played.folder / "state")}
    unasked = Typed(played.repository, *words, "--yes", environ=own)
    assert unasked.end() == 0, unasked.screen
    assert "plan is left, back to brainstorm" in unasked.screen
    assert "[y/N]" not in unasked.screen
