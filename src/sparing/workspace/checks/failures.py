"""Test results read from a tool's output: which tests failed and how many passed."""

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


_PASSED = (
    re.compile(
        r"^(?:=+ )?(?:.*?\b(?P<n>\d+) passed\b.*|no tests ran\b.*) in [\d.]+s", re.MULTILINE
    ),
    re.compile(r"^Tests:\s(?:.*?(?P<n>\d+) passed)?.*\btotal\b", re.MULTILINE),
    re.compile(r"^[#ℹ] pass (?P<n>\d+)$", re.MULTILINE),
    re.compile(r"^\s*(?P<n>\d+) passing\b", re.MULTILINE),
)
_UNITTEST = re.compile(r"^Ran (?P<n>\d+) tests? in .*\n\n?(?P<rest>.*)$", re.MULTILINE)
_CARGO = re.compile(r"^test result: \w+\. (\d+) passed", re.MULTILINE)
_GO = re.compile(r"^ok\s+\S+\s(?!.*\[no tests to run\])", re.MULTILINE)


def passing(output: str) -> int | None:
    """How many tests passed (for go: packages); None if the output does not say."""
    if found := list(_UNITTEST.finditer(output)):
        last = found[-1]
        return int(last["n"]) - sum(
            map(int, re.findall(r"(?:skipped|failures|errors)=(\d+)", last["rest"]))
        )
    for pattern in _PASSED:
        if found := list(pattern.finditer(output)):
            return int(found[-1]["n"] or 0)
    if counts := _CARGO.findall(output):
        return sum(map(int, counts))
    return len(_GO.findall(output)) or None


def failing(output: str) -> tuple[str, ...]:
    """Names of failing tests in the output of pytest, unittest, TAP, node, jest, go and cargo."""
    found = (match["name"] for pattern in _NAMES for match in pattern.finditer(output))
    return tuple(sorted(dict.fromkeys(found)))[:MOST_NAMES]


_TELLING = re.compile(
    r"\berror\b|\berr!|\bfatal\b|\bfailed\b|\bcan(?:no|')t\b|could(?: no|n')t"
    r"|not found|denied|no such|no module",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"complete log|npm (?:error|err!)\s*$|exited with|^make: \*\*\*", re.IGNORECASE)
_NETWORK = re.compile(
    r"EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|name resolution"
    r"|Could not resolve|Network is unreachable|Connection (?:refused|timed out)"
)


def telling_lines(output: str, most: int = 2) -> tuple[str, ...]:
    """The lines that say why a command failed, without those that only say that it did."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = [one for one in lines if _TELLING.search(one) and not _EMPTY.search(one)]
    first = [one for one in found if _NETWORK.search(one)]
    return tuple(dict.fromkeys((*first, *found)))[:most]


def is_network(output: str) -> bool:
    return _NETWORK.search(output) is not None
