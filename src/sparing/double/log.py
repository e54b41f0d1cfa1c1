"""Every request as it came, with its bill, one JSON object per line: a log that others can check.

`rebill` does so with our own rules. Possible secrets are not written: only headers that are known
to be harmless keep their value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from sparing.cache import PromptCache
from sparing.double.blocks import to_cache
from sparing.double.formats.automatic_cache import AutomaticCache, AutomaticRule
from sparing.double.formats.conversation import prompt_text
from sparing.double.formats.table import format_of
from sparing.double.request import JsonObject, read_asked
from sparing.errors import StateError
from sparing.usage import Usage

HARMLESS = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-beta",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-app",
        "x-feature-folder",
        "x-plan-tag",
        "x-turn",
        "x-virtual-time",
    }
)
REDACTED = "redacted"
RESET = "reset"
"""The kind of a line after which the cache is empty."""


class Log:
    """Appends records to a file; without a file it does nothing."""

    def __init__(self, path: Path | None) -> None:
        self._file = _opened(path) if path else None
        self.reset()

    def reset(self, *, lives_apart: bool = False) -> None:
        self._write({"kind": RESET, **({"lives_apart": True} if lives_apart else {})})

    def request(self, **fields: Any) -> None:
        self._write({"kind": "request", **fields})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, record: JsonObject) -> None:
        if self._file is not None:
            self._file.write(json.dumps(record, separators=(",", ":")) + "\n")
            self._file.flush()


def _opened(path: Path) -> TextIO:
    """Open the log so that only its owner can read it."""
    try:
        file = path.open("a", encoding="utf-8")
        path.chmod(0o600)
    except OSError as error:
        raise StateError(
            f"the log {path} can't be written: {error.strerror}", "name another file"
        ) from error
    return file


def safe_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value if name in HARMLESS or name.startswith("x-stainless-") else REDACTED
        for name, value in headers.items()
    }


class Rebilled(NamedTuple):
    requests: int
    """Number of requests that were billed."""
    usage: Usage
    differing: tuple[int, ...]
    """Numbers of the requests whose bill differs now."""


class _Caches:
    """One cache for each kind of caching by which requests in a log were billed."""

    def __init__(self, *, lives_apart: bool = False) -> None:
        self._marked = PromptCache(lives_apart=lives_apart)
        self._automatic: dict[AutomaticRule | None, AutomaticCache] = {}

    def bill(self, record: JsonObject, output: int) -> Usage:
        path, at, ready_at = str(record["path"]), record["at"], record["ready_at"]
        wire = format_of(path)
        if wire is None:
            request = to_cache(read_asked(record["request"]))
            return self._marked.bill(request, at, output=output, ready_at=ready_at)
        asked = wire.read(record["request"], path)
        cache = self._automatic.setdefault(wire.rule, AutomaticCache(wire.rule))
        return cache.bill(asked.model, prompt_text(asked), at, ready_at, output)


def rebill(path: Path) -> Rebilled:
    """Bill a log once more, from the requests themselves."""
    cache, total, count = _Caches(), Usage(), 0
    differing: list[int] = []
    for record in _records(path):
        if record.get("kind") == RESET:
            cache = _Caches(lives_apart=bool(record.get("lives_apart")))
        bill = record.get("bill")
        if bill is None:
            continue
        usage = cache.bill(record, bill["output"])
        count, total = count + 1, total + usage
        if asdict(usage) != bill:
            differing.append(record["number"])
    return Rebilled(count, total, tuple(differing))


def _records(path: Path) -> Iterator[JsonObject]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise StateError(
            f"the log {path} can't be read: {error}", "name a log that the double has written"
        ) from error
