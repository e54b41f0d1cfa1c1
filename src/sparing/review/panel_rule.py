"""When the two reviewers of a document review in one turn.

`auto` goes by what the second reviewer has found on its own. Whether a merged turn overlooks
something shows only when the two still review separately: so one loop in four stays separate, and
one blocker found there resets the count to zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from sparing.panel import ENOUGH_LOOKS, PanelMode

SAMPLED = 4
"""One loop in this many stays separate."""


class LookApart(NamedTuple):
    """A review by the second reviewer in a turn of its own."""

    at: float
    found: bool
    """True if it raised a blocker that was not raised before and that no person dismissed."""


class PanelRule(NamedTuple):
    """What is set, and what is known when a stage begins."""

    mode: PanelMode = PanelMode.SEPARATE
    quiet: int = 0
    """Separate reviews since the second reviewer last found something."""
    feature: str = ""
    apart: frozenset[str] = frozenset()
    """Stages whose two reviewers work with different agents or models: no turn is for both."""

    def merges(self, stage: str) -> bool:
        if stage in self.apart:
            return False
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
