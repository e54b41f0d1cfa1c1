"""What `start` shows before anything is spent.

Covers: K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import git, make_repository
from tests.terminal import sparing


@pytest.mark.parametrize(
    ("hand_over", "history", "shown"),
    [
        ("print", "all", ""),
        ("merge", "all", "hand-over merged into main when it is finished"),
        ("merge", "squash", "hand-over merged into main when it is finished, as one commit"),
        ("pull-request", "rebase", "pushed for a pull request into main when it is finished, reb"),
    ],
)
def test_what_happens_to_the_branch_is_shown_if_a_person_does_not_merge_it(
    tmp_path: Path, hand_over: str, history: str, shown: str
) -> None:
    """K1: whoever asks for a merge or a push sees it before they agree to run."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    words = ("start", "Greet by name", "--tier", "L1", "--dry-run", "--hand-over", hand_over)
    environ = {"SPARING_COMMITS__HISTORY": history, "COLUMNS": "120"}
    said = sparing(path, *words, environ=environ)
    assert said.code == 0, said.err
    assert shown in said.out + said.err
    assert ("hand-over" in said.out + said.err) == bool(shown)


def test_what_a_push_will_need_is_said_before_anything_is_paid(tmp_path: Path) -> None:
    """K1, H3: not first at the very end, where the feature then waits."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    words = ("start", "Greet by name", "--dry-run", "--hand-over", "pull-request")
    said = sparing(path, *words, environ={"COLUMNS": "160"})
    assert "; there is no remote to push to" in said.out
    git(path, "remote", "add", "origin", str(tmp_path / "o.git"))
    said = sparing(path, *words, environ={"COLUMNS": "160"})
    assert "; that needs your approval of origin once: sparing trust" in said.out


def test_submodules_are_said_to_be_left_out(tmp_path: Path) -> None:
    """K1: whoever has tests in one knows why they are red, before an agent is paid."""
    listed = '[submodule "a"]\n\tpath = vendor/a b\n\turl = ../a\n[submodule "c"]\n\tpath=c\n'
    path = make_repository(tmp_path / "r", {"README.md": "# r\n", ".gitmodules": listed})
    said = sparing(path, "start", "Greet by name", "--dry-run", environ={"COLUMNS": "120"})
    shown = said.out + said.err
    assert "left out  submodules vendor/a b, c: empty folders in worktrees" in shown


def test_a_set_up_whose_program_is_missing_says_so(tmp_path: Path) -> None:
    """K1: before the first run stops there."""
    settings = '[workspace]\nsetup = ["no-such-tool sync", "git version", "./made later"]\n'
    path = make_repository(tmp_path / "r", {"sparing.toml": settings})
    said = sparing(path, "start", "Greet by name", "--dry-run", environ={"COLUMNS": "120"})
    shown = said.out + said.err
    assert "no-such-tool sync (workspace.setup; no-such-tool is not installed)" in shown
    assert "git version (workspace.setup)" in shown
    assert "./made later (workspace.setup)" in shown
