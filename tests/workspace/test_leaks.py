"""A change with a secret in it is found before anything is staged; what was there before is not.

Covers: H5
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.project.leaks import (
    READ_LIMIT,
    TOO_LARGE,
    SecretsFound,
    leaks,
    refuse_secrets,
    set_aside,
)
from sparing.workspace.project.secrets import MOST_HITS
from tests.repositories import git, make_repository, write_files

KNOWN = "k7Hq-" + "92mVx4Lr"
OLD = "token = '" + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + "'"
KEY = "-----BEGIN " + "PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n"


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    files = {"old.py": f"{OLD}\nx = 1\n", "key.pem": KEY.format("MIIabc123DEF456ghi789JKL")}
    repository = find_repository(make_repository(tmp_path / "main", files))
    head = git(repository.checkout, "rev-parse", "HEAD")
    return ensure_worktree(repository, tmp_path / "worktrees" / "one", "feature/one", head)


def places(worktree: Worktree, files: dict[str, str | bytes]) -> list[str]:
    write_files(worktree.path, files)
    return [hit.words for hit in leaks(worktree, worktree.tip(), tuple(files), (KNOWN,))]


def test_a_value_that_is_known_is_found_wherever_it_stands(worktree: Worktree) -> None:
    """H5: with file and line, never with the value."""
    rule = "secret of this run"
    found = places(worktree, {"a.py": f"\n\nkey = {KNOWN!r}\n", "b.bin": b"\0\1" + KNOWN.encode()})
    assert found == [f"a.py, line 3: {rule}", f"b.bin, line 1: {rule}"]


def test_a_line_that_was_there_before_is_no_matter_of_the_change(worktree: Worktree) -> None:
    """H5: an agent is not asked to clean what others committed; a new line is."""
    assert places(worktree, {"old.py": f"y = 2\n{OLD}\n"}) == []
    assert places(worktree, {"old.py": f"{OLD}\n{OLD.replace('a1', 'Z9')}\n"}) == [
        "old.py, line 2: GitHub token"
    ]
    assert places(worktree, {"copy.py": f"{OLD}\n"}) == ["copy.py, line 1: GitHub token"]


def test_another_private_key_in_the_place_of_one_is_new(worktree: Worktree) -> None:
    """H5: all of them begin with the same line."""
    assert places(worktree, {"key.pem": KEY.format("MIIxyz987UVW654rst321OPQ")}) == [
        "key.pem, line 1: private key"
    ]


def test_what_git_would_not_take_is_passed_over(worktree: Worktree) -> None:
    (worktree.path / "folder").mkdir()
    (worktree.path / "link").symlink_to(f"/nowhere/{KNOWN}")
    found = leaks(worktree, worktree.tip(), ("folder", "link", "gone.py"), (KNOWN,))
    assert [hit.path for hit in found] == ["link"]


def test_a_refusal_names_places_only(worktree: Worktree) -> None:
    """H5"""
    write_files(worktree.path, {"a.py": f"key = {KNOWN!r}\n"})
    with pytest.raises(SecretsFound) as caught:
        refuse_secrets(worktree, worktree.tip(), ("a.py",), (KNOWN,))
    assert str(caught.value).startswith("a.py, line 1: ")
    assert KNOWN not in str(caught.value)


def test_files_with_secrets_are_put_where_no_commit_takes_them(worktree: Worktree) -> None:
    """H5: beside the worktree, for their owner alone; nothing is lost."""
    write_files(worktree.path, {"src/a.py": f"key = {KNOWN!r}\n", "src/b.py": "b = 1\n"})
    (place,) = set_aside(worktree, worktree.tip(), ("src/a.py", "src/b.py"), (KNOWN,))
    assert KNOWN in Path(place).read_text()
    assert not Path(place).is_relative_to(worktree.path)
    assert Path(place).parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (worktree.path / "src").iterdir()] == ["b.py"]


@pytest.mark.long
def test_nothing_hides_behind_a_long_file(worktree: Worktree) -> None:
    """H5: an agent may write as much as it likes before it."""
    text = b"a" * 17_000_000 + b"\n\nkey = " + KNOWN.encode()
    assert places(worktree, {"long.txt": text}) == ["long.txt, line 3: secret of this run"]


def test_a_new_file_that_is_too_large_to_search_is_not_committed(worktree: Worktree) -> None:
    """H5: not even if it is all holes, which take no room on the disk; nor are many of them."""
    for name, size in (("hole.bin", READ_LIMIT + 1), ("small.bin", 1)):
        with (worktree.path / name).open("wb") as file:
            file.truncate(size)
    names = ("hole.bin", "small.bin")
    found = leaks(worktree, worktree.tip(), names, (KNOWN,))
    assert [hit.words for hit in found] == [f"hole.bin: {TOO_LARGE}"]
    assert len(set_aside(worktree, worktree.tip(), names, (KNOWN,))) == 1
    assert (worktree.path / "small.bin").exists()


def test_no_file_is_left_out_because_others_are_large(worktree: Worktree) -> None:
    """H5: padding in one file must not hide a secret in another, be that new or old."""
    write_files(worktree.path, {"a.txt": "a" * 1_000, "old.py": f"x = '{KNOWN}'\n", "z.py": KNOWN})
    found = leaks(worktree, worktree.tip(), ("a.txt", "old.py", "z.py"), (KNOWN,), 1_000)
    assert [hit.words for hit in found] == [f"old.py: {TOO_LARGE}", f"z.py: {TOO_LARGE}"]


def test_many_old_secrets_hide_no_new_one(worktree: Worktree) -> None:
    """H5: a file of samples may hold more than are ever reported."""
    samples = "".join(f"{OLD.replace('a1B2', f'{n:04}')}\n" for n in range(MOST_HITS + 5))
    write_files(worktree.path, {"samples.py": samples})
    git(worktree.path, "add", "samples.py")
    git(worktree.path, "commit", "-qm", "samples")
    assert places(worktree, {"samples.py": samples + "z = 1\n"}) == []
    last = MOST_HITS + 6
    assert places(worktree, {"samples.py": f"{samples}{OLD.replace('a1', 'Z9')}\n"}) == [
        f"samples.py, line {last}: GitHub token"
    ]
