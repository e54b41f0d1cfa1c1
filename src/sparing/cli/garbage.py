"""Python's search for garbage, which is wasted on what imports make: nearly all of it stays."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

RARE = 20_000, 10, 20
"""How many new objects before a search, and how many searches before a wider one: an engine makes
hundreds of thousands of objects in a turn, nearly none of them in a ring."""


@contextmanager
def rare_collection() -> Generator[None]:
    """Within this context garbage is searched for more rarely than Python does by itself."""
    usual = gc.get_threshold()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def no_collection() -> Generator[None]:
    """Import without searching for garbage; what was imported is not searched later either."""
    if not gc.isenabled():
        yield
        return
    known = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        # Only after imports: what is frozen is never freed, should it become garbage.
        if len(sys.modules) > known:
            gc.freeze()
        gc.enable()
