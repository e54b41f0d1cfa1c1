"""Time limits for git, and making sure that it does not outlive us.

Also the environment git is started in: built from empty, with settings that outrank all files.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.wait import waiting
from sparing.workspace.git.config import Setting
from sparing.workspace.git.special_files import blocking_files

PATIENCE_SECONDS = 2.0
TRIED_SECONDS = 20.0


def output_of(
    process: subprocess.Popen[bytes],
    stdin: bytes,
    tree: str | None,
    limit_seconds: float,
    what: str = "git",
) -> tuple[bytes, bytes]:
    """What the process prints. If it takes long, check whether it hangs on a pipe or device;
    `what` is its name for people who wait."""
    try:
        return process.communicate(stdin, timeout=min(limit_seconds, PATIENCE_SECONDS))
    except subprocess.TimeoutExpired:
        found = next(blocking_files(Path(tree)), None) if tree else None
        if found is not None:
            raise RepositoryError(
                f"{found} is a pipe or device, and git hangs on it",
                f"remove it: rm {shlex.quote(str(found))}",
            ) from None
        if limit_seconds <= PATIENCE_SECONDS:
            raise
        with waiting(what, limit_seconds):
            return process.communicate(timeout=limit_seconds - PATIENCE_SECONDS)


def end(process: subprocess.Popen[bytes]) -> None:
    """End git and all it has started, which hold our pipes too."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_SECONDS)
    process.communicate()


@cache
def leash() -> tuple[str, ...]:
    """A prefix that makes the kernel end git when we are killed; only with Linux and util-linux.

    Elsewhere a git that is waiting outlives us until it is done.
    """
    found = shutil.which("setpriv") if sys.platform.startswith("linux") else None
    if found is None or not os.path.isabs(found):  # noqa: PTH117 - a string, not a Path
        return ()
    # Asked to end, git removes its locks; killed, it would leave them in the user's repository.
    words = (found, "--pdeathsig", "TERM", "--")
    # That of busybox does not know the option.
    line = (*words, found, "--version")
    try:
        tried = subprocess.run(line, capture_output=True, timeout=TRIED_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return ()
    return words if tried.returncode == 0 else ()


def git_program() -> tuple[str, str]:
    """The path of git, and the PATH that it is given."""
    # Like os.get_exec_path, which spends most of its time on warnings.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)  # noqa: TID251
    return _programs(tuple((folder, _changed_at(folder)) for folder in folders))


def _changed_at(folder: str) -> int:
    """The folder's time, which changes when a program is added or removed."""
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - a string, not a Path
    except OSError:
        return 0


@lru_cache(maxsize=4)
def _programs(_path: tuple[tuple[str, int], ...]) -> tuple[str, str]:
    """Find git; cached until PATH changes or something is installed in one of its folders."""
    program = shutil.which("git")
    if program is None or not os.path.isabs(program):  # noqa: PTH117 - a string, not a Path
        raise RepositoryError("git is not installed", "install git 2.38 or newer")
    return program, search_path(program)


def search_path(git: str) -> str:
    found = [program for program in (git, shutil.which("git-lfs")) if program]
    # A relative folder of PATH would be looked for in the working folder, where agents write.
    folders = [str(Path(program).parent) for program in found if Path(program).is_absolute()]
    return os.pathsep.join(dict.fromkeys([*folders, "/usr/local/bin", "/usr/bin", "/bin"]))


def base_environment(settings: Sequence[Setting]) -> dict[str, str]:
    environment = {
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "GIT_EDITOR": "false",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        # A trusted filter in Python must not import what lies in the folder it is run in.
        "PYTHONSAFEPATH": "1",
    }
    return environment | overriding(settings)


def overriding(settings: Sequence[Setting]) -> dict[str, str]:
    """Variables that make these settings outrank all files; with `-c` a key can't contain "="."""
    environment = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, setting in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{number}"] = setting.key
        environment[f"GIT_CONFIG_VALUE_{number}"] = setting.value
    return environment
