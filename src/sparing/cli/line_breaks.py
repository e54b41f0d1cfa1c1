"""Where a line is broken to fit a terminal: between words, never within a command or a size.

A command that is broken here would run as two when it is pasted. One that is longer than the
terminal starts a line of its own and is left to the terminal, which joins what it has broken
itself.
"""

from __future__ import annotations

import re

from sparing.cli.screen import LEAST_WIDTH, LEAST_WORDS

_ESCAPES = r"\x1b\[[0-9;]*m"
_INDENT = r" *(?:[·+✓✗!?»~=→-] (?:[\w-]+(?: [\w-]+)? {2,})?|[\w.-]+ {2,})?"
"""Matches what precedes the words of a line: a mark, a label, or both."""
_PROGRAMS = r"(?:sparing|git|gh|make|cd|mv|rm|tail|export|pip|pipx|uv|npm|python3?|/\S+)(?: |$)"
_BREAK = r"(?<=\S) (?=\S)"
_STYLED_COMMAND = "\x1b[36m"
"""Precedes a command that is cyan; all that has this colour may be copied."""
_LEAST_INDENT = 4
"""The deepest indent of a command that fits on no line."""
_JOINT = "\x1f"
"""Replaces a space at which no line breaks; in text that is safe to print it can't occur."""
_ARGUMENT = (
    r"""(?:-\S*[\w…]|\d\w*|"[^"]*"|'[^']*'|\[?[A-Z][A-Z_]+\]?|[\w~/]*[/._=@:][\w/.…=-]*\w)"""
)
_WHOLE = re.compile(
    r"`[^`]+`"
    r"|\+[\d,.]+ -[\d,.]+(?![\w-])"
    rf"|(?<![\w/.-])(?:sparing|git|npm|pipx?|make) [a-z][\w-]*(?: (?:set|get|show|{_ARGUMENT}))*"
    r"(?:(?: [a-z][\w-]*){1,2}(?=[;,.)]|$))?"
)
"""What is not broken: text in backticks, lines added and removed, a command with its arguments."""


def folded(line: str, columns: int) -> str:
    """Break a line; columns of a table separated by several spaces stay aligned."""
    plain = re.sub(_ESCAPES, "", line)
    if len(plain) <= columns or columns < LEAST_WIDTH:
        return line
    found = re.match(_INDENT, plain)
    deep = len(found[0]) if found and len(found[0]) < columns // 2 else 0
    line = _tightened(line, len(plain) - columns, deep)
    _, mark, command = line.partition(_STYLED_COMMAND)
    if mark and re.match(_PROGRAMS, command) and "; or" not in command:
        return _above_command(line, columns, deep)
    return _between_words(line, columns, deep)


def filled(text: str, columns: int, before: str) -> str:
    """Text after a label, its other lines indented below the first one's words."""
    import textwrap

    lines = textwrap.fill(
        _joined(text), columns, initial_indent=before, subsequent_indent=" " * len(before),
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip
    return lines.replace(_JOINT, " ")


def _joined(text: str) -> str:
    return _WHOLE.sub(lambda found: found[0].replace(" ", _JOINT), text)


def _between_words(line: str, columns: int, deep: int) -> str:
    lines, length = [""], 0
    for piece in re.split(_BREAK, _joined(line)):
        size = len(re.sub(_ESCAPES, "", piece))
        fits = size <= columns - deep
        if length > deep and length + 1 + size > columns and (fits or _JOINT in piece):
            indent = deep if fits else min(deep, _LEAST_INDENT)
            lines.append(" " * indent + piece)
            length = indent + size
        else:
            lines[-1] += f" {piece}" if length else piece
            length += size + (1 if length else 0)
    return "\n".join(lines).replace(_JOINT, " ")


def _tightened(line: str, excess: int, deep: int) -> str:
    """Narrow the gap between a name and its figure before breaking the words after them."""
    gaps = [found.span() for found in re.finditer(r"(?<=\S) {3,}(?=[−+≥$\d])", line)]
    gaps = [gap for gap in gaps if len(re.sub(_ESCAPES, "", line[: gap[1]])) > deep]
    if not gaps:
        return line
    start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    return line[: max(start + 2, end - excess)] + line[end:]


def _above_command(line: str, columns: int, deep: int) -> str:
    """Put a command on a line of its own."""
    before, mark, command = line.partition(_STYLED_COMMAND)
    if not before.strip():
        return _beside_words(line, columns)
    own = mark + command
    size = len(re.sub(_ESCAPES, "", own))
    indent = deep if deep + size <= columns else min(deep, _LEAST_INDENT)
    return f"{folded(before.rstrip(), columns)}\n{' ' * indent}{own}"


def _beside_words(line: str, columns: int) -> str:
    """Break what is said of a command, below where it begins; the command stays in one piece."""
    found = re.fullmatch(rf"(.*?{_ESCAPES} {{2,}})(?! )(.*)", line)
    if not found or "\x1b" in found[2]:
        return line
    import textwrap

    start = len(re.sub(_ESCAPES, "", found[1]))
    if start > columns - LEAST_WORDS:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        below = textwrap.fill(found[2], columns, initial_indent=indent, subsequent_indent=indent)
        return f"{found[1].rstrip()}\n{below}"
    words = textwrap.wrap(found[2], columns - start, break_long_words=False)
    return found[1] + f"\n{' ' * start}".join(words)
