"""Worktrees that hold a part of their repository: nothing is lost, nothing looks deleted.

Covers: H1, H3, K2
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.redact import Redactor
from sparing.workspace.checks.clean_room import clean_room
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.own_git import own_git
from sparing.workspace.git.parallel_worktrees import move_on
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.git.worktree import Worktree, ensure_worktree, restore
from sparing.workspace.project.missing_files import bring_files, known_files
from sparing.workspace.project.sparse_checkout import inside, patterns
from sparing.workspace.setup.base_files import base_files
from sparing.workspace.tools.command import Commands
from sparing.workspace.tools.seen_files import SeenStore
from sparing.workspace.tools.toolset import ToolPlace, Toolset
from tests.repositories import commit_beside, git, make_repository, write_files
from tests.workspace.features import BRANCH, commit, files_of
from tests.workspace.toolsets import Bare, look

CONE = ("packages/api",)
PART = {"top.txt": "top\n", "packages/near.txt": "near\n", "packages/api/a.py": "a\n"}
REST = {"docs/d.md": "d\n", "packages/web/w.py": "w\n", "packages/web/deep/v.py": "v\n"}
FILES = {**PART, **REST}


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    return made(make_repository(tmp_path / "r", FILES))


def made(checkout: Path) -> Worktree:
    repo = find_repository(checkout)
    folder = checkout.parent / "worktrees" / "001-demo"
    return ensure_worktree(repo, folder, BRANCH, head(repo).commit, CONE)


def on_disk(folder: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return {str(path.relative_to(folder)) for path in found} - {".git"}


def tree(worktree: Worktree) -> dict[str, str]:
    names = git(worktree.repository.checkout, "ls-tree", "-r", "--name-only", worktree.tip())
    where = worktree.repository.checkout
    return {name: f"{git(where, 'show', f'{BRANCH}:{name}')}\n" for name in names.splitlines()}


def is_clean(worktree: Worktree) -> bool:
    seen = git(worktree.path, "status", "--porcelain")
    return changed_paths(worktree, worktree.tip()) == () and seen == ""


def test_it_holds_its_part_and_is_clean(worktree: Worktree) -> None:
    """K2: also for whoever asks git in the folder."""
    assert on_disk(worktree.path) == set(PART)
    assert is_clean(worktree)


def test_a_commit_has_all_files(worktree: Worktree) -> None:
    """H3: the rest stays as it is."""
    write_files(worktree.path, {"packages/api/a.py": "changed\n", "packages/api/new.py": "n\n"})
    change = commit(worktree)
    assert files_of(worktree, change) == ["packages/api/a.py", "packages/api/new.py"]
    changed = {"packages/api/a.py": "changed\n", "packages/api/new.py": "n\n"}
    assert tree(worktree) == {**FILES, **changed}
    assert is_clean(worktree)


def test_what_is_written_outside_of_it_counts(worktree: Worktree) -> None:
    """H3: a file that was left out and is written again, and one that is new there."""
    write_files(worktree.path, {"packages/web/w.py": "other\n", "docs/new.md": "new\n"})
    assert changed_paths(worktree, worktree.tip()) == ("docs/new.md", "packages/web/w.py")
    commit(worktree)
    assert tree(worktree) == {**FILES, "packages/web/w.py": "other\n", "docs/new.md": "new\n"}
    assert is_clean(worktree)


def test_what_was_there_and_is_removed_counts(worktree: Worktree) -> None:
    """H3: a file outside that somebody brought, and then deleted."""
    assert bring_files(worktree, ["packages/web"], 10) == 0
    assert on_disk(worktree.path) == {*PART, "packages/web/w.py", "packages/web/deep/v.py"}
    assert is_clean(worktree)
    (worktree.path / "packages/web/w.py").unlink()
    assert changed_paths(worktree, worktree.tip()) == ("packages/web/w.py",)
    commit(worktree)
    assert tree(worktree) == {path: text for path, text in FILES.items() if "w.py" not in path}


def test_too_many_files_are_not_brought(worktree: Worktree) -> None:
    """K2: the count says so."""
    assert bring_files(worktree, [""], 2) == 3
    assert on_disk(worktree.path) == set(PART)


def test_another_commit_changes_the_rest(worktree: Worktree) -> None:
    """K2: what it adds outside stays out, what was brought follows."""
    bring_files(worktree, ["packages/web/w.py"], 10)
    base, checkout = worktree.tip(), worktree.repository.checkout
    later = {"packages/web/w.py": "later\n", "packages/web/more.py": "m\n", "docs/d.md": "e\n"}
    new = commit_beside(checkout, base, {**later, "packages/api/b.py": "b\n"})
    move_on(worktree, base, new)
    assert on_disk(worktree.path) == {*PART, "packages/api/b.py", "packages/web/w.py"}
    assert (worktree.path / "packages/web/w.py").read_text() == "later\n"
    assert is_clean(worktree)
    move_on(worktree, new, new)
    assert restore(worktree, new, "kept") is None
    assert is_clean(worktree)


def test_a_folder_that_vanished_is_made_again_as_a_part(worktree: Worktree) -> None:
    """H1"""
    bring_files(worktree, ["docs/d.md"], 10)
    shutil.rmtree(worktree.path)
    again = made(worktree.repository.checkout)
    assert on_disk(again.path) == {*PART, "docs/d.md"}
    assert is_clean(again)


def test_an_index_that_is_gone(worktree: Worktree) -> None:
    """H1: a kill at any place; what is not on disk is not taken for deleted."""
    for name in ("index", "sparing.index"):
        (worktree.git_dir / name).unlink()
    again = made(worktree.repository.checkout)
    assert on_disk(again.path) == set(PART)
    assert is_clean(again)


def test_checks_and_set_ups_see_all_files(worktree: Worktree) -> None:
    """K2: a clean room for a package's own checks may have the part alone."""
    with clean_room(worktree, worktree.tip()):
        assert on_disk(worktree.path) == set(FILES)
    with clean_room(worktree, worktree.tip(), part=True):
        assert on_disk(worktree.path) == set(PART)
    with base_files(worktree, worktree.tip()):
        assert on_disk(worktree.path) == set(FILES)
        write_files(worktree.path, {"node_modules/x": "made\n"})
    assert on_disk(worktree.path) == {*PART, "node_modules/x"}
    assert changed_paths(worktree, worktree.tip()) == ("node_modules/x",)


def test_an_agent_s_git_sees_what_is_written_outside(worktree: Worktree, tmp_path: Path) -> None:
    """K2: in the git folder that it is given."""
    view = own_git(worktree, tmp_path / "stores")
    write_files(worktree.path, {"packages/web/w.py": "other\n"})
    where = (f"--git-dir={view.folder}", f"--work-tree={worktree.path}")
    assert git(worktree.path, *where, "status", "--porcelain") == "M packages/web/w.py"
    assert git(worktree.path, *where, "show", "HEAD:docs/d.md") == "d"


def test_it_is_removed_like_any_other(worktree: Worktree) -> None:
    """H1: nothing in it counts as work."""
    assert retire(worktree, worktree.tip(), ()) == ""
    assert not worktree.path.exists()


NAMES = st.sampled_from(["a", "b", "c*", "d"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@settings(max_examples=25, deadline=None)
@given(st.sets(PATHS, min_size=1, max_size=6), st.sets(PATHS, min_size=1, max_size=3))
def test_git_reads_the_same_part(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], cone: set[str]
) -> None:
    """K2: the patterns that git is given say what we say."""
    files = {f"{name}/f": "x\n" for name in names} | {"f": "x\n"}
    checkout = make_repository(tmp_path_factory.mktemp("r") / "r", files)
    outer = {one for one in cone if not any(one.startswith(f"{other}/") for other in cone)}
    text = "".join(f"{one}\n" for one in patterns(tuple(outer)))
    (checkout / ".git" / "info").mkdir(exist_ok=True)
    (checkout / ".git" / "info" / "sparse-checkout").write_text(text)
    sparse = ("-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=true")
    git(checkout, *sparse, "read-tree", "-m", "-u", "HEAD")
    is_inside = inside(outer)
    there = {path for path in on_disk(checkout) if not path.startswith(".git/")}
    assert there == {path for path in files if is_inside(path)}


def tools_of(worktree: Worktree, most: int = 100) -> Toolset:
    place = ToolPlace(
        root=worktree.path,
        listing=partial(known_files, worktree),
        redactor=Redactor(()),
        store=SeenStore(worktree.path.parent / "seen"),
        touched={},
        scope=CONE[0],
        bring=partial(bring_files, worktree, most=most, folders=False),
    )
    made = Toolset(place, Commands(worktree.path, Bare))
    made.begin("")
    return made


def test_a_search_keeps_to_the_root_unless_told_otherwise(worktree: Worktree) -> None:
    """K2: the rest is reached by an explicit path, and is put on disk for it."""
    tools = tools_of(worktree)
    own = "== search '[aw]' in packages/api (elsewhere: under; all: \".\"): 1 lines in 1 files"
    assert look(tools, search=["[aw]"]).text == f"{own}\npackages/api/a.py\n1\ta"
    assert on_disk(worktree.path) == set(PART)
    found = look(tools, search=["w"], under=["packages/web"])
    assert found.text == "== search 'w': 1 lines in 1 files\npackages/web/w.py\n1\tw"
    assert look(tools, read=["docs/d.md"]).text == "== docs/d.md, 1 lines\n1\td"
    everywhere = look(tools, search=["[a-z]"], under=["."]).text
    assert everywhere.startswith("== search '[a-z]': 6 lines in 6 files")
    assert is_clean(worktree)


def test_a_search_says_what_it_left_out(worktree: Worktree) -> None:
    """K2"""
    found = look(tools_of(worktree, most=1), search=["d"], under=["."]).text
    left = "[3 files were not searched: name smaller folders in under]"
    assert found == f"== search 'd': no line matches\n\n{left}"


def test_a_change_outside_begins_from_what_is_committed(worktree: Worktree) -> None:
    """K2: never from an empty file."""
    edit = {"path": "packages/web/w.py", "find": "w", "replace": "changed"}
    said = tools_of(worktree).answer("change", {"edits": [edit]})
    assert not said.failed, said.text
    commit(worktree)
    assert tree(worktree) == {**FILES, "packages/web/w.py": "changed\n"}
