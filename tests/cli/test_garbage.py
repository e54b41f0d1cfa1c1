"""Covers: K1."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress

from sparing.cli.garbage import RARE, rare_collection

INSIDE = """
import gc
from sparing.cli.garbage import no_collection
with no_collection():
    assert not gc.isenabled()
    import {module}
assert gc.isenabled()
print(gc.get_freeze_count())
"""


def frozen(module: str) -> int:
    done = subprocess.run(
        (sys.executable, "-c", INSIDE.format(module=module)),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout)


def test_what_was_imported_is_not_searched_for_garbage_again() -> None:
    """K1: a command answers sooner; collection is on again afterwards."""
    assert frozen("decimal") > 0


def test_nothing_is_frozen_where_nothing_was_imported() -> None:
    """K1: what is frozen is never freed, so only imports may freeze."""
    assert gc.isenabled()
    assert frozen("sys") == 0


def test_an_engine_is_searched_for_garbage_rarely() -> None:
    """K1: and afterwards as often as before, also if it failed."""
    usual = gc.get_threshold()
    with suppress(KeyError), rare_collection():
        assert gc.isenabled()
        assert gc.get_threshold() == RARE
        raise KeyError
    assert gc.get_threshold() == usual
