"""Names of the settings and the ledger, in words that need no glossary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sparing.dispatch_policy import LEVERS, Way

_LEVERS = {lever.value: row.words for lever, row in LEVERS.items()}
WAYS: Mapping[str, str] = MappingProxyType(
    {
        Way.COMPOSE: "fresh",
        Way.PLAIN: "fresh",
        Way.REFERENCE: "by path",
        Way.RESUME: "resumed",
        Way.FORK: "forked",
    }
)
SESSIONS: Mapping[str, str] = MappingProxyType(
    {
        Way.COMPOSE: "new session",
        Way.PLAIN: "new session, nothing shared",
        Way.REFERENCE: "new session, documents by path",
        Way.RESUME: "resumed session",
        Way.FORK: "forked session",
    }
)
WAYS_NOTE = "fresh: a new session; by path: a new one, documents named; resumed: the old one"


def lever_words(name: str) -> str:
    """The lever with its explanation, as in `batch (several tools in one call)`."""
    return f"{name} ({_LEVERS[name]})" if name in _LEVERS else name


def session_words(way: str) -> str:
    """How a prompt is sent; a word that is no way stays as it is."""
    return SESSIONS.get(way, way)


def ways_taken(ways: Iterable[str]) -> list[str]:
    """Ways of sending in order, without duplicates, in plain words."""
    return list(dict.fromkeys(WAYS.get(way, way) for way in ways))


def counted_ways(ways: Mapping[str, int]) -> str:
    """Counts such as `1 fresh, 2 resumed`."""
    counts: Counter[str] = Counter()
    for way, count in ways.items():
        counts[WAYS.get(way, way)] += count
    return ", ".join(f"{count} {words}" for words, count in counts.items())
