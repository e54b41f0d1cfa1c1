"""What a feature's branch holds so far: its code against its base, and the checks that fail."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sparing.change import FileChange
from sparing.desk.office import Office
from sparing.event import ChecksEvent, OutputsEvent
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.flow.state import FlowState
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.checks.failures import telling_lines
from sparing.workspace.git.commit import changed_files

LAST_LINES = 6
TAIL_BYTES = 4_000
_FAILED = re.compile(r"fail|error|cannot", re.IGNORECASE)
_PASSED = re.compile(r"\s*(?:ok|pass(?:ed)?|[✓✔√])(?:\s|$)", re.IGNORECASE)


class Red(NamedTuple):
    """A check that fails but did not before the feature began."""

    name: str
    whole: str
    """Path of its full output; empty if none was kept."""
    tail: tuple[str, ...]


class Output(NamedTuple):
    name: str
    whole: str
    text: str


def check_outputs(office: Office, row: FeatureRow) -> tuple[Output, ...]:
    """What each check printed when they last ran."""
    with office.database.read() as connection:
        found = events.last_what(connection, row.feature.key, OutputsEvent)
    places: Mapping[str, str] = found.paths if found else {}
    return tuple(
        Output(name, path, Path(path).read_text("utf-8", "replace"))
        for name, path in places.items()
        if Path(path).is_file()
    )


def code_of(office: Office, row: FeatureRow) -> tuple[FileChange, ...]:
    """Empty before the first stage that writes code; then all code changes, from any stage."""
    flow, stage = FLOWS[row.feature.flow], FlowState.load(row.place["state"]).stage
    reached = flow.stages[: flow.index(stage) + 1]
    if not any(one.work in (StageWork.IMPLEMENT, StageWork.BUILD) for one in reached):
        return ()
    own = f"{office.loaded.settings.flow.folder_of(row.feature)}/"
    found = changed_files(office.repository, row.feature.base_commit, row.head)
    return tuple(one for one in found if not one.path.startswith(own))


def red_checks(past: Sequence[Event]) -> tuple[Red, ...]:
    """Checks that failed when the program last ran them, from the events of a stage."""
    passed: Mapping[str, bool] = {}
    paths: Mapping[str, str] | None = None
    for what in (one.what for one in past):
        if isinstance(what, ChecksEvent):
            passed, paths = what.passed, None
        elif isinstance(what, OutputsEvent) and paths is None:
            paths = what.paths
    return tuple(_red(name, (paths or {}).get(name, "")) for name in passed if not passed[name])


def _red(name: str, whole: str) -> Red:
    return Red(name, whole, _tail(Path(whole)) if whole else ())


def _tail(path: Path) -> tuple[str, ...]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    last = lines[-LAST_LINES:]
    if any(_FAILED.search(one) for one in last):
        return tuple(last)
    # Some tools end with a table, such as that of the coverage; what went wrong is above it.
    why = telling_lines("\n".join(one for one in lines if not _PASSED.match(one)))
    return (*why, *last[len(why) :])
