"""What a command printed, cut to what matters."""

from __future__ import annotations

import os
import re
from typing import BinaryIO

OUTPUT_LIMIT = 6_000
READ_LIMIT = 32 * 1024 * 1024
"""Bytes of a check's output that are read; beyond it the middle is left out."""
TAIL_LINES = 30
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
REPORTED = re.compile(r"^-+ generated xml file: .* -+\n", re.MULTILINE)
"""The line that pytest prints about the report that only we asked for."""
_DURATION = re.compile(r" in \d+(\.\d+)?\s?m?s(econds)?\b( \([^)]*\))?")
_FAILURE = re.compile(
    r"^(=+ (FAILURES|ERRORS) =+|(FAIL|ERROR): |Traceback |not ok |.*\berror(\[\w+\])?: |E {3})"
)
_VERDICT = re.compile(
    r"^(=*.*\b\d+ (passed|failed|errors?)\b.*|Ran \d+ tests?.*|OK.*|FAILED \(.*)$"
)


def printed(out: BinaryIO) -> str:
    """What a command printed into this file, without colours."""
    return _ESCAPE.sub("", _read(out))


def _read(out: BinaryIO) -> str:
    """The text of a file, without the middle if it is too long."""
    size = out.seek(0, os.SEEK_END)
    out.seek(0)
    if size <= READ_LIMIT:
        return out.read().decode(errors="replace")
    head = out.read(READ_LIMIT // 2)
    out.seek(-READ_LIMIT // 2, os.SEEK_END)
    gap = f"\n… {size - READ_LIMIT} bytes left out …\n"
    return head.decode(errors="replace") + gap + out.read().decode(errors="replace")


def trim(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Keep the first failure and the end; short output stays whole."""
    if len(text) <= limit:
        return text
    lines = text.splitlines()
    tail = max(len(lines) - TAIL_LINES, 0)
    first = next((n for n, line in enumerate(lines) if _FAILURE.match(line)), len(lines))
    start, end = min(max(first - 1, 0), tail), min(first + TAIL_LINES, tail)
    parts = [*_gap(start), *lines[start:end], *_gap(tail - end), *lines[tail:]]
    half = limit // 2
    whole = "\n".join(parts)
    return whole if len(whole) <= limit else f"{whole[:half]}\n…\n{whole[-half:]}"


def _gap(count: int) -> tuple[str, ...]:
    return (f"… {count} lines left out …",) if count > 0 else ()


def last_words(text: str) -> str:
    """The tool's closing summary, without durations, which differ in each run."""
    lines = [line.strip("= ") for line in text.splitlines() if line.strip("= ")]
    verdicts = [line for line in lines if _VERDICT.match(line)][-2:]
    return ", ".join(_DURATION.sub("", line) for line in verdicts or lines[-1:])[:200]
