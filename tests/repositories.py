"""Builds real git repositories for tests, the same to the byte each time.

The one place in the tests that starts git. A repository is made by `make_repository`; whatever a
test does to it as a user would goes through `git`. Git makes each kind of repository once in a
process; every further one is a copy.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from pathlib import Path

DATE = 1_700_000_000
_made: dict[Hashable, Path] = {}


def git(where: Path, *args: str, stdin: bytes = b"", at: int = DATE, ok: bool = True) -> str:
    """Plain git, as a user has it: hooks, filters and the repository's settings count."""
    date = f"@{at} +0000"
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.com",
        "GIT_COMMITTER_DATE": date,
    }
    done = subprocess.run(
        ("git", *args), cwd=where, env=environment, input=stdin, capture_output=True, check=False
    )
    if ok and done.returncode != 0:
        raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="surrogateescape").strip()


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def make_repository(
    path: Path, files: Mapping[str, str | bytes] | None = None, branch: str = "main"
) -> Path:
    """A clean repository with one commit."""
    content = dict(files or {"README.md": "# Sample\n"})

    def build(where: Path) -> None:
        git(where, "init", "--quiet", f"--initial-branch={branch}", "--template=")
        commit_files(where, content, "first commit")

    return _copied((branch, *content.items()), build, path)


def commit_files(path: Path, files: Mapping[str, str | bytes], subject: str) -> Path:
    write_files(path, files)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--allow-empty", "-m", subject)
    return path


def make_user_repository(path: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """A repository in the middle of someone's day: everything in it must stay as it is."""
    content = dict(files or {})
    return _copied(
        ("user", *content.items()), lambda where: _build_user_repository(where, content), path
    )


def _build_user_repository(path: Path, files: Mapping[str, str | bytes]) -> None:
    start = {
        "README.md": "# Sample\n",
        "src/app.py": "def main() -> int:\n    return 0\n",
        "run.sh": "#!/bin/sh\nexit 0\n",
        ".gitignore": "*.log\nbuild/\n",
    }
    make_repository(path, {**start, **files})
    (path / "run.sh").chmod(0o755)
    commit_files(path, {"src/second.py": "SECOND = 2\n"}, "second commit")
    git(path, "branch", "idea", "HEAD~1")
    git(path, "tag", "v1")
    write_files(path, {"src/app.py": "def main() -> int:\n    return 1\n"})
    git(path, "stash", "push", "--quiet", "-m", "half an idea")
    write_files(path, {"src/second.py": "SECOND = 2  # dirty\n", "staged.txt": "staged\n"})
    git(path, "add", "staged.txt")
    write_files(path, {"notes.txt": "untracked\n", "debug.log": "ignored\n"})
    git(path, "config", "user.name", "Ada")
    (path / ".git" / "info").mkdir(exist_ok=True)
    write_files(path / ".git", {"info/exclude": "scratch/\n", "hooks/pre-push": "#!/bin/sh\n"})


def _copied(kind: Hashable, build: Callable[[Path], None], path: Path) -> Path:
    """The repository at `path`: a copy of one of its kind, as if git had just made it there."""
    path.mkdir(parents=True, exist_ok=True)
    if any(path.iterdir()):
        build(path)
        return path
    if kind not in _made:
        made = Path(tempfile.mkdtemp(dir=_folder()))
        build(made)
        _made[kind] = made
    shutil.copytree(_made[kind], path, symlinks=True, dirs_exist_ok=True)
    # The index holds which files git has looked at, not only what is in them.
    git(path, "update-index", "-q", "--refresh", ok=False)
    return path


@cache
def _folder() -> Path:
    """Of this process alone: a fork must not remove what another still copies."""
    folder, owner = Path(tempfile.mkdtemp(prefix="sparing-tests-")), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    return folder


def commit_beside(path: Path, base: str, files: Mapping[str, str]) -> str:
    """A commit on top of `base` that no branch has: nothing that is checked out moves."""
    who = f"Ada <ada@example.com> {DATE} +0000"
    head = f"commit refs/tests/beside\nmark :1\ncommitter {who}\ndata 7\nbeside\n\n"
    parts = [head, f"from {base}\n"]
    for name, text in files.items():
        parts.append(f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n")
    stream = "".join(parts) + "\nget-mark :1\n"
    made = git(path, "fast-import", "--quiet", "--force", stdin=stream.encode())
    git(path, "update-ref", "-d", "refs/tests/beside")
    return made
