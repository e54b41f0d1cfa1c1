"""A hint repairs where a pull request is concerned, and where a base can't be brought in.

Covers: A3, A9, A10, K1
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sparing.desk.office import open_office
from sparing.desk.upstream.fix_round import plan_fix
from sparing.errors import FeatureError
from tests.engine.built import SATISFIED, task, turn
from tests.repositories import git
from tests.upstream.host import Host, requested
from tests.upstream.scene import Scene, scene

pytestmark = pytest.mark.nightly

BRANCH = "feature/001-write-files"
MEETING = """#!/bin/sh
case " $* " in *" update-ref --end-of-options refs/heads/{branch} "*)
  if test -e {flag}; then
    rm {flag}; {git} -C {repository} update-ref refs/heads/{branch} {other}
  fi;;
esac
exec {git} "$@"
"""


@pytest.fixture
def there(tmp_path: Path) -> Host:
    return requested(tmp_path)


def test_a_host_that_has_had_enough(there: Host) -> None:
    """A10: when its limit is over, the named command looks again."""
    there.refuses("pr_view", 1, "GraphQL: API rate limit exceeded for user ID 31.")
    named = "wait until the limit is over (gh api rate_limit), then: sparing run"
    assert named in there.sparing("run").err
    (there.folder / "host" / "pr_view.refused").unlink()
    assert there.sparing("run").err == "001 pull request #7 is open; no checks yet\n"


def test_a_pull_request_that_was_not_looked_at(there: Host) -> None:
    """A10: the named command looks, and then there is something to fix."""
    office = open_office(there.repository, {"state.folder": str(there.folder / "state")})
    there.stands()
    with pytest.raises(FeatureError, match="has not been looked at") as caught:
        plan_fix(office, there.built.now)
    assert caught.value.repair == "see: sparing status --fetch"
    assert there.sparing("status", "--fetch").code == 0
    assert len(plan_fix(office, there.built.now).findings) == 5


def test_what_was_left_out_is_included_by_its_id(there: Host) -> None:
    """A10: the next round is about that finding."""
    there.stands()
    first = there.sparing("fix", "1", "--yes")
    assert "left out: C5 (to include: sparing fix 001 --only …)" in first.err
    assert there.sparing("run", "--yes").code == 0
    assert there.sparing("fix", "001", "--only", "C5", "--yes").code == 2
    (letter,) = [one for one in there.built.told() if "C5, on pull request" in one.text]
    assert letter.data["answer"] == "fix"


def moved_on(folder: Path, script: str) -> Scene:
    """A feature that has run, and a base that has moved on since."""
    found = scene(folder, task("1", "Change the shared file", "shared.txt"), script)
    assert found.built.sparing("run", "--no-input").code == 2
    found.push({"new.txt": "new\n"})
    found.fetch()
    return found


def test_a_task_that_is_half_done(tmp_path: Path) -> None:
    """A9: what is shown leaves it out; then the base is brought in."""
    found = moved_on(tmp_path, turn("1", {"other.txt": "no\n"}) + SATISFIED)
    refused = found.built.sparing("sync", "1")
    assert refused.complaint == (
        "error: a task of feature 001 is half done",
        "fix: finish it or leave it out first: sparing show 001",
    )
    shown = found.built.sparing("show", "001", "--json").json
    assert "To leave it out: approve" in shown["waits_for"]
    assert shown["next_command"] == "sparing approve 001"
    assert found.built.sparing("approve", "001").code == 0
    assert found.built.sparing("run", "--no-input").code == 2
    assert found.built.sparing("sync", "1").code == 0
    assert found.text("new.txt") == "new"


def test_a_branch_that_moves_while_its_base_is_brought_in(tmp_path: Path) -> None:
    """A9: somebody else's commit is not lost; the named command brings the base in again."""
    found = moved_on(tmp_path, turn("1", {"shared.txt": "one\n"}) + SATISFIED)
    program, flag = tmp_path / "bin" / "git", tmp_path / "meet"
    program.parent.mkdir()
    flag.touch()
    tip, tree = found.tip, git(found.repository, "rev-parse", f"{found.tip}^{{tree}}")
    other = git(found.repository, "commit-tree", tree, "-p", tip, "-m", "somebody else's")
    program.write_text(
        MEETING.format(
            branch=BRANCH,
            flag=flag,
            git=shutil.which("git"),
            repository=found.repository,
            other=other,
        )  # fmt: skip
    )
    program.chmod(0o755)
    own = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    said = found.built.sparing("sync", "1", "--rebase", **own)
    assert f"the branch {BRANCH} moved while its base was brought in" in said.err
    assert f"see where it stands: git log {BRANCH}; then: sparing sync 001" in said.err
    assert found.tip == other
    git(found.repository, "update-ref", f"refs/heads/{BRANCH}", tip)
    again = found.built.sparing("sync", "001", "--rebase")
    assert again.code == 0, again.err
    assert found.text("new.txt") == "new"
