"""`sparing … | head`: whoever reads may stop reading. Covers: K1."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import UserRepository


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
