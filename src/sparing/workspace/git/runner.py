"""Starts git; nothing else in the product does.

The environment is built from empty, the git folder is always named (never searched, except once in
`search_from`), and the repository's configuration is checked before each use: see `gitconfig`. No
prompt, no network, no hook, no program of the repository's choice.

A `GitFailed` is a bug or a broken environment. What a person can repair (a stale lock, a full disk,
a missing folder) is a two-line error.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sparing.errors import RepositoryError, SparingError, StateError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.workspace.git.config import FIXED, SPARSE, Setting, includes, judge, parse_listing
from sparing.workspace.git.process import base_environment, end, git_program, leash, output_of
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.project.sparse_checkout import Cone

LOCK_PAUSE_SECONDS = 0.1
LOOK_SECONDS = 60.0
LOOKS = frozenset({
    *("cat-file", "check-attr", "config", "diff-tree", "for-each-ref", "ls-files", "ls-tree"),
    *("merge-base", "rev-list", "rev-parse", "show", "status", "symbolic-ref", "version"),
})  # fmt: skip
"""Commands that only read local data: if one is blocked, waiting longer does not help."""
_LOCK_IS_HELD = ".lock': File exists"

Stamp = tuple[int, int, int, int]
Signature = tuple[Stamp | None, ...]


class GitFailed(Exception):
    """git ended with an unexpected exit code."""

    def __init__(self, argv: Sequence[str], code: int, stderr: str) -> None:
        super().__init__(tuple(argv), code, stderr)
        self.argv = tuple(argv)
        self.code = code
        self.stderr = stderr

    def __str__(self) -> str:
        return f"git {' '.join(self.argv)} ended with {self.code}: {self.stderr.strip()}"


@lazy_dataclass
class Git:
    """Runs git on one repository, one work tree and one index file."""

    git_dir: Path
    work_tree: Path | None = None
    index: Path | None = None
    trusted: frozenset[str] = frozenset()
    limit_seconds: float = 300.0
    lock_seconds: float = 5.0
    """Seconds that another process may hold a lock that we need."""
    ignores: Path | None = None
    """The user's global ignore rules, in addition to those of the repository."""
    cone: Cone = ()
    """The folders that the work tree holds; empty if it holds all of them."""

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        ok_codes: tuple[int, ...] = (0,),
    ) -> bytes:
        done = self.ask(*args, stdin=stdin, env=env)
        if done.returncode not in ok_codes:
            raise failure(args, done)
        return done.stdout

    def text(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        ok_codes: tuple[int, ...] = (0,),
    ) -> str:
        return os.fsdecode(self.run(*args, stdin=stdin, env=env, ok_codes=ok_codes)).strip()

    def ask(
        self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Like `run`, for a caller that interprets the exit code."""
        argv, environment, where = self._start(args, env)
        limit_seconds = self._limit(args)
        done = start_git(argv, environment, where, stdin, limit_seconds)
        for _ in range(int(self.lock_seconds / LOCK_PAUSE_SECONDS)):
            if done.returncode == 0 or _LOCK_IS_HELD not in os.fsdecode(done.stderr):
                break
            # Someone else's git is at work. Its lock is waited for, never removed.
            time.sleep(LOCK_PAUSE_SECONDS)
            done = start_git(argv, environment, where, stdin, limit_seconds)
        return done

    def stay_open(self, *args: str) -> subprocess.Popen[bytes]:
        """A git that answers one question after another; it ends when its input is closed."""
        argv, environment, where = self._start(args, None)
        return _started((), argv, environment, where, subprocess.DEVNULL)

    def _start(
        self, args: tuple[str, ...], env: Mapping[str, str] | None
    ) -> tuple[tuple[str, ...], dict[str, str], Path]:
        where = self.work_tree or self.git_dir
        if not where.is_dir():
            raise RepositoryError(
                f"the folder {where} is gone", "put it back; if it was a worktree: sparing resume"
            )
        overrides = judge(self.settings(), self.trusted, self.work_tree)
        more = SPARSE if self.cone else ()
        environment = self._environment((*FIXED, *more, *overrides)) | dict(env or {})
        # Without a working folder git must not take the current one for it.
        return args if self.work_tree else ("--bare", *args), environment, where

    def _limit(self, args: Sequence[str]) -> float:
        return min(self.limit_seconds, LOOK_SECONDS) if _looks(args) else self.limit_seconds

    def settings(self, files: Signature | None = None) -> tuple[Setting, ...]:
        """The repository's own settings, including includes; `files` if they were just read."""
        found = _listing(self.git_dir, files or signature(self.git_dir))
        # Files that are included change without a trace in the signature: never from memory.
        return _list(self.git_dir) if includes(found) else found

    def _environment(self, settings: tuple[Setting, ...]) -> dict[str, str]:
        environment = {**_base_environment(settings), "GIT_DIR": str(self.git_dir)}
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = str(self.work_tree)
            if self.index is not None:
                environment["GIT_INDEX_FILE"] = str(self.index)
        else:
            # Without a folder there is no index either: git would take attributes from it.
            environment["GIT_INDEX_FILE"] = str(self.git_dir / "sparing.no-index")
        return environment


def search_from(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """Run `git rev-parse` in a folder whose repository is not known yet."""
    return start_git(("rev-parse", *args), base_environment(FIXED), folder, None, LOOK_SECONDS)


def expanded_path(key: str, git_dir: Path, environ: Mapping[str, str]) -> Path | None:
    """A path from the user's own settings, which `environ` says where to find; with the home
    of any user put in, as only git does it."""
    environment = {"LC_ALL": "C", **environ, "GIT_DIR": str(git_dir)}
    args = ("config", "--includes", "--type=path", "--get", key)
    done = start_git(args, environment, git_dir, None, LOOK_SECONDS)
    named = os.fsdecode(done.stdout).removesuffix("\n")
    return Path(named) if done.returncode == 0 and named else None


def git_version() -> tuple[int, ...]:
    done = start_git(("version",), base_environment(FIXED), Path("/"), None, LOOK_SECONDS)
    words = os.fsdecode(done.stdout)
    numbers = words.removeprefix("git version ").split()[0].split(".")
    return tuple(int(number) for number in numbers if number.isdigit())


def start_git(
    args: Sequence[str],
    environment: Mapping[str, str],
    where: Path,
    stdin: bytes | None,
    limit_seconds: float,
) -> subprocess.CompletedProcess[bytes]:
    # What only reads objects and refs waits for nothing and may well outlive us.
    waits = "GIT_WORK_TREE" in environment or not _looks(args)
    process = _started(leash() if waits else (), args, environment, where, subprocess.PIPE)
    try:
        tree, what = environment.get("GIT_WORK_TREE"), f"git {_command(args)}"
        out, err = output_of(process, stdin or b"", tree, limit_seconds, what)
    except subprocess.TimeoutExpired as error:
        raise GitFailed(args, -1, f"no end after {limit_seconds:g} s") from error
    finally:
        if process.returncode is None:
            end(process)
    return subprocess.CompletedProcess(args, process.wait(), out, err)


def _looks(args: Sequence[str]) -> bool:
    return _command(args) in LOOKS


def _command(args: Sequence[str]) -> str:
    return next((one for one in args if not one.startswith("-") and "=" not in one), "")


def _started(
    before: Sequence[str],
    args: Sequence[str],
    environment: Mapping[str, str],
    where: Path,
    errors: int,
) -> subprocess.Popen[bytes]:
    program, path = git_program()
    return subprocess.Popen(
        (*before, program, "--no-pager", "--literal-pathspecs", *args),
        cwd=where,
        env={"PATH": path, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        # Ctrl-C in the terminal ends us at a place of our choice, not git in the middle.
        start_new_session=True,
    )


def signature(git_dir: Path, common: Path | None = None) -> Signature:
    """A value that changes whenever a file that git reads its configuration from changes;
    `common`: the folder that all worktrees share, if it is known."""
    # Plain strings: this is asked before each use of git.
    shared, own = os.fspath(common or common_dir(git_dir)), os.fspath(git_dir)
    names = (f"{shared}/config", f"{shared}/config.worktree", f"{own}/config.worktree")
    return tuple(stamp(name) for name in names)


def stamp(path: Path | str) -> Stamp | None:
    try:
        stat = os.stat(path)  # noqa: PTH116 - a string is as good
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino


def common_dir(git_dir: Path) -> Path:
    named = read_plain(f"{git_dir}/commondir", follow=True)
    return (
        git_dir if named is None else Path(os.path.normpath(git_dir / os.fsdecode(named.strip())))
    )


@lru_cache(maxsize=16)
def _base_environment(settings: tuple[Setting, ...]) -> Mapping[str, str]:
    return base_environment(settings)


@lru_cache(maxsize=256)
def _listing(git_dir: Path, signature: Signature) -> tuple[Setting, ...]:
    return _list(git_dir)


def _list(git_dir: Path) -> tuple[Setting, ...]:
    args = ("config", "--list", "-z", "--show-scope", "--show-origin")
    environment = base_environment(FIXED) | {"GIT_DIR": str(git_dir)}
    done = start_git(args, environment, git_dir, None, LOOK_SECONDS)
    if done.returncode != 0:
        raise failure(args, done)
    return parse_listing(done.stdout)


def failure(
    args: Sequence[str], done: subprocess.CompletedProcess[bytes]
) -> GitFailed | SparingError:
    """What to raise when git failed: a two-line error where a person can repair it."""
    stderr = os.fsdecode(done.stderr)
    last = stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
    if _LOCK_IS_HELD in stderr:
        lock = stderr.partition("Unable to create '")[2].partition("'")[0]
        return RepositoryError(
            f"another git process holds {lock}", f"wait for it; if there is none: rm {lock}"
        )
    if "No space left on device" in stderr:
        repair = "free some space, then run the same command again"
        return StateError(f"the disk is full: {last}", repair)
    if "Read-only file system" in stderr or "Permission denied" in stderr:
        return RepositoryError(f"git can't write: {last}", "ls -ld on that folder shows why")
    if "git-lfs: not found" in stderr:
        return RepositoryError(
            "files are stored with git-lfs, which is not installed", "install git-lfs"
        )
    if "not a git repository" in stderr:
        return RepositoryError(last.removeprefix("fatal: "), "move the repository back")
    if "lazy fetching disabled" in stderr or ("transport" in stderr and "not allowed" in stderr):
        return RepositoryError(
            "the clone is partial and lacks files that are needed",
            "git fetch --refetch --no-filter",
        )
    return GitFailed(args, done.returncode, stderr)
