"""The one baseline of every saving, in words: which naive way, on how large a client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.codec import JsonObject

LEAN = "lean"
WHAT_IT_IS = "the role as system prompt, every document in full in one block, always a new session"


def naive_name(client: str) -> str:
    return f"{client} naive"


class NaiveBaseline(NamedTuple):
    name: str = naive_name(LEAN)
    bases: tuple[int, ...] = ()
    """Tokens that the client sends before any prompt, by tool set, the least first."""
    at_least: bool = False
    """Turns were shown a sheet or a map: what they did not open for that is not in it."""

    @property
    def base(self) -> str:
        """`2.2k base`, or `2.2k to 5.4k base` where tool sets differ."""
        sizes = list(dict.fromkeys(f"{tokens / 1000:.1f}k" for tokens in self.bases))
        return f"{sizes[0]} to {sizes[-1]} base" if len(sizes) > 1 else f"{sizes[0]} base"

    @property
    def words(self) -> str:
        """`lean naive on the same client, 2.2k base`."""
        size = f", {self.base}" if self.bases else ""
        return f"{self.name} on the same client{size}"

    def dump(self) -> JsonObject:
        told = {"name": self.name, "base_tokens": list(self.bases), "words": WHAT_IT_IS}
        return {**told, "at_least": self.at_least}


def one_baseline(many: Iterable[NaiveBaseline]) -> NaiveBaseline:
    """Of several features; where they differ all names are said."""
    found = list(many)
    names = list(dict.fromkeys(one.name for one in found)) or [naive_name(LEAN)]
    bases = sorted({tokens for one in found for tokens in one.bases})
    return NaiveBaseline(" and ".join(names), tuple(bases), any(one.at_least for one in found))
