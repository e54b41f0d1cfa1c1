"""A prompt cache without marks, as providers keep it that cache every long prompt by themselves.

The longest beginning that an earlier request had is read, in steps, once it is long enough; what is
read is renewed, and nothing is charged for writing. Only digests are kept, never text. Choices
where vendors say little, each the dearer one:

- An entry lives five minutes from its last use, though it may live an hour when nobody is about.
- It can be read as soon as the answer of the request that brought it has begun.

Assumed, and maybe too kind: requests of one account find each other's entries whatever key they
ask to be sorted by.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from sparing.segment import CHARS_PER_TOKEN, estimate_tokens
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class AutomaticRule:
    minimum_tokens: int = 1024
    step_tokens: int = 128
    life_seconds: float = 300.0


class _Entry(NamedTuple):
    ready_at: float
    expires_at: float


class AutomaticCache:
    def __init__(self, rule: AutomaticRule | None = None) -> None:
        """Without a rule nothing is ever cached, as on most self-hosted servers."""
        self._rule = rule
        self._entries: dict[str, _Entry] = {}

    def bill(self, model: str, prompt: str, at: float, ready_at: float, output: int) -> Usage:
        """Bill a request that starts at `at` and whose answer begins at `ready_at`."""
        total = max(1, estimate_tokens(prompt))
        if self._rule is None:
            return Usage(uncached=total, output=output)
        self._drop_expired(at)
        keys = _keys(model, prompt, self._rule.step_tokens)
        hits = list(takewhile(lambda key: self._readable(key, at), keys))
        read = len(hits) * self._rule.step_tokens
        if read < self._rule.minimum_tokens:
            hits, read = [], 0
        if total >= self._rule.minimum_tokens:
            self._keep(keys, len(hits), at, ready_at)
        return Usage(uncached=total - read, read=read, output=output)

    def _readable(self, key: str, at: float) -> bool:
        entry = self._entries.get(key)
        return entry is not None and entry.ready_at <= at < entry.expires_at

    def _keep(self, keys: list[str], hits: int, at: float, ready_at: float) -> None:
        assert self._rule is not None
        until = at + self._rule.life_seconds
        for number, key in enumerate(keys):
            known = self._entries.get(key)
            ready = known.ready_at if known and number < hits else ready_at
            ready = min(ready, known.ready_at) if known else ready
            self._entries[key] = _Entry(ready, until)

    def _drop_expired(self, at: float) -> None:
        gone = [key for key, entry in self._entries.items() if entry.expires_at <= at]
        for key in gone:
            del self._entries[key]


def _keys(model: str, prompt: str, step_tokens: int) -> list[str]:
    """A key for each whole step of the prompt, covering everything before it."""
    size = step_tokens * CHARS_PER_TOKEN
    running = hashlib.sha256(model.encode())
    keys: list[str] = []
    for end in range(size, len(prompt) + 1, size):
        running.update(prompt[end - size : end].encode("utf-8", "surrogatepass"))
        keys.append(running.hexdigest())
    return keys
