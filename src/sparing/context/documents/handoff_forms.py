"""Handoff blocks in a form other than the one asked for: JSON, XML, YAML, or without a heading.

Each yields the same fields as the block itself, as text. Text that looks like a block and can't be
read is reported, so that it is asked for again and not taken for a completed stage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

NAMES = {
    "statu": "status",
    "summary": "summary",
    "keydecision": "key_decisions",
    "decision": "key_decisions",
    "openquestion": "open_questions",
    "question": "open_questions",
    "filemodified": "files_modified",
    "filechanged": "files_modified",
    "nextstageneed": "next_stage_needs",
    "warning": "warnings",
}
LEAST = 2
"""Known fields, including the status, that it takes to count as a block."""
SHOWN = 300
_OBJECT = re.compile(r"\{")
_TAG = re.compile(r"<(?P<name>[A-Za-z][\w-]*)(?:\s[^<>]*)?>(?P<body>.*?)</(?P=name)\s*>", re.DOTALL)
_INNER = re.compile(r"<(?P<name>[A-Za-z][\w-]*)(?:\s[^<>]*)?>(?P<body>[^<>]*)</(?P=name)\s*>")
_LINE = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?[\"'`*_]*(?P<name>[A-Za-z][A-Za-z _-]{3,20}?)[\"'`*_]*[ \t]*"
    r"[:：][\"'`*_]*(?P<rest>.*)$",
    re.MULTILINE,
)
_TRACE = re.compile(
    r"(?im)^[ \t>#*_`<{\"']{0,8}hand-?off\b|^[ \t>*_`\"'<-]{0,8}status[\"'`*_>]{0,4}[ \t]*[:：>]?"
    r"[ \t\"'`*_]*(?:completed?|blocked|needs[ _-]intervention)\b"
)


def other_forms(reply: str) -> Iterator[dict[str, str]]:
    """What can be read as a block, the likeliest first."""
    yield from _json(reply)
    yield from _xml(reply)
    yield from _lines(reply)


def trace_of(reply: str) -> str:
    """The beginning of text that looks like a block; empty if none does."""
    found = list(_TRACE.finditer(reply))
    return " ".join(reply[found[-1].start() :][:SHOWN].split()) if found else ""


def known_name(name: str) -> str:
    """Our name for a field, whatever its spelling; empty if it is not a field of ours."""
    plain = "".join(part.removesuffix("s") for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))
    return NAMES.get(plain.lower(), "")


def _is_block(fields: dict[str, str]) -> bool:
    return "status" in fields and len(fields) >= LEAST


def _json(reply: str) -> Iterator[dict[str, str]]:
    decoder = json.JSONDecoder()
    for match in reversed(list(_OBJECT.finditer(reply))):
        try:
            value: object = decoder.raw_decode(reply, match.start())[0]
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found = cast("dict[str, object]", value)
            known = ((known_name(name), one) for name, one in found.items())
            fields = {name: _text(one) for name, one in known if name}
            if _is_block(fields):
                yield fields


def _text(value: object) -> str:
    """The value as text; a list becomes bullets."""
    if isinstance(value, list):
        return "\n".join(f"- {_text(one)}" for one in cast("list[object]", value))
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return ", ".join(f"{name}: {_text(one)}" for name, one in pairs)
    return "" if value is None else str(value)


def _xml(reply: str) -> Iterator[dict[str, str]]:
    for match in reversed(list(_TAG.finditer(reply))):
        if match["name"].lower().replace("-", "").replace("_", "") != "handoff":
            continue
        fields: dict[str, str] = {}
        for child in _TAG.finditer(match["body"]):
            name = known_name(child["name"])
            if name:
                items = [f"- {one['body'].strip()}" for one in _INNER.finditer(child["body"])]
                fields[name] = "\n".join(items) or child["body"].strip()
        if _is_block(fields):
            yield fields


def _lines(reply: str) -> Iterator[dict[str, str]]:
    """Lines with known names one after the other: YAML, or the block without its heading."""
    found = [(match, known_name(match["name"])) for match in _LINE.finditer(reply)]
    known = [(match, name) for match, name in found if name]
    start = next((n for n in range(len(known) - 1, -1, -1) if known[n][1] == "status"), None)
    if start is None:
        return
    fields: dict[str, str] = {}
    for number, (match, name) in enumerate(known[start:], start):
        end = known[number + 1][0].start() if number + 1 < len(known) else len(reply)
        body = reply[match.start("rest") : end]
        fields[name] = re.split(r"\n[ \t>]*(?:```|~~~|#{1,6}[ \t])|\n\s*\n(?![-*+ \t])", body)[0]
    if _is_block(fields):
        yield fields
