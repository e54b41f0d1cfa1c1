"""The demo through the real client, where it is not installed. Covers: A1, G1."""

from __future__ import annotations

from pathlib import Path

from sparing.agents.claude.client import find_client
from sparing.installation import add_command
from tests.terminal import sparing

if find_client() is None:

    def test_without_the_client_the_demo_says_what_to_install(tmp_path: Path) -> None:
        said = sparing(tmp_path, "demo", "--backend", "claude-double")
        assert said.code == 1
        assert said.complaint[-1] == f"fix: install it: {add_command('claude')}"
        assert list(tmp_path.iterdir()) == []
