"""Driving the engine from a terminal: start, show what happens, answer gates, stop.

Progress goes to stderr; the outcome is the exit code and, with `--json`, one object on stdout.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum

import click

from sparing.cli.clock import now
from sparing.cli.options import print_json
from sparing.cli.progress import Progress
from sparing.config.inherited import inherited
from sparing.config.load import sources_here
from sparing.desk import control, history, view
from sparing.desk.office import Office
from sparing.engine.lock import engine_lock
from sparing.errors import NeedsHuman, StateError
from sparing.feature import Status
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate

FAILURE_LOOK_SECONDS = 1.0


class Mode(StrEnum):
    """What happens at a gate."""

    ASK = "ask"
    YES = "yes"
    """Approve where the reviews passed; never past a stage that is stuck."""
    STOP = "stop"


def run_features(
    office: Office,
    rows: Sequence[FeatureRow],
    mode: Mode,
    *,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    with engine_lock(office.folder.engine_lock):
        ended = asyncio.run(_drive(office, rows, mode, quiet=quiet))
    views = [view.feature_view(office, row) for row in ended]
    waiting = [v for v in views if v.status not in ("completed", "abandoned")]
    if as_json:
        print_json(features=[asdict(v) for v in views])
    elif not quiet:
        for v in waiting:
            click.echo(f"{v.id} waits: {v.waits_for or v.stage}\n  {v.next_command}", err=True)
    return NeedsHuman.exit_code if waiting else 0


async def _drive(
    office: Office, rows: Sequence[FeatureRow], mode: Mode, *, quiet: bool
) -> list[FeatureRow]:
    from sparing.engine.runtime import running
    from sparing.engine.surroundings import Surroundings

    settings = office.loaded.settings.engine
    around = Surroundings(
        office.folder, office.database, office.repository, sources_here(office.repository.checkout),
        headless=mode is not Mode.ASK, environ=inherited(),
    )  # fmt: skip
    progress = Progress(office, history.latest_event(office), quiet=quiet)
    for row in rows:
        around.backend(row)
        control.request_start(office, row, now())
    async with running(around, settings.poll_seconds, settings.crash_at) as engine:
        look = 0.0
        while True:
            await engine.tick()
            progress.show()
            current = [view.reload(office, row) for row in rows]
            answered = [await _answer(office, row, mode) for row in current]
            if not any(answered) and all(_rests(office, row) for row in current):
                progress.show()
                return current
            look += settings.poll_seconds
            if look > FAILURE_LOOK_SECONDS:
                look = 0.0
                _raise_failures(current, await engine.failed())
            await asyncio.sleep(settings.poll_seconds / 2)


def _rests(office: Office, row: FeatureRow) -> bool:
    """Done, or waiting for a human who has not answered."""
    if row.status in (Status.COMPLETED, Status.ABANDONED):
        return True
    return not row.running and view.waiting_gate(office, row) is not None


async def _answer(office: Office, row: FeatureRow, mode: Mode) -> bool:
    if row.running:
        return False
    gate = view.waiting_gate(office, row)
    if gate is None:
        return False
    if mode is Mode.YES and gate.kind == "gate":
        control.approve(office, row, "--yes", now())
        return True
    if mode is Mode.ASK:
        return await asyncio.to_thread(_ask, office, row, gate)
    return False


def _ask(office: Office, row: FeatureRow, gate: Gate) -> bool:
    """Ask at the terminal; False leaves the gate open."""
    artifact = office.folder.worktree(row.feature.name)
    click.echo(
        f"\n{row.feature.id} {gate.stage}: {gate.reason or 'done, reviews passed'}", err=True
    )
    click.echo(f"  look at it in {artifact}", err=True)
    choice = click.prompt(
        "approve, reject or later", type=click.Choice(["approve", "reject", "later"]),
        default="later", err=True,
    )  # fmt: skip
    if choice == "approve":
        control.approve(office, row, "terminal", now())
    elif choice == "reject":
        said = click.prompt("what should be different", err=True)
        control.reject(office, row, said, "terminal", now())
    return choice != "later"


def _raise_failures(rows: Sequence[FeatureRow], failed: Mapping[str, str]) -> None:
    for row in rows:
        if row.running and row.leg_id in failed:
            print(file=sys.stderr)
            raise StateError(
                f"feature {row.feature.id} stopped: {failed[row.leg_id]}",
                f"what was done is kept; go on with: sparing run {row.feature.id}",
            )
