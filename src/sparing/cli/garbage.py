"""Python's search for garbage, which is wasted on what imports make: nearly all of it stays."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager


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
