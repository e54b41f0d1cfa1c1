"""Dependencies that a document draws: the edges of a mermaid graph, where no task states any."""

from __future__ import annotations

import re

from sparing.context.documents.markdown import Outline

_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*mermaid\b", re.IGNORECASE)
_FENCE_END = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*$")
_ARROW = re.compile(r"\s*(?:-{2,3}>|==+>|-\.+->)\s*(?:\|[^|\n]{0,80}\|\s*)?")
_NODE = re.compile(r"[\w.-]{1,40}")


def drawn_edges(document: Outline) -> dict[str, tuple[str, ...]]:
    """For each node of a mermaid graph those before it: `A --> B` has `B` wait for `A`."""
    found: dict[str, dict[str, None]] = {}
    inside = False
    for number in sorted(document.hidden):
        line = document.lines[number - 1].rstrip("\r\n")
        if _FENCE.match(line) or _FENCE_END.match(line):
            inside = _FENCE.match(line) is not None
        elif inside and ">" in line:
            steps = [_nodes(piece) for piece in _ARROW.split(line)]
            for before, after in zip(steps, steps[1:], strict=False):
                for node in after:
                    found.setdefault(node, {}).update(dict.fromkeys(before))
    return {node: tuple(before) for node, before in found.items()}


def _nodes(piece: str) -> list[str]:
    """`F1[Flag model] & F2` are F1 and F2."""
    names = (_NODE.match(part.strip()) for part in piece.split("&"))
    return [name[0] for name in names if name]
