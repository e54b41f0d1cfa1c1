"""What the engine records of a run of the demo: the steps of each workflow, and their JSON's keys.

`python -m tests.engine.recorded_steps` writes the listing again, for the revision that is in force.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from sparing.engine.revision import REVISION
from tests.engine.old_state import key_of
from tests.terminal import sparing

LISTING = Path(__file__).with_name("recorded_steps.json")
FLOWS: dict[str, tuple[str, ...]] = {
    "feature": (),
    "L1": ("--tier", "L1"),
    "L2": ("--tier", "L2"),
    "L3": ("--tier", "L3"),
}
INNER = ("place", "jobs", "result")
"""Values that are looked into: what they hold is read again by other steps."""


def recorded(folder: Path, flow: str) -> dict[str, Any]:
    """Of a run that nobody disturbs; the repository's key is left out of ids."""
    environ = {"SPARING_STATE__FOLDER": str(folder / "state")}
    said = sparing(folder, "demo", "--keep", "demo", *FLOWS[flow], environ=environ)
    assert said.code == 0, said.err
    key = key_of(folder / "demo" / "wordtally")
    steps: dict[str, list[str]] = {}
    keys: dict[str, set[str]] = {}
    with closing(sqlite3.connect(folder / "state" / key / "engine.db")) as connection:
        rows = connection.execute(
            "select workflow_uuid, function_name, output from operation_outputs"
            " order by workflow_uuid, function_id"
        )
        for workflow, name, output in rows:
            steps.setdefault(workflow.removeprefix(f"{key}-001."), []).append(name)
            _note(keys, name, json.loads(output or "null"))
    return {
        "steps": {name: " ".join(listed) for name, listed in sorted(steps.items())},
        "keys": {name: " ".join(sorted(found)) for name, found in sorted(keys.items())},
    }


def _note(keys: dict[str, set[str]], name: str, value: object) -> None:
    if isinstance(value, list):
        for one in cast("list[object]", value):
            _note(keys, name, one)
    if isinstance(value, dict):
        found = cast("Mapping[str, object]", value)
        keys.setdefault(name, set()).update(found)
        for inner in INNER:
            _note(keys, f"{name}.{inner}", found.get(inner))


def listed() -> dict[str, Any]:
    return json.loads(LISTING.read_text())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        os.environ["HOME"] = str(home)
        made: dict[str, Any] = {"revision": REVISION}
        for flow in FLOWS:
            (Path(name) / flow).mkdir(parents=True)
            made[flow] = recorded(Path(name) / flow, flow)
        LISTING.write_text(json.dumps(made, indent=2) + "\n")
