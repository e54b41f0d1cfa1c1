"""How many features have come and gone since an entry was last observed.

Ids restart and forms vary, so the order is that of creation, and what can't be placed is not
called stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.knowledge.changes import KEPT, PROVENANCE
from sparing.knowledge.page import LAST_OBSERVED, BankEntry

STALE_AFTER = 10
_FEATURE = re.compile(r"(?:feature[ /]*)?#?(\d{1,6})(?:-([a-z0-9-]+))?(?![\w-])", re.IGNORECASE)
_NAMED = re.compile(r"(?:feature[ /]*#?|#)\d{1,6}(?:-[a-z0-9-]+)?(?![\w-])", re.IGNORECASE)
"""A feature that is called one, anywhere in a line."""
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})\b")


class Made(NamedTuple):
    """A feature of this repository, in the order of creation."""

    id: str
    slug: str
    day: str
    """YYYY-MM-DD."""


def features_since(entry: BankEntry, made: Sequence[Made]) -> int | None:
    """None if its last observation names no feature that we know. An entry that was never
    observed again is as old as its origin."""
    known = [entry.value(name) for name in (LAST_OBSERVED, KEPT) if entry.value(name)]
    found = _places(known or _origins(entry), made)
    return len(made) - 1 - max(found) if found else None


def _origins(entry: BankEntry) -> list[str]:
    """The features it was learned from."""
    fields = (entry.value(name.lower()) for name in PROVENANCE.values())
    return [name for value in fields for name in _NAMED.findall(value)]


def _places(values: Iterable[str], made: Sequence[Made]) -> list[int]:
    return [place for value in values if (place := _place(value, made)) is not None]


def is_old(entry: BankEntry, made: Sequence[Made]) -> bool:
    since = features_since(entry, made)
    return since is not None and since >= STALE_AFTER


def _place(value: str, made: Sequence[Made]) -> int | None:
    day = _DATE.match(value)
    if day:
        return max((n for n, one in enumerate(made) if one.day <= day[1]), default=-1)
    feature = _FEATURE.match(value)
    if feature is None:
        return None
    number, slug = int(feature[1]), (feature[2] or "").lower()
    same = [n for n, one in enumerate(made) if one.id.isdigit() and int(one.id) == number]
    named = [n for n in same if slug and made[n].slug.lower().startswith(slug)]
    return max(named or same, default=None)
