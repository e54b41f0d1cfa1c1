"""What a file defines, with line numbers, without its bodies.

Python is parsed; for other languages a few patterns find what begins a definition. An outline helps
to choose lines to read. It does not replace reading them, and says so where it guesses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

MOST_ENTRIES = 300
LINE_CHARS = 160
PARSED_CHARS = 1_000_000

_WORD = r"[A-Za-z_$][\w$]*"
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\([a-z]+\))?|override|virtual|sealed|open|unsafe|extern|inline|const|suspend|data)\s+)*"
)
_DEFINITION = re.compile(
    rf"^\s*{_MODIFIERS}(?:class|interface|struct|enum|trait|impl|type|record|object|module|namespace"
    rf"|protocol|extension|function\*?|func|fun|fn|def|defp|defmodule|macro_rules!|sub|procedure)"
    rf"\s+[\w$<(\"'*&]"
    rf"|^\s*{_MODIFIERS}(?:const|let|var|val)\s+{_WORD}\s*(?::[^=]{{1,200}})?=\s*(?:async\s*)?"
    rf"(?:function\b|\([^)]{{0,300}}\)\s*(?::[^=]{{1,100}})?=>|{_WORD}\s*=>)"
    rf"|^(?:create|alter)\s+(?:table|view|index|function|type)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"#{1,6}\s+\S")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_KEY = re.compile(r"\[{1,2}[^\]]+\]\s*$|[\w.-]+:(?:\s|$)")


class Entry(NamedTuple):
    first: int
    last: int
    text: str


def outline(path: str, text: str, lines: Sequence[str]) -> list[Entry]:
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in (".py", ".pyi") and len(text) <= PARSED_CHARS:
        parsed = _python(text, lines)
        if parsed is not None:
            return parsed
    if suffix in (".md", ".markdown", ".rst"):
        return list(_titles(lines))
    if suffix in (".toml", ".ini", ".cfg", ".yml", ".yaml"):
        return [Entry(n, n, line) for n, line in enumerate(lines, 1) if _KEY.match(line)]
    return [
        Entry(n, n, line)
        for n, line in enumerate(lines, 1)
        if len(line) <= LINE_CHARS * 4 and _DEFINITION.match(line)
    ]


def rendered(path: str, entries: Sequence[Entry], total: int) -> str:
    parts = [f"== outline of {path}, {total} lines"]
    parts += [_line(entry) for entry in entries[:MOST_ENTRIES]]
    if len(entries) > MOST_ENTRIES:
        parts.append(f"[{len(entries) - MOST_ENTRIES} more definitions are not shown]")
    if not entries:
        parts.append("[no definitions known in this kind of file]")
    return "\n".join(parts)


def _line(entry: Entry) -> str:
    place = f"{entry.first}-{entry.last}" if entry.last > entry.first else str(entry.first)
    return f"{place}\t{entry.text.rstrip()[:LINE_CHARS]}"


def _python(text: str, lines: Sequence[str]) -> list[Entry] | None:
    """The definitions; None if it does not parse, so that patterns are used instead."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_definitions(tree.body, lines, 0))


def _definitions(body: Sequence[ast.stmt], lines: Sequence[str], depth: int) -> Iterator[Entry]:
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield Entry(first, node.end_lineno or node.lineno, _signature(node, lines, depth))
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node.body, lines, depth + 1)
        elif depth == 0 and isinstance(node, ast.Assign | ast.AnnAssign):
            yield Entry(node.lineno, node.end_lineno or node.lineno, lines[node.lineno - 1])


def _signature(
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str], depth: int
) -> str:
    """The signature up to the body, joined if it spans several lines."""
    end = max(node.lineno, node.body[0].lineno - 1 if node.body[0].lineno > node.lineno else 0)
    text = " ".join(line.strip() for line in lines[node.lineno - 1 : min(end, node.lineno + 11)])
    return "    " * depth + text


def _titles(lines: Sequence[str]) -> Iterator[Entry]:
    fenced = False
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and _TITLE.match(line):
            yield Entry(number, number, line)
