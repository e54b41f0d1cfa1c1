"""The doors' clock: when a person said something."""

from __future__ import annotations

import time


def now() -> float:
    return time.time()
