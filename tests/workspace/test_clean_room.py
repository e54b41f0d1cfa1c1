"""Checks see the commit's files and what the set-up installed, and nothing else.

Covers: H7, I1
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.workspace.checks.clean_room import clean_room, remove_traces
from sparing.workspace.checks.installed_packages import (
    is_sealed,
    left_beside,
    seal,
    store_of,
    tools_of,
)
from sparing.workspace.checks.run import Check, run_check
from sparing.workspace.checks.worktree_swap import parked_of, put_back, used_of
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.setup.environments import Environments
from tests.repositories import make_repository, write_files
from tests.workspace.features import BRANCH, make_worktree

FILES = {".gitignore": ".venv/\nlocal/\n*.pyc\n", "app.py": "ONE = 1\n", "src/a.py": ""}
LEFT = {
    ".venv/bin/python3": "fake", "__pycache__/app.pyc": "fake", "local/conftest.py": "fake",
    "untracked.py": "new", "node_modules/.bin/jest": "fake", "src/local/x.py": "fake",
}  # fmt: skip


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    return make_worktree(make_repository(tmp_path / "r", FILES))


def listed(folder: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return {str(path.relative_to(folder)) for path in found} - {".git"}


def test_what_an_agent_left_is_aside_while_a_check_runs(worktree: Worktree) -> None:
    write_files(worktree.path, {**LEFT, "app.py": "ONE = 2\n"})
    (worktree.path / "local").chmod(0o500)
    before = worktree.path.stat().st_ino
    with clean_room(worktree, worktree.tip()):
        assert listed(worktree.path) == set(FILES)
        assert (worktree.path / "app.py").read_text() == "ONE = 1\n"
        assert worktree.git().text("rev-parse", "HEAD") == worktree.tip()
        write_files(worktree.path, {"report.xml": "a check wrote it", "app.py": "ONE = 3\n"})
        (worktree.path / "src").chmod(0o000)
    assert listed(worktree.path) == {*FILES, *LEFT}
    assert (worktree.path / "app.py").read_text() == "ONE = 2\n"
    assert worktree.path.stat().st_ino == before
    assert not used_of(worktree.path).exists()


ENVIRONMENT = {
    ".venv/bin/python": "sealed",
    ".venv/lib/a.py": "sealed",
    "src/a.egg-info/x": "sealed",
}
WITH = {*FILES, *ENVIRONMENT}


def text(worktree: Worktree, path: str = ".venv/bin/python") -> str:
    return (worktree.path / path).read_text()


def sealed(worktree: Worktree) -> Worktree:
    write_files(worktree.path, ENVIRONMENT)
    (worktree.path / ".venv/bin/python3").symlink_to("python")
    kept = Environments(worktree.path.parent.with_name("environments"))
    left = left_beside(worktree, worktree.tip())
    seal(worktree.path, kept.keep("one", worktree.path, left))
    return worktree


def test_checks_have_what_was_installed_before_any_agent_came(worktree: Worktree) -> None:
    write_files(sealed(worktree).path, {".venv/bin/python": "fake", ".venv/bin/ruff": "fake"})
    assert listed(tools_of(worktree.path)) == {"python", "python3"}
    with clean_room(worktree, worktree.tip()):
        assert listed(worktree.path) == {*WITH, ".venv/bin/python3"}
        assert (text(worktree), text(worktree, ".venv/bin/python3")) == ("sealed", "sealed")
    assert (text(worktree), text(worktree, ".venv/bin/ruff")) == ("fake", "fake")


def test_what_one_check_does_to_the_environment_reaches_no_other(worktree: Worktree) -> None:
    """In place, with the time set back: its last change is still known."""
    sealed(worktree)
    with clean_room(worktree, worktree.tip()):
        file = worktree.path / ".venv/lib/a.py"
        at = file.stat()
        file.write_text("forged")
        os.utime(file, ns=(at.st_atime_ns, at.st_mtime_ns))
    with clean_room(worktree, worktree.tip()):
        assert text(worktree, ".venv/lib/a.py") == "sealed"


def forge(folder: Path, *, outside: Path) -> None:
    """All that a check may do to what was installed."""
    (folder / "lib/a.py").write_text("forged")
    (folder / "bin/extra").write_text("forged")
    (folder / "lib/sub").mkdir()
    (folder / "lib/sub/new.py").write_text("forged")
    (folder / "bin/python3").unlink()
    (folder / "bin/python3").write_text("forged")
    shutil.rmtree(folder / "share")
    (folder / "share").symlink_to(outside)
    (folder / "gone/x").unlink()
    (folder / "gone").rmdir()
    (folder / "gone").write_text("forged")
    (folder / "now").unlink()
    (folder / "now").mkdir()
    (folder / "now/x").write_text("forged")
    os.mkfifo(folder / "pipe")
    (folder / "shut/x").unlink()
    (folder / "shut").chmod(0o500)


def test_only_what_a_check_changed_is_copied_again(worktree: Worktree, tmp_path: Path) -> None:
    """H7: npm's caches are inside what it installs, so every check changes something there."""
    more = {f".venv/{name}": "sealed" for name in ("share/x", "gone/x", "now", "shut/x")}
    write_files(worktree.path, more)
    write_files(tmp_path / "outside", {"x": "mine"})
    sealed(worktree)
    venv = worktree.path / ".venv"
    with clean_room(worktree, worktree.tip()):
        before = seen(venv)
        kept = (venv / "bin/python").stat().st_ctime_ns
        forge(venv, outside=tmp_path / "outside")
    with clean_room(worktree, worktree.tip()):
        assert seen(venv) == before
        assert (venv / "bin/python").stat().st_ctime_ns == kept, "an inode may be used again"
    assert (tmp_path / "outside/x").read_text() == "mine"


def seen(folder: Path) -> dict[str, tuple[int, str]]:
    """Every path with its mode, and its text or where it leads."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            str(path.readlink())
            if path.is_symlink()
            else path.read_text()
            if path.is_file()
            else "",
        )
        for path in folder.rglob("*")
    }


def told(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return path.read_text() if path.is_file() else ""


def test_a_copy_that_can_t_be_restored_is_made_again(worktree: Worktree) -> None:
    """H7: what was noted of it is gone, or nobody can read it."""
    sealed(worktree)
    with clean_room(worktree, worktree.tip()):
        (worktree.path / ".venv/lib/a.py").write_text("forged")
    for text_of in ("", "no JSON", "[]", "{}"):
        (store_of(worktree.path) / "ready.json").write_text(text_of)
        with clean_room(worktree, worktree.tip()):
            assert text(worktree, ".venv/lib/a.py") == "sealed"
            (worktree.path / ".venv/lib/a.py").write_text("forged")


def test_an_environment_that_nobody_touched_is_not_copied_again(worktree: Worktree) -> None:
    seen: list[int] = []
    sealed(worktree)
    for _ in range(3):
        with clean_room(worktree, worktree.tip()):
            seen.append((worktree.path / ".venv/lib/a.py").stat().st_ino)
    assert len(set(seen)) == 1


def test_a_pipe_in_an_environment_holds_nobody_up(worktree: Worktree) -> None:
    """I3: it is left out; a copy would wait for it."""
    (worktree.path / ".venv").mkdir()
    os.mkfifo(worktree.path / ".venv" / "pipe")
    os.mkfifo(worktree.path / "pipe")
    sealed(worktree)
    with clean_room(worktree, worktree.tip()):
        assert listed(worktree.path) == {*WITH, ".venv/bin/python3"}


def test_an_environment_goes_with_its_worktree(worktree: Worktree) -> None:
    sealed(worktree)
    remove_traces(worktree.path)
    assert not is_sealed(worktree.path)
    assert [one.name for one in worktree.path.parent.iterdir()] == [worktree.path.name]


KILLED = """
import os, signal, sys
from pathlib import Path
from sparing.workspace.checks.clean_room import clean_room
from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.worktree import Worktree

worktree = Worktree(find_repository(Path(sys.argv[1])), Path(sys.argv[2]), sys.argv[3])
with clean_room(worktree, worktree.tip()):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_during_a_check_loses_nothing(worktree: Worktree) -> None:
    """I1: whoever needs the worktree next finds it as it was."""
    write_files(sealed(worktree).path, LEFT)
    repo = worktree.repository
    words = (str(repo.checkout), str(worktree.path), BRANCH)
    done = subprocess.run((sys.executable, "-c", KILLED, *words), check=False)
    assert done.returncode == -signal.SIGKILL
    assert parked_of(worktree.path).is_dir()
    found = ensure_worktree(repo, worktree.path, BRANCH, worktree.tip())
    assert listed(found.path) == {*WITH, *LEFT}
    with clean_room(found, found.tip()):
        assert text(found) == "sealed"
    assert not used_of(found.path).exists()


def test_killed_between_two_renames(worktree: Worktree) -> None:
    """I1"""
    worktree.path.rename(parked_of(worktree.path))
    put_back(worktree.path)
    assert listed(worktree.path) == set(FILES)


def test_a_worktree_is_not_put_back_under_a_check_that_runs(worktree: Worktree) -> None:
    """I2"""
    write_files(worktree.path, LEFT)
    with clean_room(worktree, worktree.tip()):
        put_back(worktree.path)
        assert listed(worktree.path) == set(FILES)


@pytest.mark.parametrize("place", ["", ".", "bin", "./bin", "node_modules/.bin"])
def test_programs_are_never_found_beside_the_code(tmp_path: Path, place: str) -> None:
    """A PATH of the user's may name folders that depend on where one stands."""
    folder = tmp_path / place
    write_files(folder, {"tool": "#!/bin/sh\necho fake\n"})
    (folder / "tool").chmod(0o755)
    environ = {"PATH": f"{place}:/usr/bin:/bin"}
    result = run_check(Check("test", ("sh", "-c", "tool"), ""), tmp_path, 600, environ)
    assert (result.passed, "fake" in result.output) == (False, False)
