"""The user interface's clock: the time at which a person said something."""

from __future__ import annotations

import time


def now() -> float:
    return time.time()
