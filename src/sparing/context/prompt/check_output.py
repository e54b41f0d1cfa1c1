"""What checks printed and where a merge conflicts, as documents of a prompt."""

from __future__ import annotations

import json
from typing import cast

from sparing.context.prompt.brief import Material

CONFLICT = "conflict "
"""Prefix of the names of rows that show both sides of a conflict; the file follows."""


def printed(text: str) -> tuple[Material, ...]:
    """Documents for stored rows of name, command and output; empty for any other text."""
    return tuple(
        Material(
            name if name.startswith(CONFLICT) else f"check {name}",
            f"$ {command}\n{output}" if command else f"{output}\n",
        )
        for name, command, output in _rows(text)
    )


def _rows(text: str) -> list[tuple[str, str, str]]:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = cast("list[object]", found) if isinstance(found, list) else []
    three = [cast("list[object]", row) for row in rows if isinstance(row, list)]
    return [(str(row[0]), str(row[1]), str(row[2])) for row in three if len(row) == 3]
