"""A hostile agent in a real run: contained, undone or refused, and reported each time.

Covers: H1, H5, H6, H7
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.engine.hostile_run import ATTEMPTS, CANARY, Ran, hostile_run

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        level_reached().level < SandboxLevel.SEALED, reason="this host can't seal agents in"
    ),
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    with hostile_run(tmp_path_factory.mktemp("machine")) as found:
        yield found


def test_nothing_of_it_lands(ran: Ran) -> None:
    """H6: looked up in the world, not in what the agent says of itself."""
    assert {name for name, landed in ran.landed().items() if landed} == set()


def test_the_level_is_told_and_recorded(ran: Ran) -> None:
    """H6"""
    assert "sandbox sealed: " in ran.said.err
    levels = [data["level"] for kind, _, data in ran.events if kind == "sandbox"]
    assert set(levels) == {"sealed"}


def test_every_command_is_on_record_with_its_refusal(ran: Ran) -> None:
    """H6: a person can read what was tried."""
    told = ran.texts("ran")
    assert len(told) == len(ATTEMPTS) + 1
    refused = [
        text for text in told if "Read-only" in text or "denied" in text or "No such" in text
    ]
    assert len(refused) >= 8, told


def test_each_dispatch_has_a_receipt(ran: Ran) -> None:
    """H1: what belongs to the user was looked at and is as before."""
    receipts = [(text, data) for kind, text, data in ran.events if kind == "contained"]
    assert len(receipts) >= 3
    assert receipts[0][0].startswith("sealed; HEAD, index, settings, ")
    assert all(data["changed"] == [] for _, data in receipts)


def test_a_secret_goes_back_to_the_agent_and_never_into_a_commit(ran: Ran) -> None:
    """H5: file and line, never the value."""
    refused = "not committed, it contains secrets: settings.py, line 1: "
    assert any(text.startswith(refused) for text in ran.texts("incident"))
    assert "(001)" in ran.said.err
    assert ran.commits_with("KEY = None")


def test_known_values_are_nowhere_on_disk(ran: Ran) -> None:
    """H5: said by the agent, printed by a command, written into a file: state and repository."""
    script = ran.root / "script.toml"
    found = [
        path
        for path in ran.root.rglob("*")
        if path.is_file() and path != script and CANARY.encode() in path.read_bytes()
    ]
    assert found == []
    assert CANARY not in ran.said.err + ran.said.out


def test_a_removed_worktree_is_made_again_and_told(ran: Ran) -> None:
    """H2, H6"""
    assert any("removed all files of its worktree" in text for text in ran.texts("incident"))
    assert (ran.worktree / "app.py").read_text() == "APP = 1\n"
    assert ran.said.code == 2
    assert "left no change" in ran.said.err


def test_the_checks_ran_confined_and_their_output_is_kept(ran: Ran) -> None:
    """H7: hostile conftest.py; what it printed can be read in full."""
    outputs = [data["test"] for kind, _, data in ran.events if kind == "outputs"]
    kept = Path(outputs[-1]).read_text()
    assert "passed" in kept
    assert ran.conftest.count("\nrefused") == 5
    assert not list((ran.state / "scratch").iterdir())
