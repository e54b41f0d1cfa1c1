"""Each way to make git run a program is planted; our normal work never runs it.

Covers: H2
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths, read_file
from sparing.workspace.git.config import Setting, pin
from sparing.workspace.git.merge_into_base import hand_over
from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.git.runner import Git
from sparing.workspace.git.worktree import ensure_worktree
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import BRANCH, STAMP, commit, files_of, make_worktree, merge_of
from tests.workspace.routine import work
from tests.workspace.vectors import VECTORS, Vector, make_site


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_plain_git_runs_it(tmp_path: Path, vector: Vector) -> None:
    """Else the test below would prove nothing."""
    site = make_site(tmp_path)
    vector.plant(site)
    vector.fire(site)
    assert site.mark.exists()


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_our_work_never_runs_it(tmp_path: Path, vector: Vector) -> None:
    """H2: it is refused in two lines, or the work is done without it."""
    site = make_site(tmp_path)
    vector.plant(site)
    site.mark.unlink(missing_ok=True)
    if vector.refused:
        with pytest.raises(RepositoryError, match=re.escape(vector.refused)) as caught:
            work(site)
        assert len(str(caught.value).splitlines()) == 2
    else:
        assert work(site).note
    assert not site.mark.exists()


def test_a_merge_that_needs_a_driver_is_a_conflict(tmp_path: Path) -> None:
    """H2: vector 18 where it matters, with both sides changed."""
    site = make_site(tmp_path)
    commit_files(site.checkout, {".gitattributes": "*.md merge=x\n"}, "attributes")
    site.set("merge.x.driver")
    worktree = make_worktree(site.checkout)
    write_files(worktree.path, {"README.md": "# Theirs\n"})
    commit(worktree)
    commit_files(site.checkout, {"README.md": "# Ours\n"}, "ours")
    told = hand_over(worktree.repository, merge_of(worktree), True, STAMP)
    assert (told.merged, told.note) == (False, f"{BRANCH} and main both changed: README.md")
    assert not site.mark.exists()


def test_a_setting_that_comes_while_we_work_is_seen(tmp_path: Path) -> None:
    """H2: also in the configuration of the worktree alone."""
    site = make_site(tmp_path)
    site.set("extensions.worktreeConfig", "true")
    worktree = make_worktree(site.checkout)
    write_files(worktree.path, {"new.md": "new\n", ".gitattributes": "*.md filter=x\n"})
    assert changed_paths(worktree, worktree.tip()) == (".gitattributes", "new.md")
    git(worktree.path, "config", "--worktree", "filter.x.clean", str(site.payload))
    with pytest.raises(RepositoryError, match=r"filter\.x\.clean"):
        commit(worktree)
    assert not site.mark.exists()


def test_an_object_that_is_missing_is_not_fetched(tmp_path: Path) -> None:
    """H2: vector 25 where it matters."""
    site = make_site(tmp_path)
    next(v for v in VECTORS if v.number == 25).plant(site)
    repo = find_repository(site.checkout)
    with pytest.raises(RepositoryError, match="the clone is partial"):
        repo.git().run("cat-file", "-p", "1" * 40)
    assert not site.mark.exists()


def test_a_folder_inside_an_embedded_repository_is_not_believed(tmp_path: Path) -> None:
    """H2: vector 23, entered by a user who stands there."""
    site = make_site(tmp_path)
    next(v for v in VECTORS if v.number == 23).plant(site)
    site.mark.unlink(missing_ok=True)
    with pytest.raises(RepositoryError):
        find_repository(site.checkout / "fixtures")
    assert not site.mark.exists()


def test_what_is_trusted_runs_and_what_is_changed_since_does_not(tmp_path: Path) -> None:
    """H2: trust is for one key with one value."""
    site = make_site(tmp_path)
    commit_files(site.checkout, {".gitattributes": "*.md filter=x\n"}, "attributes")
    site.set("filter.x.clean")
    trusted = frozenset({pin(Setting("filter.x.clean", str(site.payload)), None)})
    repo = find_repository(site.checkout, trusted)
    worktree = ensure_worktree(repo, tmp_path / "w" / "1", BRANCH, head(repo).commit)
    write_files(worktree.path, {"new.md": "new\n"})
    assert not commit(worktree).empty
    assert site.mark.exists()
    site.set("filter.x.clean", "other")
    with pytest.raises(RepositoryError, match=r"filter\.x\.clean"):
        commit(worktree)


def test_settings_that_can_do_no_harm_are_no_obstacle(tmp_path: Path) -> None:
    """Common ones in the wild; none of them may stop a user."""
    checkout = make_repository(tmp_path / "r", {"README.md": "#\n", "src/app.py": "app\n"})
    for key, value in (
        ("url.git@example.com:.insteadOf", "https://example.com/"),
        ("credential.helper", "store"),
        ("merge.ours.driver", "true"),
        ("diff.sqlite.textconv", "sqlite3 -dump"),
        ("core.excludesFile", "~/.ignored"),
        ("core.sparseCheckout", "true"),
        ("feature.manyFiles", "true"),
        ("core.untrackedCache", "true"),
        ("submodule.lib.update", "!echo"),
        ("filter.lfs.required", "true"),
        ("filter.gone.clean", ""),
        ("alias.co", "checkout"),
        ("core.ignoreStat", "true"),
    ):
        git(checkout, "config", key, value)
    git(checkout, "sparse-checkout", "set", "--no-cone", "/README.md")
    assert not (checkout / "src").exists()
    worktree = make_worktree(checkout)
    assert (worktree.path / "src" / "app.py").exists()
    write_files(worktree.path, {"README.md": "# Changed\n"})
    assert files_of(worktree, commit(worktree)) == ["README.md"]


LFS = """#!/usr/bin/env python3
import sys
assert sys.argv[1:] == ["filter-process", "--skip"], sys.argv
source, sink = sys.stdin.buffer, sys.stdout.buffer
def packets():
    while (size := int(source.read(4) or b"0", 16)) > 4:
        yield source.read(size - 4)
def send(*texts):
    for text in texts:
        sink.write(b"%04x" % (len(text) + 4) + text)
    sink.write(b"0000")
    sink.flush()
list(packets()); send(b"git-filter-server\\n", b"version=2\\n")
list(packets()); send(b"capability=clean\\n", b"capability=smudge\\n")
while head := list(packets()):
    content = b"".join(packets())
    if head[0].strip() == b"command=clean":
        content = b"pointer %d\\n" % len(content)
    send(b"status=success\\n"); send(content); send()
"""


def test_git_lfs_in_its_own_spelling_is_run_whatever_the_repository_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H2: a repository of git-lfs works; the filter under that name is ours, not theirs."""
    program = tmp_path / "bin" / "git-lfs"
    write_files(program.parent, {program.name: LFS})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    site = make_site(tmp_path)
    commit_files(site.checkout, {".gitattributes": "*.bin filter=lfs\n"}, "attributes")
    for kind in ("clean", "smudge", "process"):
        site.set(f"filter.lfs.{kind}")
    worktree = make_worktree(site.checkout)
    write_files(worktree.path, {"a.bin": "x" * 1000})
    change = commit(worktree)
    assert read_file(worktree.repository, change.commit, "a.bin") == b"pointer 1000\n"
    assert changed_paths(worktree, change.commit) == ()
    assert not site.mark.exists()


def test_git_that_hangs_is_ended(tmp_path: Path) -> None:
    """An agent can lay a pipe where git reads."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    os.mkfifo(worktree.path / ".gitignore")
    patient = worktree.git()
    with pytest.raises(RepositoryError, match="git hangs on it"):
        Git(patient.git_dir, patient.work_tree, patient.index, limit_seconds=0.5).run("status")
