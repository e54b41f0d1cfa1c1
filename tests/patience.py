"""How long a test waits for what should end by itself.

A limit by the clock would say how busy the machine is. This one counts the seconds that a machine
with nothing else to do would have had: where ten processes want two processors, a second counts
for a fifth of one. Only what would hang for ever reaches it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable


def _load() -> float:
    """Processes that want a processor, for each one there is."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


class Patience:
    """Seconds that are used up, faster on an idle machine than on a busy one."""

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        load: Callable[[], float] = _load,
    ) -> None:
        self._left, self._clock, self._load = seconds, clock, load
        self._looked = clock()

    @property
    def left(self) -> float:
        """Never below 0; counted up to now."""
        now = self._clock()
        self._left -= (now - self._looked) / max(1.0, self._load())
        self._looked = now
        return max(0.0, self._left)

    def until(self, asked: Callable[[], object], what: str, pause_seconds: float = 0.05) -> None:
        while not asked():
            assert self.left, f"not in time: {what}"
            time.sleep(pause_seconds)


def outcome_of(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes]:
    """What it says until its end; `TimeoutExpired` as from `communicate`."""
    patience = Patience(seconds)
    while True:
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            if not patience.left:
                process.kill()
                process.communicate()
                raise subprocess.TimeoutExpired(process.args, seconds) from None
