"""A reviewer that repeats a finding, and an author that does not give in: parked, with both sides.

Covers: C2, C9, K1
"""

from __future__ import annotations

from pathlib import Path

from tests.engine.played import Played, play

REVIEWER = "spec-reviewer: The order of ties depends on the locale, and no locale is named."
AUTHOR = "the author answered: code points are the order of the rest of the program, so no locale"
GATES = {"SPARING_FLOW__GATES": "specify", "COLUMNS": "80"}


def parked(folder: Path) -> Played:
    return play(folder, "repeating_reviewer.toml", overrides={"review.cap": 8})


def flat(text: str) -> str:
    """Lines of a screen are folded."""
    return " ".join(text.split())


def test_it_is_parked_with_both_sides_and_not_burnt_to_the_cap(tmp_path: Path) -> None:
    """C2: three rounds of eight; the screen says who says what, and what a person can do."""
    played = parked(tmp_path)
    said = played.say("run", "1", "--no-input", **GATES)
    assert said.code == 2
    assert said.err.count("✗ spec-reviewer: 1 blocker") == 3
    screen = flat(said.err.partition("001 waits: ")[2])
    assert screen.startswith("stopped before the cap: the last revision settled no finding")
    assert "F1 blocker, specify, spec-reviewer, contested, raised 3 times" in screen
    assert REVIEWER in screen
    assert AUTHOR in screen
    for command in ("approve 001", "rule 001", 'reject 001 "what should be different"'):
        assert f"sparing {command}" in screen
    listed = played.say("rule", "1", **GATES).out
    assert REVIEWER in flat(listed)
    assert AUTHOR in flat(listed)
    assert "it must be fixed: sparing rule 001 F1 uphold" in listed


def test_a_person_dismisses_it_and_the_loop_ends(tmp_path: Path) -> None:
    """C9: the word counts, and no further round is paid for."""
    played = parked(tmp_path)
    assert played.say("run", "1", "--no-input", **GATES).code == 2
    ruled = played.say("rule", "1", "F1", "dismiss", "one language is enough", **GATES)
    assert ruled.code == 0
    assert "sparing approve 001" in ruled.out
    assert played.say("approve", "1", **GATES).code == 0
    on = played.say("run", "1", "--no-input", **GATES)
    assert "spec-author" not in on.err
    assert "✓ phase-reviewer passed" in on.err
    waits = "waits: your approval of specify; its review had stopped for a person"
    assert f"{waits}: spec-reviewer passed, phase-reviewer passed\n" in on.err
