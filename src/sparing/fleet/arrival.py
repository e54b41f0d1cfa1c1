"""A feature comes to this worker, or its work goes from here to where others find it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sparing.database import Database
from sparing.errors import SparingError
from sparing.event import WarningEvent
from sparing.fleet.travel import Travel
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.worktree import Worktree, restore


def bring(
    travel: Travel | None,
    row: FeatureRow,
    was_here: bool,
    folder: Path,
    worktree: Callable[[], Worktree],
) -> None:
    """Fetch a feature's work, unless no remote is set or this process had it last."""
    if travel is None or (was_here and travel.has(row)):
        return
    if travel.bring(row) and (folder / ".git").is_file():
        made = worktree()
        restore(made, made.tip(), f"{row.leg_id}.taken-over")


def send(travel: Travel | None, row: FeatureRow, *, finished: bool = False) -> None:
    """Push what was committed or kept, before that is recorded; at the end also the branch."""
    if travel is not None:
        travel.send(row)
        if finished:
            travel.publish(row)


def tell_put_off(database: Database, row: FeatureRow, at: float, error: SparingError) -> None:
    """Warn, once per leg, that it can't run here now; another worker may run it meanwhile."""
    key, stage = row.feature.key, str(row.place["state"]["stage"])
    text = f"{error.what}; {error.repair}"
    with database.write() as tx:
        name = f"{row.leg_id}.put-off"
        told = Event.of(WarningEvent(), key=name, feature=key, at=at, stage=stage, text=text)
        events.add(tx, told)
