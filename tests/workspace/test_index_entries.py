"""An agent says that files have another form than they have: git won't store them.

Covers: H5, I3
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.index_entries import add
from sparing.workspace.git.kept_turn import keep_turn
from sparing.workspace.git.private_index import Scan
from sparing.workspace.git.runner import GitFailed
from sparing.workspace.git.worktree import Worktree, restore
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree

RULES = (
    "*.py working-tree-encoding=UTF-16\n",
    "* working-tree-encoding=NONSENSE\n",
    "*.py text eol=crlf working-tree-encoding=UTF-32\n",
    "*.py working-tree-encoding=true\n",
)


@pytest.fixture(params=RULES)
def worktree(tmp_path: Path, request: pytest.FixtureRequest) -> Worktree:
    made = make_worktree(make_repository(tmp_path / "main", {"app.py": "APP = 1\n"}))
    files = {"app.py": "APP = 2\n", "new.py": "1", ".gitattributes": str(request.param)}
    write_files(made.path, files)
    (made.path / "new.py").chmod(0o755)
    (made.path / "link").symlink_to("app.py")
    return made


def test_a_commit_is_refused_in_two_lines(worktree: Worktree) -> None:
    """I3: the feature waits for a person; it neither dies nor says what only git can read."""
    tip = worktree.tip()
    assert not keep_turn(worktree, tip, "a-dispatch", 1, lambda _: ())
    with pytest.raises(RepositoryError) as caught:
        commit(worktree)
    assert caught.value.what.startswith("git can't store what was written: ")
    assert ".gitattributes" in caught.value.repair
    assert "\n" not in caught.value.what
    assert worktree.tip() == tip


def test_the_work_is_kept_as_it_is_and_the_next_turn_can_begin(worktree: Worktree) -> None:
    """I3: byte for byte, links and modes too; and all is as before the turn."""
    kept = restore(worktree, worktree.tip(), "a-turn")
    assert kept
    at = worktree.path
    assert git(at, "cat-file", "-p", f"{kept}:new.py") == "1"
    assert git(at, "cat-file", "-p", f"{kept}:app.py").strip() == "APP = 2"
    modes = {line.split()[3]: line.split()[0] for line in git(at, "ls-tree", kept).splitlines()}
    assert (modes["new.py"], modes["link"], modes["app.py"]) == ("100755", "120000", "100644")
    assert not (at / ".gitattributes").exists()
    assert (at / "app.py").read_text() == "APP = 1\n"
    write_files(at, {"app.py": "APP = 3\n"})
    assert commit(worktree).commit == worktree.tip()


def test_a_file_of_such_a_name_that_git_cannot_read_is_something_else(tmp_path: Path) -> None:
    """I3: what git says of a file holds the file's name."""
    made = make_worktree(make_repository(tmp_path / "main", {"app.py": "APP = 1\n"}))
    (made.path / "encoding BOM").mkdir()
    with made.held() as git_, pytest.raises(GitFailed):
        add(git_, Scan(untracked=("encoding BOM",)))
