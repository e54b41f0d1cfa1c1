"""YAML and JSON as plain values with their lines.

The text is only composed into nodes: scalars stay text, tags are ignored, nothing is constructed.
Aliases are refused, since a few lines of them can expand to millions.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

LARGEST = 200_000
"""Characters of one text; a longer one is not read."""
_DEEPEST = 40
_TABS = re.compile(r"^\t+", re.MULTILINE)


class Data(NamedTuple):
    text: str
    """The text of a scalar; empty for other nodes."""
    items: tuple[Data, ...]
    pairs: tuple[tuple[str, Data], ...]
    first: int
    last: int
    """0-based lines of the text."""


class Unreadable(NamedTuple):
    why: str


def read_data(text: str) -> Data | Unreadable:
    import yaml  # noqa: PLC0415 - only few documents need it

    composer = cast("Any", yaml)
    if len(text) > LARGEST:
        return Unreadable(f"it is longer than {LARGEST:,} characters")
    try:
        # JSON is often indented with tabs, which YAML refuses; lines stay lines.
        spaced = _TABS.sub(lambda tabs: "  " * len(tabs[0]), text)
        for depth, event in _depths(composer.parse(spaced, Loader=yaml.BaseLoader)):
            if depth > _DEEPEST or isinstance(event, yaml.AliasEvent):
                return Unreadable(f"it has aliases, or more than {_DEEPEST} levels")
        node = composer.compose(spaced, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = getattr(error, "problem", None) or str(error)
        return Unreadable(" ".join(str(said).split())[:200])
    return _plain(node) if node is not None else Data("", (), (), 0, 0)


def _depths(events: Any) -> Any:
    depth = 0
    for event in events:
        name = type(event).__name__
        depth += name in ("MappingStartEvent", "SequenceStartEvent")
        depth -= name in ("MappingEndEvent", "SequenceEndEvent")
        yield depth, event


def _plain(node: Any) -> Data:
    first, end = node.start_mark.line, node.end_mark
    inline = getattr(node, "flow_style", True)
    last = max(first, end.line if inline and end.column else end.line - 1)
    if isinstance(node.value, str):
        return Data(node.value, (), (), first, last)
    if node.id == "sequence":
        return Data("", tuple(_plain(one) for one in node.value), (), first, last)
    pairs = tuple(
        (key.value, _plain(value)) for key, value in node.value if isinstance(key.value, str)
    )
    return Data("", (), pairs, first, last)
