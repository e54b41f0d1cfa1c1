"""`sparing … | head`: whoever reads may stop reading. Covers: K1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import UserRepository

STOPPED = "\nstopped; nothing is lost: sparing run continues from here\n"


@pytest.mark.parametrize("words", [("list", "--json"), ("--help",)])
def test_a_reader_who_leaves_gets_no_traceback(
    user_repository: UserRepository, words: tuple[str, ...]
) -> None:
    """K1: quiet, and no success that nobody has read."""
    with subprocess.Popen(
        (sys.executable, "-m", "sparing", *words),
        cwd=user_repository(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (1, b"")


def test_a_completion_that_is_interrupted_prints_nothing(tmp_path: Path) -> None:
    """K1: Ctrl-C while a shell completes a line must not print into that line."""
    for mark, shown in (({"_SPARING_COMPLETE": "bash_complete"}, ""), ({}, STOPPED)):
        done = subprocess.run(
            (sys.executable, "-c", "from sparing.cli.main import say_stopped; say_stopped()"),
            cwd=tmp_path, env={**os.environ, **mark}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == shown
