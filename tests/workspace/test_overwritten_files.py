"""What a run of the tests writes over, also if it puts everything back.

Covers: H8
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.overwritten_files import rewritten, states
from sparing.workspace.checks.run import CheckResult
from sparing.workspace.sandbox.folder_moves import folder_moves


def write(path: Path) -> None:
    path.write_text("2")


def replace(path: Path) -> None:
    path.with_name("new").write_text("2")
    path.with_name("new").rename(path)


def put_back(path: Path) -> None:
    before, old = path.stat(), path.read_text()
    path.write_text("2")
    path.write_text(old)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("way", [write, replace, put_back, Path.unlink])
def test_it_is_seen(tmp_path: Path, way: object) -> None:
    """H8: whatever is done to hide it."""
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("1")
    before = states(tmp_path, ("a.py", "b.py", "missing.py"))
    while not _clock_has_moved(tmp_path / "clock", before["b.py"][1]):
        pass
    assert callable(way)
    way(tmp_path / "a.py")
    (tmp_path / "new.py").write_text("1")
    assert rewritten(tmp_path, before) == ("a.py",)


def swap(folder: Path) -> None:
    """Other files in their place for a while, then the same folder as before."""
    folder.rename(folder.with_name("aside"))
    folder.mkdir()
    folder.rmdir()
    folder.with_name("aside").rename(folder)


def swap_parent(folder: Path) -> None:
    swap(folder.parent)


def swap_often(folder: Path) -> None:
    """More than the kernel remembers."""
    for _ in range(int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())):
        folder.rename(folder.with_name("aside"))
        folder.with_name("aside").rename(folder)


@pytest.mark.parametrize(
    ("way", "moved"), [(swap, "tests/deep/"), (swap_parent, "tests/"), (swap_often, "tests/deep/")]
)
def test_a_folder_that_was_moved_aside_is_seen(tmp_path: Path, way: object, moved: str) -> None:
    """H8: neither it nor a file in it looks any different afterwards."""
    deep = tmp_path / "tests" / "deep"
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("1")
    before = states(tmp_path, ("tests/deep/a.py", "gone/b.py"))
    with folder_moves(tmp_path, before) as moves:
        (deep / "new.py").write_text("1")
        (tmp_path / "other").mkdir()
        assert moves() == ()
        assert callable(way)
        way(deep)
        assert moved in moves()
    assert rewritten(tmp_path, before) == ()


def test_a_folder_that_was_removed_is_seen(tmp_path: Path) -> None:
    """H8: another one is in its place."""
    (tmp_path / "tests").mkdir()
    with folder_moves(tmp_path, ("tests/a.py", "b.py")) as moves:
        (tmp_path / "tests").rmdir()
        (tmp_path / "tests").mkdir()
        assert moves() == ("tests/",)


def _clock_has_moved(path: Path, began: int) -> bool:
    """File systems note times in steps of some milliseconds."""
    path.write_text("")
    return path.stat().st_ctime_ns > began


def test_what_it_did_before_is_known() -> None:
    """H8: a suite that writes over a file of the commit has always done so."""
    ran = CheckResult("test", "make test", True, "", "", rewritten=("a.txt",))
    more = ran._replace(rewritten=("a.txt", "b.py"))
    words = "test: running it writes over a.txt"
    assert Baseline().overwritten(ran) == words
    known = Baseline.load({"red": {}, "tests": {}, "rewritten": {"test": ["a.txt"]}})
    assert known.overwritten(ran) == ""
    assert known.overwritten(more) == "test: running it writes over b.py"
