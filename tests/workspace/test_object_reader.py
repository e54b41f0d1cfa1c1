"""One git that stays open answers as a git of its own for each question would.

Covers: H1, H2
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.object_reader import NoAnswer, blob, kept_open, object_id, swap_ref
from sparing.workspace.git.repository import Repository, find_repository
from tests.repositories import git, make_repository, write_files

LARGE = b"0123456789abcdef\n\0" * 20_000


@pytest.fixture(params=["kept", "alone"])
def kept(request: pytest.FixtureRequest) -> Iterator[None]:
    with kept_open() if request.param == "kept" else nullcontext():
        yield


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    checkout = make_repository(tmp_path / "repository", {"a.txt": "a\n", "line\nbreak": "odd\n"})
    (checkout / "large").write_bytes(LARGE)
    write_files(checkout, {"missing": "", "deep/é": "é\n"})
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "more")
    return find_repository(checkout)


def gits(repo: Repository) -> list[str]:
    """Of processes that have this repository open."""
    found: list[str] = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            environ = place.read_bytes()
        except OSError:
            continue
        if f"GIT_DIR={repo.git_dir}\0".encode() in environ + b"\0":
            found.append(place.parent.name)
    return found


@pytest.mark.usefixtures("kept")
def test_files_and_names_are_read(repo: Repository) -> None:
    """H1: whatever their size and name; what is not there is nothing."""
    found = repo.git()
    names = ("a.txt", "large", "missing", "deep/é", "line\nbreak", "deep", "none", "a.txt")
    data = [blob(found, f"HEAD:{name}") for name in names]
    assert data == [b"a\n", LARGE, b"", "é\n".encode(), b"odd\n", None, None, b"a\n"]
    tip = git(repo.checkout, "rev-parse", "HEAD")
    assert object_id(found, "refs/heads/main^{commit}") == tip
    assert object_id(found, f"{tip}^{{tree}}") == git(repo.checkout, "rev-parse", "HEAD^{tree}")
    assert object_id(found, "refs/heads/none^{commit}") == ""
    assert object_id(found, "main:a.txt^{commit}") == ""


@pytest.mark.usefixtures("kept")
def test_what_changes_is_seen_at_once(repo: Repository) -> None:
    """H2: refs that others move, objects that are made or packed, settings that run programs."""
    found, checkout = repo.git(), repo.checkout
    before = object_id(found, "refs/heads/main")
    write_files(checkout, {"a.txt": "b\n"})
    git(checkout, "commit", "-q", "-a", "-m", "next")
    after = git(checkout, "rev-parse", "HEAD")
    assert before != object_id(found, "refs/heads/main") == after
    git(checkout, "gc", "-q", "--prune=now")
    assert object_id(found, "refs/heads/main") == after
    assert blob(found, "refs/heads/main:a.txt") == b"b\n"
    git(checkout, "update-ref", "refs/heads/main", before)
    assert blob(found, "refs/heads/main:a.txt") == b"a\n"
    git(checkout, "config", "filter.x.smudge", "touch it")
    with pytest.raises(RepositoryError):
        blob(found, "refs/heads/main:a.txt")


def test_refs_are_moved_only_from_where_they_stand(repo: Repository) -> None:
    """H3: made, moved and removed by one process; what does not fit changes nothing."""
    first = git(repo.checkout, "rev-parse", "HEAD")
    git(repo.checkout, "commit", "-q", "--allow-empty", "-m", "second")
    second, nothing = git(repo.checkout, "rev-parse", "HEAD"), "0" * len(first)
    ref, own = "refs/sparing/turns/one", repo.git()
    with pytest.raises(NoAnswer):
        swap_ref(own, ref, first, nothing)
    with kept_open():
        swap_ref(own, ref, first, nothing)
        asked = gits(repo)
        swap_ref(own, ref, second, first)
        assert gits(repo) == asked
        for new, old in ((first, nothing), (first, first), ("1" * len(first), second)):
            with pytest.raises(NoAnswer):
                swap_ref(own, ref, new, old)
            assert object_id(own, ref) == second
        swap_ref(own, ref, nothing, second)
        assert object_id(own, ref) == ""
    assert gits(repo) == []


def test_one_process_answers_and_ends(repo: Repository) -> None:
    """H2: nothing outlives those who keep it; one that was ended is started again."""
    with kept_open():
        assert blob(repo.git(), "HEAD:a.txt") == b"a\n"
        running = gits(repo)
        assert len(running) == 1
        assert blob(repo.git(), "HEAD:deep/é") == "é\n".encode()
        assert gits(repo) == running
        git(repo.checkout, "config", "core.abbrev", "12")
        assert blob(repo.git(), "HEAD:a.txt") == b"a\n"
        assert len(gits(repo)) == 1
        assert gits(repo) != running
        os.kill(int(gits(repo)[0]), signal.SIGKILL)
        assert [blob(repo.git(), "HEAD:a.txt") for _ in range(3)] == [b"a\n"] * 3
        assert len(gits(repo)) == 1
    assert gits(repo) == []


HOLDER = """
import sys, time
from pathlib import Path
from sparing.workspace.git.object_reader import blob, kept_open
from sparing.workspace.git.repository import find_repository

with kept_open():
    print(blob(find_repository(Path(sys.argv[1])).git(), "HEAD:a.txt"), flush=True)
    time.sleep(600)
"""


def test_it_does_not_outlive_one_that_is_killed(repo: Repository) -> None:
    """H2: it reads its questions from a pipe of ours, and ends where that ends."""
    argv = (sys.executable, "-c", HOLDER, str(repo.checkout))
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"b'a\\n'\n"
        assert len(gits(repo)) == 1
        holder.kill()
    for _ in range(5000):
        if not gits(repo):
            return
        time.sleep(0.05)
    raise AssertionError("git goes on")
