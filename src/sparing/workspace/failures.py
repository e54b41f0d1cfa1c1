"""Which tests a tool says have failed: their names, out of all that it printed."""

from __future__ import annotations

import re

MOST_NAMES = 2_000
_NAMES = (
    re.compile(r"^(?:FAILED|ERROR) (?P<name>\S+::\S+|\S+\.py)(?= - |\s*$)", re.MULTILINE),
    re.compile(r"^(?:FAIL|ERROR): (?P<name>\S+ \([\w.<>]+\))", re.MULTILINE),
    re.compile(r"^\s*not ok (?:\d+ )?(?:- )?(?P<name>(?!.*# (?:TODO|SKIP)).+?)\s*$", re.MULTILINE),
    re.compile(r"^\s*[✖✕×] (?P<name>(?!failing).+?)(?: \([\d.]+ ?m?s\))?\s*$", re.MULTILINE),
    re.compile(r"^\s*● (?P<name>.+?)\s*$", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (?P<name>\S+)", re.MULTILINE),
    re.compile(r"^test (?P<name>\S+) \.\.\. FAILED$", re.MULTILINE),
)


def failing(output: str) -> tuple[str, ...]:
    """Names of failing tests, of pytest, unittest, TAP, node, jest, go and cargo."""
    found = (match["name"] for pattern in _NAMES for match in pattern.finditer(output))
    return tuple(sorted(dict.fromkeys(found)))[:MOST_NAMES]
