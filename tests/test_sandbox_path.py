"""The one path that every worktree has in the sandbox, and how it is told to people."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.sandbox_path import WORKTREE, inside, told


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (f"{WORKTREE}/src/app.py:3: error", "src/app.py:3: error"),
        (f"cd {WORKTREE} && make", "cd . && make"),
        (f"cd {WORKTREE}/ && make", "cd . && make"),
        (f'"{WORKTREE}/a b", `{WORKTREE}`', '"a b", `.`'),
        (f"rootdir: {WORKTREE}\nplugins:", "rootdir: .\nplugins:"),
        (f"{WORKTREE}/src:{WORKTREE}", "src:."),
        (f"{WORKTREE}er/x and {WORKTREE}-two", f"{WORKTREE}er/x and {WORKTREE}-two"),
        ("/srv/me/work/x", "/srv/me/work/x"),
    ],
)
def test_paths_are_told_from_the_worktree_on(said: str, read: str) -> None:
    """H6: in replies, events, checks and logs."""
    assert told(said) == read


@given(st.text())
def test_other_texts_stay_as_they_are(text: str) -> None:
    """H6: nothing else is touched, and a second time changes nothing."""
    assert told(text) == text or str(WORKTREE) in text
    assert told(told(text)) == told(text)


def test_a_path_of_the_client_is_found_on_the_host() -> None:
    """H6: before links are followed."""
    root = Path("/state/worktrees/001")
    assert inside(f"{WORKTREE}/src/a.py", root) == f"{root}/src/a.py"
    assert inside(str(WORKTREE), root) == str(root)
    assert inside(f"{WORKTREE}er", root) == f"{WORKTREE}er"
    assert inside("src/a.py", root) == "src/a.py"
