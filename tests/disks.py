"""Disks that say no: full ones, and folders that may only be read.

Both are real refusals of the system, for root as well, and need no set-up by hand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

NOBODY = 65534
# `squeeze` leaves no room for another byte, `relieve` gives it back.
PRELUDE = """
import os, resource, sys
from pathlib import Path

folder = Path(sys.argv[1])
ballast = folder / "ballast"
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

def squeeze():
    if os.environ["DISK"] == "limited":
        return resource.setrlimit(resource.RLIMIT_FSIZE, (512, hard))
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass

def relieve():
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    ballast.unlink(missing_ok=True)

"""


class Ended(NamedTuple):
    real: bool
    """Whether the disk was really full; else the system's limit on file sizes stood for it."""
    code: int
    out: str
    err: str


def on_a_small_disk(folder: Path, program: str) -> Ended:
    """Run a program whose `folder` is a disk of 2 MiB that it can fill with `squeeze()`.

    Where the system lets nobody mount, files can't grow instead of the disk being full.
    """
    python = [sys.executable, "-c", PRELUDE + program, str(folder)]
    mount = 'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"'
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c", mount, str(folder)]
    real = shutil.which("unshare") is not None and _run([*alone, "true"], "full").returncode == 0
    done = _run([*alone, *python], "full") if real else _run(python, "limited")
    return Ended(real, done.returncode, done.stdout, done.stderr)


def _run(argv: list[str], disk: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, env={**os.environ, "DISK": disk}, capture_output=True, text=True, check=False
    )


@contextmanager
def read_only_folder() -> Generator[Path]:
    """A folder to be filled, which `closed` then takes the right to write from."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@contextmanager
def closed(folder: Path) -> Generator[None]:
    """Nobody may write here; root, for whom modes don't count, is somebody else meanwhile."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
