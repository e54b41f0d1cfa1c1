"""Secrets that reach a commit in two steps, or in an encoding that only git undoes.

Covers: H5
"""

from __future__ import annotations

import subprocess
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.leaks import leaks
from sparing.workspace.project.secrets import KNOWN, MOST_HITS
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree

VALUE = "k7Hq-" + "92mVx4LrPw8Z"
OLD = "token = 'ghp_" + "{:04}C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'"
OLD_LINES = "\n".join(OLD.format(n) for n in range(MOST_HITS + 5))


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    files = {"a.py": "x = 1\n", "samples.py": f"{OLD_LINES}\n"}
    return make_worktree(make_repository(tmp_path / "main", files))


def found(worktree: Worktree, files: Mapping[str, str | bytes]) -> list[str]:
    write_files(worktree.path, dict(files))
    return [hit.words for hit in leaks(worktree, worktree.tip(), tuple(files), (VALUE,))]


IN_TWO_STEPS = {
    "a letter a line": ('k = [\n"k"\n]\n', "k = [\n" + "\n".join(f'"{one}"' for one in VALUE)),
    "its first literal": ("a = (\n'k7Hq-92'\n)\n", "a = (\n'k7Hq-92'\n'mVx4LrPw8Z'\n)\n"),
    "a line that continues": ("k7Hq-92\\\n", "k7Hq-92\\\nmVx4LrPw8Z\n"),
}


@pytest.mark.parametrize("way", IN_TWO_STEPS)
def test_the_first_line_of_a_value_may_be_an_old_one(worktree: Worktree, way: str) -> None:
    """H5: an agent commits the harmless beginning first, and the rest in its next turn."""
    first, second = IN_TWO_STEPS[way]
    assert found(worktree, {"two.txt": first}) == []
    commit(worktree)
    (hit,) = found(worktree, {"two.txt": second})
    assert hit.endswith(KNOWN)
    other = {"two.txt": second.replace("mVx4", "AbC9").replace('"V"', '"W"')}
    assert found(worktree, other) == []


def test_old_secrets_do_not_hide_one_that_is_spread_over_old_lines(worktree: Worktree) -> None:
    """H5: lines that are not new may still be put together in a new way."""
    letters = "\n".join(f'"{one}"' for one in dict.fromkeys(sorted(VALUE)))
    write_files(worktree.path, {"samples.py": f"{OLD_LINES}\n{letters}\n"})
    commit(worktree)
    spread = "\n".join(f'"{one}"' for one in VALUE)
    assert found(worktree, {"samples.py": f"{OLD_LINES}\n{letters}\n"}) == []
    (hit,) = found(worktree, {"samples.py": f"{OLD_LINES}\n{spread}\n"})
    assert hit == f"samples.py, line {MOST_HITS + 6}: {KNOWN}"


def _utf_7(text: str) -> bytes:
    """Every letter as one that has to be encoded."""
    signs = (b64encode(one.encode("utf-16-be")).rstrip(b"=") for one in text)
    return b"".join(b"+" + sign + b"-" for sign in signs)


@pytest.mark.parametrize("name", ["UTF-7", "IBM037", "UTF-16", "UTF-32"])
def test_what_git_converts_is_searched_as_it_is_stored(worktree: Worktree, name: str) -> None:
    """H5: the attribute is the agent's own, and on disk nothing can be recognised."""
    text = f"one = 1\nkey = {VALUE}\n"
    coded = _utf_7(text) if name == "UTF-7" else text.encode(name)
    rule = f"*.txt working-tree-encoding={name}\n"
    told = found(worktree, {".gitattributes": rule, "a b.txt": coded})
    assert f"a b.txt, line 2: {KNOWN}" in told
    commit(worktree)  # were it not for the search
    assert VALUE in git(worktree.path, "show", "HEAD:a b.txt")


def test_a_search_keeps_nothing_of_what_it_found(worktree: Worktree) -> None:
    """H5: git converts as it stores, so it stores in a folder that is removed."""
    files = {".gitattributes": "*.txt working-tree-encoding=UTF-7\n", "a.txt": _utf_7(VALUE)}
    assert found(worktree, files)
    store = worktree.repository.git_dir
    told = subprocess.run(
        ("git", "-C", str(store), "cat-file", "--batch-all-objects", "--batch"),
        capture_output=True, check=True,
    )  # fmt: skip
    assert VALUE.encode() not in told.stdout


def test_a_file_that_git_refuses_and_a_link_are_searched_as_they_are(worktree: Worktree) -> None:
    """H5: the commit is refused by git itself; a link's target is never converted."""
    (worktree.path / "link.txt").symlink_to(f"/nowhere/{VALUE}")
    files = {".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "a.txt": VALUE}
    write_files(worktree.path, files)
    told = leaks(worktree, worktree.tip(), (*files, "link.txt", "gone.txt"), (VALUE,))
    assert [hit.words for hit in told] == [
        f"a.txt, line 1: {KNOWN}",
        f"link.txt, line 1: {KNOWN}",
    ]
