"""The version that a client reports about itself. No network is used."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

LIMIT_SECONDS = 30


def reported_version(argv: Sequence[str]) -> str:
    """What the program says to `--version`; empty if it can't be started."""
    try:
        done = subprocess.run(
            [*argv, "--version"],
            capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return version_in(done.stdout)


def version_in(words: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+", words)
    return found.group() if found else ""


def version_numbers(version: str) -> tuple[int, ...]:
    """Major, minor and patch, to compare."""
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:3])
