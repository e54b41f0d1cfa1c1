"""Pull requests are followed for as long as something runs, and left out where they are resolved.

Covers: A10
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import git
from tests.terminal import Said
from tests.upstream.host import BRANCH, PULL, RECORDED, Host, host, requested

pytestmark = pytest.mark.long

PATIENCE_SECONDS = 120.0
REVIEWS = json.loads((RECORDED / "pr_view.json").read_text())["reviews"]


def reached(condition: Callable[[], bool], what: str) -> None:
    """Waits for it, as long as it takes on a busy machine."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def looks(there: Host) -> int:
    return sum(call[:2] == ["pr", "view"] for call in there.calls())


class Waiting:
    """`sparing run --wait` in a terminal of its own."""

    def __init__(self, there: Host, *words: str) -> None:
        self.said: list[Said] = []
        self._thread = threading.Thread(
            target=lambda: self.said.append(there.sparing("run", "--wait", *words)), daemon=True
        )
        self._thread.start()

    def ended(self) -> Said:
        self._thread.join(PATIENCE_SECONDS)
        assert self.said, "it still waits"
        return self.said[0]


@pytest.fixture
def there(tmp_path: Path) -> Host:
    return requested(tmp_path)


def test_waiting_until_it_is_merged(there: Host) -> None:
    """A10: it looks again and again, and ends with the pull request."""
    waiting = Waiting(there, "1")
    reached(lambda: looks(there) >= 3, "it does not look again")
    assert not waiting.said
    there.merged()
    said = waiting.ended()
    assert said.code == 0, said.err
    assert "001 pull request #7 was merged by grace; feature 001 has ended" in said.err
    assert f"refs/heads/{BRANCH}" not in there.refs()


def test_waiting_until_something_needs_you(there: Host) -> None:
    """A10: without a person it tells what was found and ends; nothing is spent."""
    spent = there.sparing("cost", "--json").json["total"]
    waiting = Waiting(there, "--no-input")
    reached(lambda: looks(there) >= 1, "it does not look")
    there.stands(quiet=True, reviews=REVIEWS)
    said = waiting.ended()
    assert said.code == 2
    assert "C1  blocker  pull request  (grace)" in said.err
    assert there.sparing("cost", "--json").json["total"] == spent


def test_waiting_through_a_round_that_was_agreed_to(there: Host) -> None:
    """A10: with --yes what members found is fixed and pushed, and it waits on."""
    waiting = Waiting(there, "--yes")
    reached(lambda: looks(there) >= 1, "it does not look")
    first = git(there.remote, "rev-parse", BRANCH)
    there.stands(quiet=True, reviews=REVIEWS)
    reached(lambda: git(there.remote, "rev-parse", BRANCH) != first, "nothing is pushed")
    there.merged()
    assert waiting.ended().code == 0
    assert git(there.remote, "show", f"{BRANCH}:made.txt") == "Made."


def test_a_conversation_that_was_resolved_is_left_out(there: Host) -> None:
    """A10: at once, or when it is resolved later; where the host can't tell, it counts."""
    there.stands()
    assert there.sparing("run").code == 2
    threads = (there.folder / "host" / "threads").read_text()
    there.says("threads", threads.replace('false, "comments', 'true, "comments'))
    there.sparing("status", "--fetch")
    (found,) = there.sparing("status", "--json").json["pull_requests"]
    assert [one["id"] for one in found["findings"]] == ["C1", "C3", "C4", "C5"]
    asked = [call for call in there.calls() if call[:2] == ["api", "graphql"]]
    assert "number=7" in asked[0]
    assert "owner=ada" in asked[0]


def test_a_host_that_does_not_tell_resolves_nothing(there: Host) -> None:
    """A10: every conversation stays a finding, and the look succeeds."""
    there.stands()
    there.refuses("threads", 1, "gh: Resource not accessible by personal access token")
    assert there.sparing("run").code == 2
    (found,) = there.sparing("status", "--json").json["pull_requests"]
    assert [one["id"] for one in found["findings"]] == ["C1", "C2", "C3", "C4", "C5"]


@pytest.mark.parametrize("words", [("worker",), ("serve", "--run", "--port", "0", "--no-open")])
def test_a_worker_and_the_page_follow_them_too(there: Host, words: tuple[str, ...]) -> None:
    """A10: what was said is told, the page has it, and a merge ends the feature."""
    environ = {
        **os.environ, "HOME": str(there.folder / "home"),
        "PATH": f"{there.folder / 'bin'}:{os.environ['PATH']}",
        "SPARING_STATE__FOLDER": str(there.folder / "state"), "SPARING_COMMITS__POLL_SECONDS": "1",
    }  # fmt: skip
    there.stands()
    log = there.folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            (sys.executable, "-m", "sparing", *words), cwd=there.repository, env=environ,
            stdout=out, stderr=out,
        )  # fmt: skip
    try:
        reached(lambda: "5 new findings" in log.read_text(), "findings are not told")
        there.merged()
        reached(lambda: "feature 001 has ended" in log.read_text(), "the end is not told")
        reached(lambda: not there.worktree.exists(), "its worktree stays")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_SECONDS)
    assert "Traceback" not in log.read_text()


def test_both_lists_name_the_same_commands(tmp_path: Path) -> None:
    """A10: where a pull request has to be opened by hand, nobody is told to merge instead."""
    there = host(tmp_path)
    there.refuses("pr_create", 1, "pull request create failed: GraphQL: Resource not accessible")
    assert there.sparing("run", "--yes").code == 0
    command = f"gh pr create --repo example.com/ada/gate --base main --head {BRANCH}"
    for words in ((), ("show", "1"), ("run", "1")):
        said = there.sparing(*words)
        assert command in f"{said.out}{said.err}", words
        assert "git merge" not in f"{said.out}{said.err}", words
    assert PULL not in there.sparing("status").out
