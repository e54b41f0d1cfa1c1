"""The one baseline of every saving, in words: which naive way, and the client's base size."""

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
    """True if turns had a fact sheet or map: the files these saved opening are not included."""

    @property
    def base(self) -> str:
        """`2.2k base`, or `2.2k to 5.4k base` where tool sets differ."""
        sizes = list(dict.fromkeys(f"{tokens / 1000:.1f}k" for tokens in self.bases))
        return f"{sizes[0]} to {sizes[-1]} base" if len(sizes) > 1 else f"{sizes[0]} base"

    @property
    def words(self) -> str:
        """Description such as `lean naive on the same client, 2.2k base`."""
        size = f", {self.base}" if self.bases else ""
        return f"{self.name} on the same client{size}"

    def dump(self) -> JsonObject:
        told = {"name": self.name, "base_tokens": list(self.bases), "words": WHAT_IT_IS}
        return {**told, "at_least": self.at_least}


def one_baseline(many: Iterable[NaiveBaseline]) -> NaiveBaseline:
    """The baseline of several features; if they differ, all names are listed."""
    found = list(many)
    names = list(dict.fromkeys(one.name for one in found)) or [naive_name(LEAN)]
    bases = sorted({tokens for one in found for tokens in one.bases})
    return NaiveBaseline(" and ".join(names), tuple(bases), any(one.at_least for one in found))
