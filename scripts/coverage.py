"""Which tests stand for which requirement.

A test claims a requirement by naming its id in a docstring, its own, its class's or its
module's. Words in backticks are samples and claim nothing. Only text comes in and only text
goes out: files are read and written in `scripts.docs`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

_SECTION = re.compile(r"^## [A-K]\. (?P<title>.+)$")
_REQUIREMENT = re.compile(r"^- \*\*(?P<id>[A-K]\d{1,2}) (?P<title>[^*]+?)\.\*\*")
_ID = re.compile(r"\b[A-K]\d{1,2}\b")
_CODE = re.compile(r"`[^`]*`")

_HEAD = """\
# Coverage

Written by `make docs` from the docstrings of the tests and [requirements.md](../requirements.md).
"""

_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Requirement(NamedTuple):
    id: str
    title: str
    section: str


class Claim(NamedTuple):
    id: str
    test: str
    """`tests/test_a.py`, or `tests/test_a.py::test_b` where the function says so itself."""


def requirements(text: str) -> tuple[Requirement, ...]:
    """The requirements of the page, in its order."""
    found: list[Requirement] = []
    section = ""
    for line in text.splitlines():
        if heading := _SECTION.match(line):
            section = heading["title"]
        elif entry := _REQUIREMENT.match(line):
            found.append(Requirement(entry["id"], entry["title"], section))
    return tuple(found)


def claims(path: str, source: str, known: Collection[str]) -> tuple[Claim, ...]:
    """What one test file claims, each id once per docstring."""
    return tuple(
        Claim(id, name)
        for name, docstring in _docstrings(path, ast.parse(source))
        for id in sorted(set(_ID.findall(_CODE.sub("", docstring))))
        if id in known
    )


def _docstrings(name: str, node: _Documented) -> Iterator[tuple[str, str]]:
    if docstring := ast.get_docstring(node):
        yield name, docstring
    for child in node.body:
        if isinstance(child, _Documented):
            yield from _docstrings(f"{name}::{child.name}", child)


def render(entries: Iterable[Requirement], claimed: Iterable[Claim]) -> str:
    """The page: each requirement with its tests, or the words `not yet`."""
    tests: dict[str, set[str]] = {}
    for claim in claimed:
        tests.setdefault(claim.id, set()).add(claim.test)
    entries = tuple(entries)
    named = sum(entry.id in tests for entry in entries)
    lines = [_HEAD, f"{named} of {len(entries)} requirements are named by a test."]
    section = ""
    for entry in entries:
        if entry.section != section:
            section = entry.section
            lines += ["", f"## {section}", ""]
        lines += _entry(entry, _closest(tests.get(entry.id, set())))
    return "\n".join(lines) + "\n"


def _closest(tests: set[str]) -> list[str]:
    """Without a module or class of which a part says the same more closely."""
    return sorted(
        test for test in tests if not any(other.startswith(f"{test}::") for other in tests)
    )


def _entry(entry: Requirement, tests: list[str]) -> list[str]:
    head = f"- **{entry.id}** {entry.title}"
    if not tests:
        return [f"{head}: not yet"]
    return [head, *(f"  - `{test}`" for test in tests)]
