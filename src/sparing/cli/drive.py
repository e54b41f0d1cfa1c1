"""Driving the engine from a terminal: start, show what happens, answer gates, stop.

Progress goes to stderr; the outcome is the exit code and, with `--json`, one object on stdout.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from sparing.desk.roles import check_roles
from sparing.engine.lock import engine_lock
from sparing.errors import BudgetReached, FeatureError, NeedsHuman, StateError
from sparing.feature import Status
from sparing.flow.state import Cause
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
    for warning in check_roles(office):
        click.echo(click.style(f"note: {warning}", dim=True), err=True)
    with engine_lock(office.folder.engine_lock):
        ended = asyncio.run(_drive(office, rows, mode, quiet=quiet))
    views = [view.feature_view(office, row) for row in ended]
    waiting = [v for v in views if v.status not in ("completed", "abandoned")]
    if as_json:
        print_json(features=[asdict(v) for v in views])
    elif not quiet:
        for v, row in zip(views, ended, strict=True):
            if v in waiting:
                _tell_waiting(office, v, row)
    if any(v.cause == Cause.BUDGET for v in waiting):
        return BudgetReached.exit_code
    return NeedsHuman.exit_code if waiting else 0


def _tell_waiting(office: Office, shown: view.FeatureView, row: FeatureRow) -> None:
    click.echo(f"{shown.id} waits: {shown.waits_for or shown.stage}", err=True)
    _tell_outlook(office, row)
    click.echo(f"  {shown.next_command}", err=True)


def _tell_outlook(office: Office, row: FeatureRow) -> None:
    from sparing.desk.cost import By, feature_costs
    from sparing.desk.outlook import outlook, outlook_words

    spent = feature_costs(office, row, By.FEATURE, now()).total
    click.echo(f"  spent so far: {spent.cost} {spent.origin and f'({spent.origin})'}", err=True)
    click.echo(f"  to come: {outlook_words(outlook(office, row))}", err=True)


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
    concurrency = office.loaded.settings.agent.concurrency
    with office.database.watch() as changed:
        async with running(around, settings, concurrency) as engine:
            looked = now()
            while True:
                if changed():
                    await engine.tick()
                    progress.show()
                    current = [view.reload(office, row) for row in rows]
                    answered = [await _answer(office, row, mode) for row in current]
                    if not any(answered) and all(_rests(office, row) for row in current):
                        progress.show()
                        return current
                if now() - looked > FAILURE_LOOK_SECONDS:
                    looked = now()
                    current = [view.reload(office, row) for row in rows]
                    _raise_failures(current, await engine.failed())
                await asyncio.sleep(settings.poll_seconds)


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
        with suppress(FeatureError):  # somebody else was quicker: their answer counts
            control.approve(office, row, "--yes", now())
        return True
    if mode is Mode.ASK and gate.kind != Cause.BUDGET:
        return await asyncio.to_thread(_ask, office, row, gate)
    return False


def _ask(office: Office, row: FeatureRow, gate: Gate) -> bool:
    """Ask at the terminal; False leaves the gate open."""
    artifact = office.folder.worktree(row.feature.name)
    click.echo(
        f"\n{row.feature.id} {gate.stage}: {gate.reason or 'done, reviews passed'}", err=True
    )
    click.echo(f"  look at it in {artifact}", err=True)
    _tell_outlook(office, row)
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
