"""When the two reviewers of a document look in one turn.

`auto` goes by what the second reviewer has found by itself. Whether a merged turn overlooks
something shows only where the two still look apart: so one loop in four stays apart, and one
blocker found there sets the count back to nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from sparing.panel import ENOUGH_LOOKS, PanelMode

SAMPLED = 4
"""One loop in so many stays apart."""


class LookApart(NamedTuple):
    """A look of the second reviewer in a turn of its own."""

    at: float
    found: bool
    """It raised a blocker that nobody had raised before and that no person dismissed."""


class PanelRule(NamedTuple):
    """What is set, and what is known when a stage begins."""

    mode: PanelMode = PanelMode.SEPARATE
    quiet: int = 0
    """Looks apart since the second reviewer last found something."""
    feature: str = ""

    def merges(self, stage: str) -> bool:
        match self.mode:
            case PanelMode.SEPARATE:
                return False
            case PanelMode.MERGED:
                return True
            case PanelMode.AUTO:
                return self.quiet >= ENOUGH_LOOKS and not is_sampled(self.feature, stage)


def is_sampled(feature: str, stage: str) -> bool:
    """Drawn from the names alone: a loop that begins anew after a crash draws the same."""
    digest = hashlib.sha256(f"panel {feature} {stage}".encode()).digest()
    return digest[0] % SAMPLED == 0


def quiet_looks(looks: Iterable[LookApart]) -> int:
    """How many came after the last find."""
    count = 0
    for look in sorted(looks):
        count = 0 if look.found else count + 1
    return count
