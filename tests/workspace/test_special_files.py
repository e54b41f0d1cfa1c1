"""Pipes, sockets and devices where a file is expected hold nobody up. Covers: H6, I3"""

from __future__ import annotations

import ast
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing import workspace
from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.process import leash
from sparing.workspace.git.repository import find_repository, is_dirty
from sparing.workspace.git.special_files import (
    blocking_files,
    move_beside,
    read_plain,
    special_files,
)
from sparing.workspace.git.worktree import ensure_worktree, put_special_aside
from tests.repositories import make_repository
from tests.terminal import sparing
from tests.workspace.features import make_worktree

WORKSPACE = Path(workspace.__file__).parent
HANGS = (".gitignore", ".gitattributes", "sub/.gitattributes", "sub/.gitignore")


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device", "link to a device", "gone"])
def test_only_a_regular_file_is_read(tmp_path: Path, kind: str) -> None:
    """I3: anything else is as good as not there, at once."""
    path = tmp_path / "Makefile"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as door:
                door.bind(str(path))
        case "folder":
            path.mkdir()
        case "device":
            path = Path("/dev/zero")
        case "link to a device":
            path.symlink_to("/dev/zero")
        case _:
            pass
    assert read_plain(path) is None
    assert read_plain(path, follow=True) is None


def test_at_most_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 100)
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_plain(path, 10) == b"x" * 10
    assert (read_plain(link), read_plain(link, follow=True)) == (None, b"x" * 100)


@pytest.mark.parametrize("name", ["Makefile", "package.json", "pyproject.toml", "requirements.txt"])
def test_a_pipe_is_no_set_up(tmp_path: Path, name: str) -> None:
    """I3: looked for in a process of its own, which must end."""
    os.mkfifo(tmp_path / name)
    words = (
        "import sys; from pathlib import Path; from sparing.workspace.setup.files import Folder;"
        "from sparing.workspace.setup.setup_plan import detect; files = Folder(Path(sys.argv[1]));"
        "assert not detect(files); assert files.text(sys.argv[2]) == ''"
    )
    argv = (sys.executable, "-c", words, str(tmp_path), name)
    assert subprocess.run(argv, timeout=240, check=False).returncode == 0


def test_files_of_others_are_read_in_one_way() -> None:
    """I3: nothing of the workspace opens a path by itself, but for its locks and sandbox."""
    found = {
        f"{path.name}:{node.lineno}"
        for path in sorted(WORKSPACE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and _opens(node)
    }
    assert {name.partition(":")[0] for name in found} <= {"worktree.py", "user_list.py"}, found


def _opens(node: ast.Call) -> bool:
    """`Path.read_text("utf-8")` and its like; those of `Confined` name a path."""
    if not isinstance(node.func, ast.Attribute):
        return isinstance(node.func, ast.Name) and node.func.id == "open"
    plain = all(isinstance(one, ast.Constant) for one in node.args)
    os_open = isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
    return node.func.attr in ("read_text", "read_bytes", "open") and plain and not os_open


@pytest.mark.parametrize("name", HANGS)
def test_a_pipe_of_an_agent_is_put_aside(tmp_path: Path, name: str) -> None:
    """H6, I3: it is told, nothing else is touched, and git goes on."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    pipe = worktree.path / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    os.mkfifo(worktree.path / "own.pipe")
    (worktree.path / "sub").mkdir(exist_ok=True)
    (worktree.path / "sub" / "new.txt").write_text("x")
    assert move_beside(worktree.path) == tuple(sorted((name, "own.pipe")))
    aside = worktree.path.with_name(f"{worktree.path.name}.aside-1")
    assert ((aside / name).is_fifo(), (aside / "own.pipe").is_fifo()) == (True, True)
    assert changed_paths(worktree, worktree.tip()) == ("sub/new.txt",)
    assert not list(special_files(worktree.path))


def test_a_file_that_a_pipe_took_the_place_of_is_put_back(tmp_path: Path) -> None:
    """H6: what an agent has not deleted is not committed as deleted."""
    files = {"app.py": "A = 1\n", "src/b.py": "B = 1\n"}
    worktree = make_worktree(make_repository(tmp_path / "r", files))
    (worktree.path / "src" / "b.py").write_text("B = 2\n")
    (worktree.path / "app.py").unlink()
    os.mkfifo(worktree.path / "app.py")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(worktree.path / "door"))
    put_special_aside(worktree, worktree.tip())
    assert (worktree.path / "app.py").read_text() == "A = 1\n"
    assert changed_paths(worktree, worktree.tip()) == ("src/b.py",)


def test_a_repository_inside_is_no_hiding_place(tmp_path: Path) -> None:
    """I3: git opens its HEAD to see whether it is one."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    inner = worktree.path / "sub" / ".git"
    for name in ("objects", "refs"):
        (inner / name).mkdir(parents=True)
    os.mkfifo(inner / "HEAD")
    assert list(blocking_files(worktree.path)) == [inner / "HEAD"]
    put_special_aside(worktree, worktree.tip())
    assert changed_paths(worktree, worktree.tip()) == ()


def test_the_next_run_is_not_held_up(tmp_path: Path) -> None:
    """I3: what a killed turn left is put aside when the worktree is looked for again."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    os.mkfifo(worktree.path / ".gitignore")
    again = ensure_worktree(worktree.repository, worktree.path, worktree.branch, worktree.tip())
    assert changed_paths(again, again.tip()) == ()


def test_a_pipe_in_the_users_checkout_is_named(tmp_path: Path) -> None:
    """I3: it is theirs, so it stays; two lines say what to do."""
    checkout = make_repository(tmp_path / "r")
    os.mkfifo(checkout / ".gitignore")
    with pytest.raises(RepositoryError) as found:
        is_dirty(find_repository(checkout))
    assert found.value.what.startswith(f"{checkout / '.gitignore'} is a pipe or device")
    assert found.value.repair == f"remove it: rm {checkout / '.gitignore'}"
    said = sparing(checkout, "start", "Add rate limiting")
    assert (said.code != 0, len(said.complaint)) == (True, 2)
    assert ".gitignore is a pipe or device" in said.complaint[0]


@pytest.mark.skipif(not leash(), reason="needs Linux and util-linux")
def test_git_does_not_outlive_us(tmp_path: Path) -> None:
    """I1, I3: killed while git waits for a pipe, no child is left."""
    os.mkfifo(tmp_path / "pipe")
    words = (
        "import sys; from pathlib import Path; from sparing.workspace.git.runner import start_git;"
        "start_git(('hash-object', sys.argv[1]), {}, Path('/'), None, 600.0)"
    )
    process = subprocess.Popen((sys.executable, "-c", words, str(tmp_path / "pipe")))
    try:
        children = _wait_for(lambda: _waiting(process.pid), there=True)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert children
    assert _wait_for(lambda: [one for one in children if _words(one)], there=False) == []


HOLDS = """#!/bin/sh
[ -e {0}/r/.git/refs/heads/x.lock ] || exit 0
touch {0}/held; while [ -e {0}/held ]; do sleep 0.05; done
"""
"""Says that the lock is there, and waits as long as it is to be."""
LIMITS = (0.5, 5.0, 60.0)
"""On a busy machine git may not come as far in the shortest."""


@pytest.mark.skipif(not leash(), reason="needs Linux and util-linux")
@pytest.mark.parametrize("killed", [False, True])
def test_git_leaves_no_lock(tmp_path: Path, *, killed: bool) -> None:
    """I1, I3: however it ends in the middle: too slow, or Sparing is killed."""
    main, held = make_repository(tmp_path / "r"), tmp_path / "held"
    hook = main / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOLDS.format(tmp_path))
    hook.chmod(0o755)
    words = (
        "import sys; from pathlib import Path; from sparing.workspace.git.runner import start_git;"
        "start_git(('update-ref', 'refs/heads/x', 'HEAD'), {}, Path(sys.argv[1]), None,"
        " float(sys.argv[2]))"
    )
    lock = main / ".git" / "refs" / "heads" / "x.lock"
    for limit_seconds in (600.0,) if killed else LIMITS:
        process = subprocess.Popen(
            (sys.executable, "-c", words, str(main), str(limit_seconds)), stderr=subprocess.DEVNULL
        )
        try:
            if killed:
                assert _wait_for(lambda: [1] * held.exists(), there=True)
                process.send_signal(signal.SIGKILL)
            process.wait()
            came_so_far = held.exists()
            assert _wait_for(lambda: [1] * lock.exists(), there=False) == []
        finally:
            held.unlink(missing_ok=True)
            process.kill()
        if came_so_far:
            return
    raise AssertionError("git never held the lock")


def _waiting(pid: int) -> list[int]:
    """Children that are at `git hash-object`, by now in the pipe."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(word) for task in tasks for word in task.read_text().split()]
    return [one for one in children if b"\0hash-object\0" in _words(one)]


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _wait_for(look: Callable[[], list[int]], there: bool) -> list[int]:
    for _ in range(1200):
        found = look()
        if bool(found) is there:
            return found
        time.sleep(0.1)
    return look()
