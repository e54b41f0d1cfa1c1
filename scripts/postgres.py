"""Runs a command with a Postgres server of its own, on a unix socket in a temporary folder.

    python -m scripts.postgres COMMAND …

The command finds the server's address in PYTEST_DATABASE. Postgres refuses to run as root: then
the server belongs to the user `postgres`, which Debian's package makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

USER = "sparing"
QUICK = "-c listen_addresses='' -c max_connections=200 -c fsync=off"
"""The data is thrown away: no disk has to be waited for."""


def programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    named = shutil.which("initdb")
    if named is None:
        sys.exit("error: Postgres is not installed\nfix: as root: apt-get install postgresql")
    return Path(named).parent


@contextmanager
def server(settings: str = QUICK) -> Generator[tuple[str, Path]]:
    """Its address, and the folder it lies in."""
    folder = Path(tempfile.mkdtemp(prefix="sparing-postgres-"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    bin_, data = programs(), folder / "data"
    try:
        as_owner(
            str(bin_ / "initdb"), "-D", str(data), "-A", "trust", "-U", USER, "--locale=C.UTF-8"
        )
        control(folder, "start", settings)
        as_owner(str(bin_ / "createdb"), "-h", str(folder), "-U", USER, USER)
        yield f"postgresql://{USER}@/{USER}?host={folder}", folder
    finally:
        subprocess.run(
            _owned(str(bin_ / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"),
            check=False,
            capture_output=True,
        )
        shutil.rmtree(folder, ignore_errors=True)


def control(folder: Path, verb: str, settings: str = QUICK) -> None:
    """`start` or `restart`."""
    options = ("-o", f"-k {folder} {settings}", "-l", str(folder / "log"), "-w", "-m", "fast")
    as_owner(str(programs() / "pg_ctl"), "-D", str(folder / "data"), *options, verb)


def as_owner(*argv: str) -> None:
    subprocess.run(_owned(*argv), check=True, cwd="/", stdout=subprocess.DEVNULL)


def _owned(*argv: str) -> Sequence[str]:
    if os.geteuid() != 0:
        return argv
    return ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *argv)


def main() -> int:
    with server() as (url, _):
        return subprocess.run(
            sys.argv[1:], env={**os.environ, "PYTEST_DATABASE": url}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
