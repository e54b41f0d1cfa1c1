"""A git folder for sandboxed processes: one branch with its history, and nothing else.

An agent that could read the repository's own folder would see the stash, other branches,
unreachable objects, and settings. So it is given a folder of its own: objects that its branch
reaches, packed from the repository, the index, and what git must know to read them. It is for
reading (log, diff, status, blame); what the program commits does not depend on it.

History that a feature shares with the user's checkout is packed once for all features, and only
what is new since the last time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.checks.installed_packages import remove_tree
from sparing.workspace.checks.worktree_swap import beside
from sparing.workspace.git.config import without_credentials
from sparing.workspace.git.direct.history_reader import leads_to
from sparing.workspace.git.lock import held
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.private_index import copy_index, excludes_of
from sparing.workspace.git.repository import Repository, contains
from sparing.workspace.git.runner import common_dir
from sparing.workspace.git.special_files import WHOLE, read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.sparse_checkout import PATTERNS, Cone, read_cone
from sparing.workspace.sandbox.policy import GitView

PACK_SECONDS = 1_800.0
OBJECT_FORMAT = "extensions.objectformat"
ALTERNATES = Path("objects") / "info" / "alternates"


class History(NamedTuple):
    """Objects reachable from a commit, in a folder that features share."""

    commit: str
    folder: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        """This folder and those that it builds upon."""
        return (self.folder, *_built_upon(self.folder))


def own_git(worktree: Worktree, stores: Path) -> GitView:
    """Make it, or bring it up to date. `stores` is a folder of ours for shared history."""
    repo, tip = worktree.repository, worktree.tip()
    folder = folder_of(worktree.path)
    stores.mkdir(mode=0o700, parents=True, exist_ok=True)
    with held(stores / "lock"):
        if _tip_of(folder) != _ref(worktree, tip):
            _make(worktree, tip, _history(repo, _shared(repo, tip), stores))
        _refresh(worktree, folder)
    return GitView(folder, tuple(_built_upon(folder)))


def folder_of(worktree: Path) -> Path:
    return beside(worktree, "git")


def remove_unused(stores: Path, worktrees: Path) -> None:
    """Remove shared history that no worktree uses any more."""
    if not stores.is_dir():
        return
    with held(stores / "lock"):
        used = {path for folder in worktrees.glob("*.git") for path in _built_upon(folder)}
        for folder in stores.iterdir():
            if folder.is_dir() and folder / "objects" not in used:
                remove_tree(folder)


def _make(worktree: Worktree, tip: str, history: History) -> None:
    folder = folder_of(worktree.path)
    fresh = beside(worktree.path, "git-new")
    remove_tree(fresh)
    for name in ("objects/pack", "objects/info", "refs/heads", "info"):
        (fresh / name).mkdir(mode=0o700, parents=True)
    _pack(worktree.repository, fresh, tip, history.commit)
    lines = (os.fsencode(path) + b"\n" for path in history.folders)
    (fresh / ALTERNATES).write_bytes(b"".join(lines))
    (fresh / "HEAD").write_bytes(os.fsencode(f"ref: {worktree.ref}\n"))
    cone = read_cone(worktree.git_dir)
    (fresh / "config").write_bytes(os.fsencode(_settings(worktree.repository, cone)))
    if cone:
        (fresh / PATTERNS).write_bytes(read_plain(worktree.git_dir / PATTERNS, WHOLE) or b"")
    if shallow := read_plain(worktree.repository.git_dir / "shallow", WHOLE):
        (fresh / "shallow").write_bytes(shallow)
    (fresh / "packed-refs").write_bytes(_ref(worktree, tip))
    remove_tree(folder)
    fresh.rename(folder)


def _refresh(worktree: Worktree, folder: Path) -> None:
    """Update what changes without a commit: the index, and the rules for ignored files."""
    entry = worktree.git_dir
    if (entry / "index").is_file():
        copy_index(entry / "index", folder / "index", folder / "index.new")
    rules = (common_dir(entry) / "info" / "exclude", worktree.repository.ignores)
    texts = (read_plain(file, WHOLE, follow=True) or b"" for file in rules if file)
    own = read_plain(excludes_of(entry), WHOLE) or b""
    (folder / "info" / "exclude").write_bytes(b"\n".join((*texts, own)))


def _settings(repo: Repository, cone: Cone) -> str:
    """The config of the folder, without settings on where objects or refs are stored."""
    known = repo.git().settings()
    kept = [
        one for one in known if not one.key.startswith("extensions.") or one.key == OBJECT_FORMAT
    ]
    version = 1 if any(one.key == OBJECT_FORMAT for one in kept) else 0
    fixed = f"[core]\n\tbare = false\n\trepositoryformatversion = {version}\n"
    # With them git sees what is written outside of the part that a worktree holds.
    sparse = "\tsparseCheckout = true\n\tsparseCheckoutCone = true\n" if cone else ""
    return without_credentials(kept) + fixed + sparse


def _ref(worktree: Worktree, tip: str) -> bytes:
    return os.fsencode(f"{tip} {worktree.ref}\n")


def _tip_of(folder: Path) -> bytes | None:
    return read_plain(folder / "packed-refs", WHOLE)


def _shared(repo: Repository, tip: str) -> str:
    """The last commit shared with the user's checkout; the tip itself if there is none."""
    here = repo.checkout_git()
    if here.git_dir == repo.git_dir:
        head = object_id(repo.git(), "HEAD^{commit}")
        if head and leads_to(repo.git(), tip, head):
            return head
    found = here.text("merge-base", tip, "HEAD", ok_codes=(0, 1))
    return found.partition("\n")[0] or tip


def _history(repo: Repository, commit: str, stores: Path) -> History:
    place = stores / commit
    known = History(commit, place / "objects")
    if known.folder.is_dir():
        return known
    before = _newest_below(repo, commit, stores)
    fresh = stores / "new"
    remove_tree(fresh)
    for name in ("pack", "info"):
        (fresh / "objects" / name).mkdir(mode=0o700, parents=True)
    _pack(repo, fresh, commit, before.commit if before else "")
    lines = (os.fsencode(path) + b"\n" for path in (before.folders if before else ()))
    (fresh / ALTERNATES).write_bytes(b"".join(lines))
    fresh.rename(place)
    return known


def _newest_below(repo: Repository, commit: str, stores: Path) -> History | None:
    """The newest history that the commit itself contains, so that nothing more is exposed."""
    made = [place for place in stores.iterdir() if (place / "objects").is_dir()]
    for place in sorted(made, key=lambda one: one.stat().st_mtime_ns, reverse=True):
        if contains(repo, commit, place.name):
            return History(place.name, place / "objects")
    return None


def _built_upon(folder: Path) -> Iterator[Path]:
    file = folder / ALTERNATES if folder.name != "objects" else folder.parent / ALTERNATES
    for line in (read_plain(file, WHOLE) or b"").splitlines():
        yield Path(os.fsdecode(line))


def _pack(repo: Repository, target: Path, commit: str, known: str) -> None:
    """Pack objects reachable from the commit but not `known`; of a partial clone, those present."""
    git = replace(repo.git(), limit_seconds=PACK_SECONDS)
    args = ("--revs", "--non-empty", "--quiet", "--delta-base-offset", "--missing=allow-any")
    wanted = f"{commit}\n" + (f"^{known}\n" if known else "")
    objects = target / "objects"
    # git makes its temporary file beside the objects it adds to: not in the user's repository,
    # and not on another file system than the pack.
    env = {
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(repo.git_dir / "objects"),
    }
    git.run("pack-objects", *args, str(objects / "pack" / "pack"), stdin=wanted.encode(), env=env)


def _quoted(path: Path) -> str:
    """Quote a path, so that colons and quotation marks in it are safe in a list of folders."""
    text = str(path)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
