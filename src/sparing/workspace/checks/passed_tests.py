"""Which tests passed, by name: from a runner's report, or from what it printed.

Names tell more than counts: a deleted test is noticed even if another one replaced it. Only some
runners report them. A name that differs from run to run would seem missing each time, so numbers of
four and more digits in it, and durations, are ignored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from sparing.workspace.git.snapshot import Snapshot

MOST_NAMES = 3_000
"""Beyond this only their number is compared."""
REPORT = "sparing-tests.xml"
"""The file in a check's temporary folder that pytest writes its report to."""
_PRINTED = (
    re.compile(r"^test (?P<name>\S+) \.\.\. ok$", re.MULTILINE),
    re.compile(r"^(?P<name>\w+ \([\w.]+\))(?:\n.*)? \.\.\. ok$", re.MULTILINE),
    re.compile(r"^\s*ok (?:\d+ )?(?:- )?(?P<name>(?!.*# (?:TODO|SKIP)).+?)\s*$", re.MULTILINE),
    re.compile(r"^\s*[✔✓√] (?P<name>.+?)\s*$", re.MULTILINE),
    re.compile(r"^\s*--- PASS: (?P<name>\S+)", re.MULTILINE),
    re.compile(r"^(?P<name>\S+::\S.*?) PASSED", re.MULTILINE),
    re.compile(r"^\s*\d+/\d+ Test +#\d+: (?P<name>\S+) \.+ +Passed", re.MULTILINE),
)
_TIMES = re.compile(r"\s+\(?\d+(?:\.\d+)?\s?m?s\)?$|\s+\(\d+ tests?(?: \| .*?)?\)")
_DRAWN = re.compile(r"0x[0-9a-f]{4,}|\d{4,}")
_CASE = re.compile(r"<testcase\b(?P<about>[^>]*?)(?:/>|>(?P<body>.*?)</testcase>)", re.DOTALL)
_ABOUT = re.compile(r'\b(classname|name)="([^"]*)"')
_NOT_PASSED = re.compile(r"<(?:failure|error|skipped)\b")


def passed_tests(output: str, report: bytes | None) -> tuple[str, ...]:
    """Names of the tests that passed; empty if unknown, or if there are too many."""
    found = list(_reported(report.decode("utf-8", "replace"))) if report else []
    found = found or [match["name"] for one in _PRINTED for match in one.finditer(output)]
    names = sorted({_DRAWN.sub("#", _TIMES.sub("", name)).strip() for name in found})
    return tuple(names) if len(names) <= MOST_NAMES else ()


def files_of(names: Iterable[str], files: Snapshot) -> frozenset[str]:
    """The files that contain these tests, as far as their names tell."""
    return frozenset(path for name in names if (path := _file(name, files)))


def _reported(report: str) -> Iterator[str]:
    for case in _CASE.finditer(report):
        if not _NOT_PASSED.search(case["body"] or ""):
            about = {key: html.unescape(value) for key, value in _ABOUT.findall(case["about"])}
            yield f"{about.get('classname', '')}::{about.get('name', '')}"


def _file(name: str, files: Snapshot) -> str:
    """The file of a test: its path before the colons, or its module before the class names."""
    place = name.partition("::")[0].partition(" ")[0]
    if place in files.entries:
        return place
    parts = PurePosixPath(place.replace(".", "/")).parts
    paths = ("/".join(parts[:end]) + ".py" for end in range(len(parts), 0, -1))
    return next((path for path in paths if path in files.entries), "")
