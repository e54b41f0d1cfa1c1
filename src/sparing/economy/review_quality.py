"""How good reviews are with a lever and without it, and when it is switched off for that.

Two figures of a reviewer's first review: how many findings it has, and whether their quotes are
found where they point. They are compared among reviews by the same model, because roles that share
a trunk share its tools. Chance alone moves both, so a drop counts only if it is large enough to
matter, larger than two standard errors, and seen over enough reviews on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.percent import percent

ENOUGH_LOOKS = 30
"""Reviews needed on each side."""
ENOUGH_QUOTES = 30
FEWER_FINDINGS = 0.2
"""Drop in findings per review that matters, relative to the value without the lever."""
FEWER_VERIFIED = 0.05
"""Drop in the share of verified quotes that matters."""
ERRORS = 2.0


class FirstLook(NamedTuple):
    model: str
    aided: bool
    """True if the lever was in use."""
    findings: int
    quotes: int
    verified: int


class LookFigures(NamedTuple):
    looks: int = 0
    findings: float = 0.0
    """Mean number per review."""
    spread: float = 0.0
    """Variance of the findings per review."""
    quotes: int = 0
    verified: float = 0.0
    """Share of the quotes that verify."""


class QualityPair(NamedTuple):
    """One model's first reviews with a lever and without."""

    model: str
    aided: LookFigures
    bare: LookFigures

    @property
    def fell(self) -> str:
        """What has fallen, in words; empty if nothing has, or nothing can be said."""
        return _fewer_findings(self.aided, self.bare) or _fewer_verified(self.aided, self.bare)


def pairs(looks: Sequence[FirstLook]) -> tuple[QualityPair, ...]:
    models = dict.fromkeys(one.model for one in looks)
    return tuple(
        QualityPair(
            model,
            _figures(one for one in looks if one.model == model and one.aided),
            _figures(one for one in looks if one.model == model and not one.aided),
        )
        for model in models
    )


def fallen(looks: Sequence[FirstLook]) -> dict[str, str]:
    """Models whose reviews got worse with the lever, and in what."""
    return {one.model: one.fell for one in pairs(looks) if one.fell}


def _figures(looks: Iterable[FirstLook]) -> LookFigures:
    listed = list(looks)
    if not listed:
        return LookFigures()
    count = len(listed)
    mean = sum(one.findings for one in listed) / count
    spread = sum((one.findings - mean) ** 2 for one in listed) / max(1, count - 1)
    quotes = sum(one.quotes for one in listed)
    verified = sum(one.verified for one in listed) / quotes if quotes else 0.0
    return LookFigures(count, mean, spread, quotes, verified)


def _fewer_findings(aided: LookFigures, bare: LookFigures) -> str:
    if min(aided.looks, bare.looks) < ENOUGH_LOOKS:
        return ""
    less = bare.findings - aided.findings
    error = math.sqrt(aided.spread / aided.looks + bare.spread / bare.looks)
    if less <= FEWER_FINDINGS * bare.findings or less <= ERRORS * error:
        return ""
    return f"findings per review fell from {bare.findings:.1f} to {aided.findings:.1f}"


def _fewer_verified(aided: LookFigures, bare: LookFigures) -> str:
    if (
        min(aided.looks, bare.looks) < ENOUGH_LOOKS
        or min(aided.quotes, bare.quotes) < ENOUGH_QUOTES
    ):
        return ""
    less = bare.verified - aided.verified
    error = math.sqrt(
        aided.verified * (1 - aided.verified) / aided.quotes
        + bare.verified * (1 - bare.verified) / bare.quotes
    )
    if less <= FEWER_VERIFIED or less <= ERRORS * error:
        return ""
    before, after = percent(bare.verified), percent(aided.verified)
    return f"quotes that verify fell from {before} to {after}"
