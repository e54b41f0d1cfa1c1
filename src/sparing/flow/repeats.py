"""Whether a person says again what was said before: an author must then try something else.

What counts are the words that carry meaning, whatever their form. More than half of them in the
earlier feedback, and the same was said.
"""

from __future__ import annotations

import re

SAME_FROM = 0.5
_WORD = re.compile(r"[^\W_]{3,}")
_EMPTY_WORDS = """
the and for with that this these those not but are was were has have had its you your our can could
should would must may will shall does did done don isn please still again more too very all any from
into than then there here when what which who why how also just only let make made use used want
need needs
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def overlap(new: str, earlier: str) -> float:
    """The share of what is said now that was said before, from 0 to 1."""
    said = terms(new)
    return len(said & terms(earlier)) / len(said) if said else 0.0


def said_before(new: str, earlier: str) -> bool:
    return overlap(new, earlier) > SAME_FROM


def terms(text: str) -> frozenset[str]:
    """Words of meaning, without their endings."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _EMPTY)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
