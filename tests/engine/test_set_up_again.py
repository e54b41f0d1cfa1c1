"""A feature whose set-up failed begins like any other once it works."""

from __future__ import annotations

from pathlib import Path

from tests.engine.played import FILES, play

SETTINGS = '[workspace]\nsetup = ["make setup"]\n'


def test_what_was_red_before_a_failed_set_up_blocks_nothing(tmp_path: Path) -> None:
    """H7: the checks of the untouched base run after the set-up, not before the first try only."""
    there = tmp_path / "there"
    rules = f"setup:\n\ttest -e {there}\ntest:\n\t@echo it was always broken; exit 1\n"
    files = {**FILES, "Makefile": rules, "sparing.toml": SETTINGS}
    played = play(tmp_path, "small_tier_l3.toml", "L3", files=files)
    assert played.say("init", "--yes").code == 0
    failed = played.say("run", "1")
    assert "set-up failed: make setup" in failed.err
    assert "fail before the feature begins" not in failed.err
    there.touch()
    assert played.say("resume", "1").code == 0
    said = played.say("run", "1")
    assert "these checks fail before the feature begins" in said.err
