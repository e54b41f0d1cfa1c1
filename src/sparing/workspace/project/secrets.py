"""Looks for secrets in exactly the bytes that are about to be committed.

A hit says where and what kind, never the value. Nothing written in a file can switch this off.
The time it takes is linear in the size of a file, whatever stands in it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol, cast

from sparing.redact import SHORTEST, Redactor, find_formats, spellings
from sparing.workspace.project.secret_rules import RULES, file_rule

KNOWN = "value that this run must keep secret"
# Patterns of others may read a line once for each of its characters: long ones are cut.
LONG_LINE, OVERLAP = 1000, 250
MOST_HITS = 20
"""Of one file; the first say enough."""


class Hit(NamedTuple):
    path: str
    line: int
    """0 if it is the file itself."""
    rule: str

    @property
    def words(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {self.rule}"


class _Place(NamedTuple):
    start: int
    rule: str


def scan(files: Iterable[tuple[str, bytes]], known: Iterable[str] = ()) -> tuple[Hit, ...]:
    """One hit a line at most, in the order of files and lines."""
    values = [value for value in known if len(value) >= SHORTEST]
    needles = sorted(set[str]().union(*map(spellings, values)))
    needles = [_as_text(os.fsencode(needle)) for needle in needles]
    redactor = Redactor(values)
    hits: list[Hit] = []
    for path, data in files:
        # A file can be named after a secret.
        name = redactor.clean(path)
        if name != path:
            hits.append(Hit(name, 0, "name of the file"))
        if rule := file_rule(path):
            hits.append(Hit(name, 0, rule))
        hits += (Hit(name, line, rule) for line, rule in _lines(path, data, needles))
    return tuple(hits)


def _lines(path: str, data: bytes, needles: Iterable[str]) -> list[tuple[int, str]]:
    texts = [_as_text(data)]
    if b"\0" in data:
        # Text of two bytes a letter; in anything else this does no harm.
        texts.append(_as_text(data.replace(b"\0", b"")))
    found: dict[int, str] = {}
    for text in texts:
        for start, rule in _places(path, text, needles):
            found.setdefault(text.count("\n", 0, start) + 1, rule)
            if len(found) == MOST_HITS:
                break
    return sorted(found.items())


def _places(path: str, text: str, needles: Iterable[str]) -> Iterator[_Place]:
    for needle in needles:
        start = text.find(needle)
        while start >= 0:
            yield _Place(start, KNOWN)
            start = text.find(needle, start + len(needle))
    yield from (_Place(found.start, found.name) for found in find_formats(text))
    for rule in RULES:
        yield from (_Place(start, rule.name) for start in rule.find(path, text))
    for plugin in plugins():
        for offset, piece in _pieces(text):
            for value in plugin.analyze_string(piece):
                yield _Place(offset + max(piece.find(value), 0), plugin.secret_type)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    if len(max(lines, key=len)) <= LONG_LINE:
        yield 0, text
        return
    offset = 0
    for line in lines:
        for start in range(0, max(len(line) - OVERLAP, 1), LONG_LINE - OVERLAP):
            yield offset + start, line[start : start + LONG_LINE]
        offset += len(line) + 1


def _as_text(data: bytes) -> str:
    """A character a byte, so that no file is too broken to be read."""
    return data.decode("latin-1")


PLUGINS = {
    "cloudant": "CloudantDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "npm": "NpmDetector",
    "softlayer": "SoftlayerDetector",
}
"""What detect-secrets knows of vendors' formats beyond our own rules: a second opinion.

Its plugins are asked directly. Its own scan is left alone: a comment in the file that is scanned
switches that off, it keeps its settings in a global, and it may call vendors to verify. Most of
its plugins are left out too: what they find our rules find, in linear time, and without taking
ordinary words, code or test databases for secrets.
"""


class Plugin(Protocol):
    secret_type: str
    analyze_string: Callable[[str], Iterator[str]]


@lru_cache(maxsize=1)
def plugins() -> tuple[Plugin, ...]:
    """None where detect-secrets is not installed."""
    if importlib.util.find_spec("detect_secrets") is None:
        return ()
    found: list[Plugin] = []
    for module, name in PLUGINS.items():
        loaded = importlib.import_module(f"detect_secrets.plugins.{module}")
        found.append(cast("Plugin", getattr(loaded, name)()))
    return tuple(found)
