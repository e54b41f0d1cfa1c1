"""The page offers what others' work asks for: a base to bring in, a pull request to fix.

Covers: A9, A10, F8
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import git
from tests.upstream.host import requested
from tests.upstream.test_sync import OURS, THEIRS, waiting
from tests.web.asking import Door

pytestmark = pytest.mark.long


class Page:
    """Of feature 001 of a repository whose state is in this folder."""

    def __init__(self, repository: Path) -> None:
        self.door = Door(repository)
        self.home = f"/r/{self.door.site.here().repository.key}/f/001"

    def view(self) -> dict[str, Any]:
        return self.door.get(f"/api{self.home}").json

    def offer(self, verb: str) -> dict[str, Any] | None:
        return next((one for one in self.view()["offers"] if one["verb"] == verb), None)

    def accept(self, verb: str, about: str) -> Any:
        view = self.view()
        form = {"shown": view["shown"], "gate": view["gate_id"], "about": about}
        return self.door.post(f"{self.home}/{verb}", form)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARING_STATE__FOLDER", str(tmp_path / "state"))
    return tmp_path


def test_a_base_that_moved_is_brought_in_from_the_page(state: Path) -> None:
    """A9, F8: offered with what it touches and costs; done to the commit that was shown."""
    there = waiting(state)
    page = Page(there.repository)
    assert page.offer("sync") is None
    first = there.push({"other.txt": "another\n"})
    there.fetch()
    offer = page.offer("sync")
    assert offer is not None
    assert (offer["about"], offer["costs"]) == (first, "costs nothing")
    assert offer["lines"][0].startswith("origin/main has moved on: 1 commit")
    html = page.door.get(page.home).text
    assert 'data-opens="sync"' in html
    assert f'name="about" value="{first}"' in html
    second = there.push({"shared.txt": THEIRS})
    there.fetch()
    stale = page.accept("sync", first)
    assert (stale.status, stale.json["error"]["what"]) == (
        409,
        "the base branch is not where it was when you looked",
    )
    offer = page.offer("sync")
    assert offer is not None
    assert offer["costs"].startswith("an agent settles conflicts: $")
    done = page.accept("sync", second)
    assert (done.status, done.json["words"]) == (200, "origin/main is to be brought in")
    assert there.text("shared.txt") == OURS.strip()
    said = there.built.sparing("run", "--no-input")
    assert said.code == 2, said.err
    assert there.parents()[1] == second
    assert page.offer("sync") is None


def test_a_pull_request_that_came_back_is_fixed_from_the_page(state: Path) -> None:
    """A10, F8: the findings are listed with their authors; the round is about those alone."""
    there = requested(state)
    page = Page(there.repository)
    assert page.offer("fix") is None
    there.stands()
    assert there.sparing("status", "--fetch").code == 0
    offer = page.offer("fix")
    assert offer is not None
    assert offer["about"] == "C1,C2,C3,C4,C5"
    assert offer["lines"][1] == "C2  blocker  made.txt:1  (grace)"
    assert offer["lines"][-1].endswith("(stranger, not a member of this repository)")
    assert "(estimated" in offer["costs"]
    assert page.accept("fix", "").status == 400
    unknown = page.accept("fix", "C9")
    assert unknown.json["error"]["what"] == "there is no open finding C9"
    done = page.accept("fix", "C1,C2")
    assert (done.status, done.json["words"]) == (200, "pull request #7: C1, C2 are to be fixed")
    assert page.offer("fix") is None
    there.stands(quiet=True)  # nobody has anything to add
    said = there.sparing("run", "--yes")
    assert said.code == 0, said.err
    assert "sent back for fixes (ada on the page)" in said.err
    assert git(there.remote, "show", "feature/001-write-files:made.txt") == "Made."
