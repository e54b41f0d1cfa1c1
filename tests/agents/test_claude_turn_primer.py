"""What the real client leaves of a trunk that is sent ahead, and a provider that never reads it.

Covers: E9, C15
"""

from __future__ import annotations

from pathlib import Path

from sparing.agents.checks.hour_check import NO
from sparing.agents.checks.resume_check import Item
from tests.agents.claude_double import ClaudeDouble
from tests.agents.test_conformance_primer import asked_of, primed


def test_nothing_of_it_is_left(claude: ClaudeDouble, cwd: Path) -> None:
    """E9: no session that could be gone on with, and nothing was done."""
    ahead = primed(claude, cwd, writes=True)
    assert not list(claude.config.glob(f"projects/*/{ahead.session}.jsonl"))
    assert list(cwd.iterdir()) == []


def test_a_provider_that_keeps_lives_apart_is_found_out(claude: ClaudeDouble, cwd: Path) -> None:
    """E9: then nothing is sent ahead; whether sessions are resumed is another question."""
    claude.double.control(reset_cache=True, lives_apart=True)
    found = asked_of(claude, cwd)
    assert found.items[1:] == (Item("V6", False, NO),)
    assert (found.passed, found.reason) == (True, "")
