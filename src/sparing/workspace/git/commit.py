"""One commit per step, made from files of a worktree, and the difference of two commits.

Plumbing only: no hook runs, no index but our own is written, ignored files are never included. A
step that is replayed finds the commit it made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.change import Change, FileChange
from sparing.errors import RepositoryError
from sparing.workspace.git import private_index
from sparing.workspace.git.direct.attributes_files import may_have_attributes
from sparing.workspace.git.direct.history_reader import (
    differ_only_in,
    difference,
    folder_entries,
)
from sparing.workspace.git.direct.staged_tree import staged_tree
from sparing.workspace.git.object_reader import GitObject, NoAnswer, blob, contents, object_id
from sparing.workspace.git.objects import (
    CommitStamp,
    has_trailers,
    keep,
    make_commit,
    move_ref,
)
from sparing.workspace.git.private_index import Scan
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import Git
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import PathRefused

_HEADINGS = Path(__file__).with_name("attributes")
_IDS = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
REMEMBERED = 256
_NO_FILTER = ("unspecified", "unset", "set", "lfs")


class KeptFiles(NamedTuple):
    """The commit a worktree was just found equal to, so that it need not be scanned again."""

    commit: str
    but: tuple[str, ...] = ()
    """Files that the program itself has written since."""


def changed_paths(
    worktree: Worktree, commit: str, kept: KeptFiles | None = None
) -> tuple[str, ...]:
    """Paths that differ on disk from a commit: changed, deleted and new, but not ignored files."""
    if kept is not None:
        with suppress(NoAnswer):
            return difference(worktree.repository.git(), commit, kept.commit).paths
    with worktree.held() as git:
        private_index.load(git, commit)
        return private_index.scan(git).paths


def commit_paths(
    worktree: Worktree,
    parent: str,
    paths: Sequence[str],
    stamp: CommitStamp,
    kept: KeptFiles | None = None,
) -> Change:
    """Commit what changed in these files and folders on top of `parent`."""
    repo = worktree.repository
    with worktree.held() as git:
        tip = worktree.tip()
        if tip != parent and (made := _made_before(git, parent, tip, stamp)):
            return Change(made, parent)
        found = _of_kept(worktree, parent, paths, kept)
        fresh = Scan(modified=kept.but if kept else ())
        listed = kept.commit if found is not None and kept is not None else parent
        private_index.load(git, listed)
        if found is None:
            found = fresh = _under(private_index.scan(git), paths)
            _refuse_ignored(git, worktree.path, paths, found)
        if not found.paths:
            return Change(parent, parent)
        _refuse_unsafe(git, worktree, parent, found)
        tree = staged_tree(git, repo.git(), listed, fresh)
        if tree == object_id(repo.git(), f"{parent}^{{tree}}"):
            return Change(parent, parent)
        new = make_commit(git, tree, (parent,), stamp)
        if (stands := move_ref(git, worktree.ref, new, parent)) != new:
            raise _moved(git, worktree.branch, parent, stands, new)
        private_index.note_equal(git, new)
        private_index.publish(git)
    return Change(new, parent)


def diff(repo: Repository, old: str, new: str, paths: Sequence[str] = (), context: int = 0) -> str:
    """The change as a diff, with a heading above each hunk."""
    args = ("-p", f"-U{context}", "-M", "--no-color", "--no-ext-diff", "--no-textconv")
    setting = f"core.attributesFile={_HEADINGS}"
    out = repo.git().run("-c", setting, "diff-tree", "-r", *args, old, new, "--", *paths)
    return out.decode(errors="replace")


def changed_files(repo: Repository, old: str, new: str) -> tuple[FileChange, ...]:
    known = _IDS.fullmatch(old) and _IDS.fullmatch(new)
    return (_changed_files if known else _changed_files.__wrapped__)(repo, old, new)


def changed_outside(repo: Repository, old: str, new: str, folder: str) -> tuple[FileChange, ...]:
    """Changed files that are not in this folder; git counts lines only if there are any."""
    if _IDS.fullmatch(old) and _IDS.fullmatch(new):
        with suppress(NoAnswer):
            if differ_only_in(repo.git(), old, new, folder):
                return ()
    found = changed_files(repo, old, new)
    return tuple(one for one in found if not one.path.startswith(f"{folder}/"))


@lru_cache(REMEMBERED)
def _changed_files(repo: Repository, old: str, new: str) -> tuple[FileChange, ...]:
    args = ("--numstat", "-z", "-r", "--no-renames", "--no-ext-diff", "--no-textconv")
    files: list[FileChange] = []
    for line in os.fsdecode(repo.git().run("diff-tree", *args, old, new)).split("\0"):
        if line:
            added, removed, path = line.split("\t", 2)
            files.append(FileChange(path, _count(added), _count(removed)))
    return tuple(files)


def read_file(repo: Repository, commit: str, path: str) -> bytes | None:
    """A file's content in a commit; None if there is none. Commits never change, so the result
    is cached."""
    read = _read_file if _IDS.fullmatch(commit) else _read_file.__wrapped__
    return read(repo, commit, path)


@lru_cache(REMEMBERED)
def _read_file(repo: Repository, commit: str, path: str) -> bytes | None:
    place = PurePosixPath(path)
    if "\0" in path or place.is_absolute() or ".." in place.parts or not place.parts:
        return None
    return blob(repo.git(), f"{commit}:{place}")


def list_folder(repo: Repository, commit: str, path: str) -> tuple[str, ...]:
    """Names in a folder of a commit; none if there is no such folder."""
    place = PurePosixPath(path)
    if "\0" in path or place.is_absolute() or ".." in place.parts:
        return ()
    with suppress(NoAnswer):
        return _names(contents(repo.git(), f"{commit}:{place}"))
    args = ("ls-tree", "-z", "--name-only", f"{commit}:{place}")
    names = os.fsdecode(repo.git().run(*args, ok_codes=(0, 128))).split("\0")
    return tuple(sorted(name for name in names if name))


def _names(folder: GitObject | None) -> tuple[str, ...]:
    if folder is None or folder.kind != "tree":
        return ()
    return tuple(sorted(folder_entries(folder)))


def _made_before(git: Git, parent: str, tip: str, stamp: CommitStamp) -> str | None:
    """The commit that this step already made, if it is on the branch."""
    for line in git.text("rev-list", "--first-parent", "--parents", tip, f"^{parent}").splitlines():
        commit, *parents = line.split()
        if parents[:1] == [parent] and has_trailers(git, commit, stamp):
            return commit
    return None


def _under(found: Scan, paths: Iterable[str]) -> Scan:
    wanted = [str(_inner(path)) for path in paths]

    def inside(path: str) -> bool:
        return any(name in (".", path) or path.startswith(f"{name}/") for name in wanted)

    return Scan(*(tuple(filter(inside, group)) for group in found))


def _of_kept(
    worktree: Worktree, parent: str, paths: Sequence[str], kept: KeptFiles | None
) -> Scan | None:
    """What a scan would find, from commits alone; None where that is not certain."""
    if kept is None:
        return None
    git = worktree.repository.git()
    try:
        changed = difference(git, parent, kept.commit)
    except NoAnswer:
        return None
    found = Scan(changed.modified, changed.deleted, changed.added)
    # A file that the parent has is not ignored, whatever the rules say.
    known = all(object_id(git, f"{parent}:{path}") for path in kept.but)
    plain = all(private_index.is_plain(worktree.path / path) for path in kept.but)
    if not known or not plain or _under(found, paths) != found:
        return None
    again = (path for path in kept.but if path not in found.paths)
    return found._replace(modified=(*found.modified, *again))


def _inner(path: str) -> PurePosixPath:
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts:
        raise PathRefused(path, "it leaves the folder")
    return place


def _refuse_ignored(git: Git, root: Path, paths: Sequence[str], found: Scan) -> None:
    """Refuse to leave out silently a file that was asked for by name but is ignored."""
    absent = [path for path in paths if path not in found.paths and (root / path).is_file()]
    if not absent:
        return
    known = os.fsdecode(git.run("ls-files", "-z", "--", *absent)).split("\0")
    for path in absent:
        if str(PurePosixPath(path)) not in known:
            raise RepositoryError(
                f"{path} is ignored by git, so it can't be committed",
                f"the rule: git check-ignore -v {path}",
            )


def _refuse_unsafe(git: Git, worktree: Worktree, parent: str, found: Scan) -> None:
    """Refuse what git would accept but should never be in a commit."""
    root = worktree.path
    for path in found.nested:
        raise RepositoryError(f"{path} is a repository itself", f"remove {path}/.git")
    for path in found.special:
        raise RepositoryError(f"{path} is not a regular file", f"rm {path}")
    for path in found.on_disk:
        if not path.isprintable():
            raise RepositoryError(f"{path!r} has invisible characters", "rename the file")
        if (root / path).is_symlink() and _leaves(path, str((root / path).readlink())):
            raise RepositoryError(f"{path} is a link out of the project", f"rm {path}")
    if may_have_attributes(git, worktree.repository.git(), parent, found.on_disk):
        _refuse_filtered(git, found.on_disk)


def _refuse_filtered(git: Git, paths: Sequence[str]) -> None:
    """Refuse files that need a filter which we do not run: the bytes would be wrong."""
    out = git.run("check-attr", "-z", "--stdin", "filter", stdin=private_index.lines(paths))
    fields = os.fsdecode(out).split("\0")
    for path, value in zip(fields[0::3], fields[2::3], strict=False):
        if value not in _NO_FILTER and not _is_set(git, f"filter.{value}"):
            raise RepositoryError(
                f"{path} needs the git filter {value!r}, which Sparing does not run",
                f"the rule: git check-attr filter -- {path}",
            )


def _is_set(git: Git, prefix: str) -> bool:
    """Whether a filter is configured; if so it was trusted, or git would not have been started."""
    names = (f"{prefix}.clean", f"{prefix}.process")
    return any(git.ask("config", "--get", name).returncode == 0 for name in names)


def _leaves(path: str, target: str) -> bool:
    place = os.path.normpath(os.path.join(os.path.dirname(path), target))  # noqa: PTH118, PTH120
    first = PurePosixPath(place).parts[:1]
    return os.path.isabs(target) or first in (("..",), (".git",))  # noqa: PTH117


def _moved(git: Git, branch: str, parent: str, stands: str, new: str) -> RepositoryError:
    kept = keep(git, f"{branch}/{new[:10]}", new)
    return RepositoryError(
        f"{branch} should be at {parent[:10]} but is at {stands[:10] or 'nothing'}; "
        f"Sparing's work is kept as {kept}",
        f"git log {branch} shows who moved it; to take Sparing's work: git cherry-pick {new[:10]}",
    )


def _count(field: str) -> int:
    return 0 if field == "-" else int(field)
