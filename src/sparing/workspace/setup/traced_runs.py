"""What set-ups were seen to read, stored beside people's answers about them.

Stored by the hash of the commands: a person who agreed to them is asked again when a file changes
that they read. Each run adds to what is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from sparing.workspace.git.special_files import WHOLE, read_plain
from sparing.workspace.setup.setup_plan import SetupPlan, write_private
from sparing.workspace.setup.trace import Traced, TraceKind

FILE = "setup-reads.json"


def learned_from(folder: Path) -> Mapping[str, Traced]:
    """What was read, by the hash of a plan's commands."""
    try:
        found: object = json.loads(read_plain(folder / FILE, WHOLE) or b"")
    except (ValueError, RecursionError):
        return {}
    rows = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {digest: traced for digest, row in rows.items() if (traced := _traced(row))}


def learn(folder: Path, plan: SetupPlan, seen: Traced) -> Traced:
    """Record what a run has read; returns all that is known now."""
    known = learned_from(folder)
    joined = known[plan.digest].joined(seen) if plan.digest in known else seen
    rows = {**known, plan.digest: joined}
    write_private(
        folder / FILE, json.dumps({digest: row._asdict() for digest, row in rows.items()})
    )
    return joined


def _traced(row: object) -> Traced | None:
    table = cast("dict[str, object]", row) if isinstance(row, dict) else {}
    kind = table.get("kind")
    if kind not in list(TraceKind):
        return None
    read, absent, unread = (_paths(table.get(name)) for name in ("read", "absent", "unread"))
    return Traced(TraceKind(str(kind)), read, absent, unread)


def _paths(value: object) -> tuple[str, ...]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(path for path in listed if isinstance(path, str))
