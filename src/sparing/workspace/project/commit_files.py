"""The files of commits by mode and hash, copied from one repository into a new one.

A repository that is made from them has the same tree, and the same base commit where that commit's
own text is there too: its history is cut off before it, as in a shallow clone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sparing.cassette import FileState, StepFiles, sha256
from sparing.workspace.git.objects import NO_COMMIT, identity, move_ref, settle_files, write_commit
from sparing.workspace.git.repository import Repository, find_repository
from sparing.workspace.git.runner import Git
from sparing.workspace.project.new_repository import BRANCH, SHALLOW
from sparing.workspace.project.paths import Confined, check_path

LINK, GITLINK, PROGRAM = "120000", "160000", "100755"
_STEP = re.compile(r"^Step-Id: (.+)$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ", re.MULTILINE)


class CommittedFile(NamedTuple):
    path: str
    mode: str
    id: str
    """Id of the git object; empty if a commit removed the file."""


class FileStore:
    """File contents by their SHA-256, each read once."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._known: dict[str, str] = {"": ""}
        self.texts: dict[str, bytes] = {}

    def states(self, files: Iterable[CommittedFile]) -> tuple[FileState, ...]:
        listed = list(files)
        wanted = {one.id for one in listed if one.mode != GITLINK} - set(self._known)
        for name, data in read_blobs(self._repo, sorted(wanted)):
            self._known[name] = digest = sha256(data)
            self.texts[digest] = data
        return tuple(FileState(one.path, one.mode, self._digest(one)) for one in listed)

    def _digest(self, file: CommittedFile) -> str:
        return file.id if file.mode == GITLINK else self._known[file.id]


def files_of(repo: Repository, commit: str) -> list[CommittedFile]:
    found: list[CommittedFile] = []
    for line in os.fsdecode(repo.git().run("ls-tree", "-r", "-z", commit)).split("\0"):
        head, _, path = line.partition("\t")
        if path:
            mode, _, name = head.split()
            found.append(CommittedFile(path, mode, name))
    return found


def read_blobs(repo: Repository, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    names = list(ids)
    if not names:
        return
    out = repo.git().run("cat-file", "--batch", stdin="\n".join(names).encode() + b"\n")
    place = 0
    for name in names:
        end = out.index(b"\n", place)
        size = int(out[place:end].split(b" ")[-1])
        yield name, out[end + 1 : end + 1 + size]
        place = end + size + 2


def commit_text(repo: Repository, commit: str) -> bytes:
    return repo.git().run("cat-file", "commit", commit)


def steps_of(
    repo: Repository, store: FileStore, base: str, head: str, run: str
) -> tuple[StepFiles, ...]:
    """What each step of a run committed, including on abandoned branches."""
    listed = repo.git().text(
        "rev-list", "--reverse", "--topo-order", "--glob=refs/sparing/*", head, f"^{base}"
    )
    found: dict[str, StepFiles] = {}
    for commit in listed.splitlines():
        text = os.fsdecode(commit_text(repo, commit))
        step = _STEP.search(text)
        if step and f"\nRun-Id: {run}\n" in text:
            found[step[1]] = StepFiles(step[1], store.states(_changed(repo, commit)))
    return tuple(found.values())


def _changed(repo: Repository, commit: str) -> Iterator[CommittedFile]:
    """Files that a commit changed against its first parent."""
    args = ("--raw", "-r", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv")
    out = os.fsdecode(repo.git().run("diff-tree", *args, f"{commit}^1", commit)).split("\0")
    for head, path in zip(out[::2], out[1::2], strict=False):
        _, mode, _, name, state = head.split(" ")
        yield CommittedFile(path, mode, "" if state == "D" else name)


def make_repository(
    path: Path, files: Iterable[FileState], texts: Mapping[str, bytes], commit: bytes, at: float
) -> Repository:
    """Make a repository; `commit` is the raw text of its branch's commit, empty to make one."""
    git_dir = path / ".git"
    git_dir.mkdir(parents=True)
    git = Git(git_dir, path)
    git.run("init", "--quiet", f"--initial-branch={BRANCH}", "--template=")
    listed = [one for one in files if one.digest]
    lay_down(path, listed, texts)
    plain = [one for one in listed if one.mode not in (LINK, GITLINK)]
    names = "\n".join(str(path / one.path) for one in plain)
    made = git.text("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=os.fsencode(names))
    ids = dict(zip((one.path for one in plain), made.split(), strict=True))
    for one in listed:
        if one.mode == LINK:
            ids[one.path] = git.text("hash-object", "-w", "--stdin", stdin=texts[one.digest])
    lines = (f"{one.mode} {ids.get(one.path, one.digest)}\t{one.path}\0" for one in listed)
    git.run("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))
    tree = git.text("write-tree")
    settle_files(path, [one.path for one in plain])
    move_ref(git, f"refs/heads/{BRANCH}", _commit(git, tree, commit, at), NO_COMMIT)
    return find_repository(path)


def _commit(git: Git, tree: str, text: bytes, at: float) -> str:
    if not text.startswith(f"tree {tree}\n".encode()):
        return write_commit(git, tree, (), "The files that a run began with\n", identity(at), None)
    commit = git.text("hash-object", "-t", "commit", "-w", "--stdin", stdin=text)
    if _PARENT.search(text.partition(b"\n\n")[0]):
        (git.git_dir / SHALLOW).write_text(f"{commit}\n")
    return commit


def lay_down(root: Path, files: Iterable[FileState], texts: Mapping[str, bytes]) -> None:
    """Give files of a folder the recorded content, and touch no file outside of it."""
    confined = Confined(root)
    for one in files:
        if one.mode == GITLINK:
            _module(root, one.path)
        elif not one.digest:
            confined.remove(one.path)
        elif one.mode == LINK:
            _link(root, one.path, os.fsdecode(texts[one.digest]))
        else:
            confined.write_bytes(one.path, texts[one.digest])
            (root / one.path).chmod(0o755 if one.mode == PROGRAM else 0o644)


def _module(root: Path, path: str) -> None:
    """Make a submodule's empty folder, unless links of the same commit would lead outside."""
    check_path(path)
    if (root / path).resolve().is_relative_to(root.resolve()):
        (root / path).mkdir(parents=True, exist_ok=True)


def _link(root: Path, path: str, target: str) -> None:
    """Make a link, through a file of ours first, so that no parent folder is a link; one that
    leads outside is left out, as in every commit."""
    end = os.path.normpath((Path(path).parent / target).as_posix())
    if target.startswith("/") or end.startswith(".."):
        return
    Confined(root).write_bytes(path, b"")
    (root / path).unlink()
    (root / path).symlink_to(target)
