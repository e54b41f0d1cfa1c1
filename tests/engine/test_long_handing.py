"""A finished feature comes home as its person wants: not by force, and again if it failed.

Covers: D6, H1
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.engine.small import SCRIPT
from tests.guard import Guard
from tests.repositories import git, make_repository, write_files
from tests.terminal import Said, sparing

BRANCH = "feature/001-make-a-file"
URL = "https://example.com/ada/gate.git"
OPEN = "https://example.com/ada/gate/pull/7"
GH = f"""#!{sys.executable}
import sys
if sys.argv[2] == "create":
    open(__file__ + ".body", "w").write(sys.stdin.read())
print("[]" if sys.argv[2] == "list" else {OPEN!r})
"""


def moved_and_put_right(path: Path, environ: dict[str, str]) -> None:
    """H1: somebody moves the branch while it waits at a gate; it is parked, and nothing is lost."""
    sparing(path, "run", "--no-input", environ=environ)
    ours = git(path, "rev-parse", BRANCH)
    theirs = git(path, "commit-tree", "-m", "theirs", "main^{tree}")
    git(path, "update-ref", f"refs/heads/{BRANCH}", theirs)
    sparing(path, "approve", "1")
    parked = sparing(path, "run", "--no-input", environ=environ)
    assert parked.code == 2, parked.err
    assert f"is at {theirs[:10]} and does not contain {ours[:10]}" in parked.err
    assert git(path, "for-each-ref", "--format=%(objectname)", "refs/sparing/salvage") == ours
    git(path, "branch", "-m", BRANCH, f"{BRANCH}-moved")
    assert sparing(path, "resume", "1").code == 0


def assert_it_says_what_was_done(body: str) -> None:
    """D6: one turn was cut off by whoever moved the branch, so the cost is in part estimated."""
    assert body.startswith(
        "## What\n\nMake a file\n\nThere is one more file, with its one line.\n"
        "Nothing else is different, and the checks are as they were.\n\n"
        "1 file, +1 -0, in detail:\n\n- made.txt (+1 -0)"
    )
    assert "\n## How it was checked\n" in body
    assert "Cost of the agents: $0.0" in body
    assert body.endswith("(simulated and estimated), 4 turns.\n")


def assert_it_says_why_not(said: Said) -> None:
    """K1: where it happens and at the end, with the commands; nobody is asked for money."""
    assert said.code == 2, said.err
    assert said.err.count("has uncommitted changes") == 2
    assert "done is stuck: not handed over\n" in said.err
    assert "to come: nothing\n" in said.err
    assert "\n    git stash\n" in said.err


def test_what_stays_outside_is_brought_home_by_the_next_run(tmp_path: Path, guard: Guard) -> None:
    """D6: a checkout with changes does not move, and the commands are told; then the branch goes
    out as a pull request; its worktree stays until it is merged."""
    path, host, home = tmp_path / "gate", tmp_path / "host.git", tmp_path / "home"
    make_repository(path)
    git(tmp_path, "clone", "--quiet", "--bare", str(path), str(host))
    git(path, "remote", "add", "origin", URL)
    write_files(home, {".gitconfig": f'[url "{host}"]\n\tinsteadOf = {URL}\n'})
    write_files(tmp_path, {"bin/gh": GH, "script.toml": SCRIPT})
    (tmp_path / "bin" / "gh").chmod(0o755)
    environ = {
        "HOME": str(home),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
    }
    write_files(path, {"README.md": "# Mine, not committed\n"})
    guard.watch(path)
    words = ("start", "Make a file", "--flow", "L1", "--hand-over", "merge")
    assert sparing(path, *words, environ=environ).code == 0
    moved_and_put_right(path, environ)
    said = sparing(path, "run", "--yes", environ=environ)
    assert_it_says_why_not(said)
    assert guard.changes() == []
    worktree = Path(sparing(path, "status", "--json").json["features"][0]["worktree"])
    assert (worktree / "made.txt").exists()
    guard.expect(path, ".git/refs/remotes/origin/feature/001-make-a-file")
    asked = sparing(path, "run", "--yes", "--hand-over", "pull-request", environ=environ)
    assert asked.code == 0, asked.err
    assert f"→ pull request {OPEN}\n" in asked.err
    body = (tmp_path / "bin" / "gh.body").read_text()
    assert_it_says_what_was_done(body)
    assert (worktree.parents[1] / "pull-requests" / "001-make-a-file.md").read_text() == body
    assert git(host, "rev-parse", BRANCH) == git(path, "rev-parse", BRANCH)
    assert git(host, "rev-parse", "main") == git(path, "rev-parse", "main")
    assert worktree.exists()
