"""A hint repairs where a base branch moved on: what is offered, what is said next, what is trusted.

Covers: A3, A9, H2, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.desk.gates.offers import offers
from sparing.desk.office import open_office
from tests.engine.built import SATISFIED, task, turn
from tests.repositories import git
from tests.upstream.scene import Scene, scene

pytestmark = pytest.mark.long

NOW = 1_767_225_600.0


@pytest.fixture
def planned(tmp_path: Path) -> Scene:
    """A feature that has not begun, and a base that has moved on at the remote."""
    found = scene(
        tmp_path,
        task("1", "Change the shared file", "shared.txt"),
        turn("1", {"shared.txt": "one\n"}) + SATISFIED,
    )
    found.push({"new.txt": "new\n"})
    return found


def offered(there: Scene) -> list[str]:
    office = open_office(there.repository, {"state.folder": str(there.built.folder / "state")})
    return [one.command for one in offers(office, there.built.now, NOW)]


def test_what_is_brought_in_is_run_and_then_shown(planned: Scene) -> None:
    """A9: offered as long as the base is ahead; each command that is named is typed."""
    planned.fetch()
    assert planned.built.sparing("run", "--no-input").code == 2
    assert "sparing sync 001" in offered(planned)
    done = planned.built.sparing("sync", "001", "--json").json
    assert (done["synced"], done["next_command"]) == (True, "sparing show 001")
    shown = planned.built.sparing("show", "001")
    assert "implement waits for your approval" in shown.out
    assert "moved on" not in shown.out
    assert "sparing sync 001" not in offered(planned)


def test_a_base_for_a_feature_that_has_not_begun_is_run_from(planned: Scene) -> None:
    """A9: nothing is merged; the command below it begins there."""
    said = planned.built.sparing("sync", "1", "--fetch")
    assert said.out.endswith("\n  sparing run 001\n")
    assert planned.built.sparing("run", "001", "--no-input").code == 2
    assert planned.text("new.txt") == "new"


def test_a_remote_that_nobody_trusts_is_trusted_first(planned: Scene, tmp_path: Path) -> None:
    """H2: what it is shown, agreed to, and the same words fetch."""
    moved = (tmp_path / "remote.git").rename(tmp_path / "moved.git")
    git(planned.repository, "remote", "set-url", "origin", str(moved))
    refused = planned.built.sparing("sync", "1", "--fetch")
    assert "remote.origin.url" in refused.err
    assert refused.complaint[-1] == "fix: sparing trust"
    assert "remote.origin.url" in planned.built.sparing("trust").out
    assert planned.built.sparing("trust", "--yes").code == 0
    assert "starts from origin/main" in planned.built.sparing("sync", "1", "--fetch").out


def test_a_program_that_the_repository_names_for_fetching_is_not_run(
    planned: Scene, tmp_path: Path
) -> None:
    """H2: the remote is trusted; the program that its setting names is not the one that fetches."""
    odd = tmp_path / "odd"
    git(planned.repository, "config", "remote.origin.uploadpack", f"touch {odd}; git-upload-pack")
    assert "starts from origin/main" in planned.built.sparing("sync", "1", "--fetch").out
    assert not odd.exists()
