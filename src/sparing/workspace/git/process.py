"""How long git is waited for, and that it does not outlive us."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.workspace.git.special_files import blocking_files

PATIENCE_SECONDS = 2.0


def output_of(
    process: subprocess.Popen[bytes], stdin: bytes, tree: str | None, limit_seconds: float
) -> tuple[bytes, bytes]:
    """What it prints. If it takes long, we look whether it waits for what never comes."""
    try:
        return process.communicate(stdin, timeout=min(limit_seconds, PATIENCE_SECONDS))
    except subprocess.TimeoutExpired:
        found = next(blocking_files(Path(tree)), None) if tree else None
        if found is not None:
            raise RepositoryError(
                f"{found} is no file but a pipe or the like, and git waits for it",
                f"remove it: rm {shlex.quote(str(found))}",
            ) from None
        if limit_seconds <= PATIENCE_SECONDS:
            raise
        return process.communicate(timeout=limit_seconds - PATIENCE_SECONDS)


@cache
def leash() -> tuple[str, ...]:
    """Makes the kernel end git when we are killed; only where Linux and util-linux can.

    Anywhere else a git that waits outlives us until it is done.
    """
    found = shutil.which("setpriv") if sys.platform.startswith("linux") else None
    if found is None or not os.path.isabs(found):  # noqa: PTH117 - a string, not a Path
        return ()
    words = (found, "--pdeathsig", "KILL", "--")
    # That of busybox does not know the option.
    tried = subprocess.run((*words, found, "--version"), capture_output=True, check=False)
    return words if tried.returncode == 0 else ()
