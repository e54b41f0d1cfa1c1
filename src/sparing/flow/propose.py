"""Which tier fits a request, and why, in words; the user decides.

Points call for care: what the request touches, how much it asks for, what the repository can check
on its own. Few points mean a small change, many mean one that needs a second pair of eyes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

L2_FROM = 2
L3_FROM = 5
FEATURE_FROM = 9
"""Points from which a reviewed document for each step is worth its price."""
LONG_REQUEST = 80
LARGE_REPOSITORY = 2_000
_RISKS = {
    "security": r"auth\w*|login|passwords?|secrets?|tokens?|permissions?|encrypt\w*|security|cve",
    "data": r"migrat\w*|schema\w*|database\w*|delet\w* data|backup\w*|data loss",
    "money": r"payment\w*|billing|invoice\w*|refund\w*|price\w*",
    "concurrency": r"concurren\w*|parallel\w*|thread\w*|lock\w*|race\w*|async\w*|queue\w*",
    "what others rely on": r"public api|breaking|protocol\w*|compatib\w*|wire format",
    "a large change": r"rewrite|redesign|architect\w*|refactor\w*|replace \w+ with|port \w+ to",
}
_SMALL = (
    r"typo\w*|wording|comment\w*|docstring\w*|readme|rename\w*|bump\w*|log message\w*|changelog"
)
_MANY = re.compile(r"(?m)^\s*(?:[-*+]|\d+[.)])\s+\S")
_WORD = re.compile(r"\w+")


class Ground(NamedTuple):
    """What the repository tells."""

    files: int
    checks: int
    named: Sequence[str] = ()
    """Files of the repository that it names."""


class Proposal(NamedTuple):
    tier: str
    why: tuple[str, ...]
    or_else: str = ""
    """The tier below, if one point less would have given that: a toss-up."""


def propose(request: str, ground: Ground) -> Proposal:
    found = tuple(_points(request, ground))
    points = sum(point for point, _ in found)
    tier = _tier(points)
    reasons = tuple(reason for point, reason in found if (point > 0) == (tier != "L1"))
    below = _tier(points - 1) if points in (L2_FROM, L3_FROM, FEATURE_FROM) else ""
    return Proposal(tier, reasons or ("nothing in the request calls for more",), below)


def _tier(points: int) -> str:
    if points < L2_FROM:
        return "L1"
    if points < L3_FROM:
        return "L2"
    return "L3" if points < FEATURE_FROM else "feature"


def _points(request: str, ground: Ground) -> Iterator[tuple[int, str]]:
    text = request[:20_000].lower()
    for name, words in _RISKS.items():
        match = re.search(rf"\b(?:{words})\b", text)
        if match:
            yield 2, f"it touches {name} ('{match.group()}')"
    small = re.search(rf"\b(?:{_SMALL})\b", text)
    if small:
        yield -3, f"it sounds like a small change ('{small.group()}')"
    words, items = len(_WORD.findall(text)), len(_MANY.findall(text))
    known = (
        (2, words > LONG_REQUEST, f"the request is long ({words} words)"),
        (2, items > 2, f"it lists {items} things"),
        (1, not ground.checks, "the repository has no checks that could catch a mistake"),
        (1, ground.files > LARGE_REPOSITORY, f"the repository is large ({ground.files} files)"),
        (1, len(ground.named) > 3, f"it names {len(ground.named)} files"),
        (0, words <= 12, "the request is short"),
    )
    yield from ((points, why) for points, holds, why in known if holds)
