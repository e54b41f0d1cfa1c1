"""The head of a role file: TOML between `+++` lines, or the simple `---` head of other tools.

Of the second kind only what such files really hold is read: `key: value` on a line, lists in
brackets, after commas or as `- ` lines, and folded text. Everything else is kept as text or
left out; nothing here can run, include or refer to anything.
"""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple, cast

from sparing.errors import ConfigError

TOML = "+++"
PLAIN = "---"
DOTS_LIMIT = 100
"""A line with more would let the TOML parser's memory grow without bound."""
_KEY = re.compile(r"^(?P<key>[A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(?P<value>.*)$")
_FOLDED = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_COMMENT = re.compile(r"[ \t]#.*$")


class RoleHead(NamedTuple):
    fields: dict[str, object]
    text: str
    plain: bool
    """Whether it is the simple head of another tool."""


def read_head(source: str, where: str) -> RoleHead:
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").lstrip("\n").split("\n")
    fence = lines[0].rstrip()
    ends = [n for n, line in enumerate(lines[1:], 1) if line.rstrip() == fence]
    if fence not in (TOML, PLAIN) or not ends:
        raise ConfigError(f"the role {where} has no head between two lines {TOML}", _repair(where))
    inner, text = lines[1 : ends[0]], "\n".join(lines[ends[0] + 1 :])
    if fence == PLAIN:
        return RoleHead(_plain(inner), text, plain=True)
    if any(line.count(".") > DOTS_LIMIT for line in inner):
        raise ConfigError(f"the head of the role {where} has too many dots", _repair(where))
    try:
        return RoleHead(tomllib.loads("\n".join(inner)), text, plain=False)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = f"the head of the role {where} is not TOML: {error}"
        raise ConfigError(why, _repair(where)) from error


def _plain(lines: list[str]) -> dict[str, object]:
    fields: dict[str, object] = {}
    key = ""
    for line in lines:
        match, item = _KEY.match(line), _ITEM.match(line)
        if match is not None:
            key, value = match["key"], (match["value"] or "").strip()
            fields[key] = "" if value in _FOLDED else _value(value)
        elif key and item is not None:
            before = fields[key]
            listed = cast("tuple[str, ...]", before) if isinstance(before, tuple) else ()
            fields[key] = (*listed, _unquoted(item["value"]))
        elif key and line[:1] in (" ", "\t") and isinstance(fields[key], str):
            fields[key] = f"{fields[key]} {line.strip()}".strip()
    return fields


def _value(text: str) -> object:
    if text.startswith("[") and text.endswith("]"):
        parts = (_unquoted(part) for part in text[1:-1].split(","))
        return tuple(part for part in parts if part)
    return _unquoted(text)


def _unquoted(text: str) -> str:
    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        return plain[1:-1]
    return _COMMENT.sub("", plain).strip()


def _repair(where: str) -> str:
    return f"correct the head of the role file {where}"
