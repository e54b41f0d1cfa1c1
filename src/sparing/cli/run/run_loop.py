"""Driving the engine from a terminal: start, show what happens, answer gates, stop.

Progress goes to stderr; the outcome is the exit code and, with `--json`, one object on stdout.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING

from sparing.cli.clock import now
from sparing.cli.garbage import rare_collection
from sparing.cli.gate.editor import busy
from sparing.cli.gate.interruptible_prompt import leaving
from sparing.cli.gate.rule import show_disputed
from sparing.cli.options import print_json
from sparing.cli.run.engine_ownership import EngineSeat, engine_seat
from sparing.cli.run.failed_legs import raise_failures
from sparing.cli.run.live_status import LiveStatus
from sparing.cli.run.notify import notify, tell_spending
from sparing.cli.run.open_question import OpenQuestion
from sparing.cli.run.progress import Progress
from sparing.cli.run.pull_requests import PullWatch
from sparing.cli.screen import echo, show_status, style
from sparing.config.process_environment import inherited_environment, package_environment
from sparing.config.settings import Sandbox
from sparing.config.sources import sources_here
from sparing.desk.features import view
from sparing.desk.features.page_presence import feature_link
from sparing.desk.gates import answers
from sparing.desk.money.spend_alarm import SpendAlarm
from sparing.desk.money.spending import spending
from sparing.desk.office import Office
from sparing.desk.setup.roles import check_roles
from sparing.errors import BudgetReached, FeatureError, NeedsHuman, QuotaReached
from sparing.feature import FeatureStatus
from sparing.flow.state import Cause
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.report.spending import Spending
from sparing.wait import rung
from sparing.workspace.checks.running_commands import commands_of_run
from sparing.workspace.git.object_reader import kept_open
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import Reach, settle_level

if TYPE_CHECKING:
    from sparing.runtime.surroundings import Surroundings

FAILURE_LOOK_SECONDS = 1.0
LOOK_SECONDS = 1.0
"""How often the records are looked at, unless a leg has ended here or an answer was given."""
GO_ON = "sparing run"
OVER = frozenset({FeatureStatus.COMPLETED, FeatureStatus.ABANDONED})
DEARER = (
    "  so few, short turns have little to share: the rules, roles and documents that each prompt "
    "carries outweigh what they have in common"
)
"""Why a small flow may cost more than the naive way."""


class Mode(StrEnum):
    """What happens at a gate."""

    ASK = "ask"
    YES = "yes"
    """Approve where the reviews passed; never past a stage that is stuck."""
    STOP = "stop"


AtGate = Mode | Callable[[FeatureRow, Gate, float], None]
"""A function answers the gate at which a feature waits, or leaves it open."""


def run_features(
    office: Office,
    rows: Sequence[FeatureRow],
    mode: AtGate,
    *,
    as_json: bool = False,
    quiet: bool = False,
    kept: bool = True,
    bill: bool = True,
) -> int:
    """`kept`: whether what waits can be resumed later; `bill`: whether the cost is printed here."""
    for warning in check_roles(office):
        echo(style(f"note: {warning}", dim=True), err=True)
    reach = level_reached()
    settle_level(reach, unsandboxed=office.loaded.settings.workspace.sandbox is Sandbox.OPTIONAL)
    with engine_seat(office, reach, GO_ON) as seat, kept_open(), rare_collection():
        ended = asyncio.run(_drive(office, rows, mode, seat, quiet=quiet))
    views = [view.feature_view(office, row, now()) for row in ended]
    waiting = [v for v in views if v.status not in ("completed", "abandoned")]
    if as_json:
        print_json(features=[asdict(v) for v in views])
    elif not quiet:
        for v, row in zip(views, ended, strict=True):
            if kept if v in waiting else bill:
                _tell_ended(office, v, row, mode)
    if mode in (Mode.YES, Mode.STOP) and not quiet:
        for v in views:
            words = v.waits_for if v in waiting else v.status
            notify(office.loaded.settings.notify, f"sparing: {v.id} {v.title}", words)
    return _exit_code(waiting)


def _exit_code(waiting: Sequence[view.FeatureView]) -> int:
    if any(v.cause == Cause.BUDGET for v in waiting):
        return BudgetReached.exit_code
    if any(v.waits_for.startswith("quota") for v in waiting):
        return QuotaReached.exit_code
    return NeedsHuman.exit_code if waiting else 0


def _tell_ended(office: Office, shown: view.FeatureView, row: FeatureRow, mode: AtGate) -> None:
    """Print what the feature waits for, or what it cost."""
    if shown.status == "completed":
        from sparing.desk.money.closing import closing_of

        echo(f"{shown.id} what it cost, and what naive prompting would have cost", err=True)
        for line in closing_of(office, row):
            echo(line, err=True)
        if is_dearer(spending(office, row)):
            echo(style(DEARER, dim=True), err=True)
    elif shown.status != "abandoned":
        _tell_waiting(office, shown, row, mode)


def is_dearer(spent: Spending) -> bool:
    cost, naive = spent.cost_usd, spent.naive_usd
    return bool(cost and naive and round(100 * cost / naive) > 100)


def _tell_waiting(office: Office, shown: view.FeatureView, row: FeatureRow, mode: AtGate) -> None:
    from sparing.desk.approvals.unseen_changes import changed_around

    echo(f"{shown.id} waits: {shown.waits_for or shown.stage}", err=True)
    if mode is Mode.ASK and shown.position == "gate":
        again = style(f"sparing run {shown.id}", fg="cyan")
        echo(f"  {again}   to decide later", err=True)
        return
    if mode is not Mode.ASK and shown.position == "stuck":
        show_disputed(office, row)
    _tell_outlook(office, row)
    for line in changed_around(office, row):
        echo(f"  {line}", err=True)
    for command in (*_next_commands(shown), feature_link(office, row)):
        if command:
            echo(f"  {style(command, fg='cyan')}", err=True)


def _next_commands(shown: view.FeatureView) -> tuple[str, ...]:
    """The next command, and those that refuse the result if it could be accepted as it is."""
    takes = shown.position == "stuck" and shown.next_command.startswith("sparing approve")
    noes = (
        one.command for one in shown.choices if {"rule", "reject"} & {*one.command.split()[1:2]}
    )
    return (shown.next_command, *noes) if takes else (shown.next_command,)


def _tell_outlook(office: Office, row: FeatureRow) -> None:
    from sparing.desk.money.cost import By, feature_costs
    from sparing.desk.money.forecast import outlook, outlook_words

    spent = feature_costs(office, row, By.FEATURE, now()).total
    echo(f"  spent so far: {spent.cost}{spent.origin and f' ({spent.origin})'}", err=True)
    echo(f"  to come: {outlook_words(outlook(office, row))}", err=True)


async def _drive(
    office: Office, rows: Sequence[FeatureRow], mode: AtGate, seat: EngineSeat, *, quiet: bool
) -> list[FeatureRow]:
    around = surroundings_of(office, seat, headless=mode is not Mode.ASK)
    keys, current = [row.feature.key for row in rows], list(rows)
    progress, own = Progress(office, keys, quiet=quiet), seat.seat(keys)
    _begin(office, around, rows, seat.reach)
    asking, status = OpenQuestion(office), LiveStatus(office, quiet=quiet, only=keys)
    with office.database.watch() as changed, interruptible():
        async with seat.engine(around, own) as engine:
            looked, alarm, pulls, looks = now(), SpendAlarm(office), PullWatch(office), LookTimer()
            while True:
                if (looks.due() and changed()) or asking.ended():
                    found = view.overview(office, own.executor)
                    await engine.tick(found.due)
                    current = view.same_rows(rows, found.rows)
                    if not asking.open:
                        # after the rows: what led to a question stands above it
                        progress.show(found.event)
                    resting = [_rests(office, around, row, mode, asking) for row in current]
                    if not asking.open and all(resting):
                        progress.show()
                        return current
                pulls.turn(hold=bool(asking.open) or quiet)
                status.show(hold=bool(asking.open))
                if now() - looked > FAILURE_LOOK_SECONDS:
                    looked = now()
                    await asyncio.to_thread(seat.look)
                    await engine.look()
                    raise_failures(current, await engine.failed())
                    tell_spending(office, current, alarm)
                await asyncio.sleep(office.loaded.settings.engine.poll_seconds)


class LookTimer:
    """Says when to look at the records: that takes time of the turns that run."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def due(self) -> bool:
        due = rung() or abs(now() - self._last) >= LOOK_SECONDS
        self._last = now() if due else self._last
        return due


def _begin(office: Office, around: Surroundings, rows: Sequence[FeatureRow], reach: Reach) -> None:
    from sparing.approval.auto_approval import pass_waiting
    from sparing.desk.setup.role_agents import check_agents
    from sparing.runtime.sandbox import record_sandbox

    for row in rows:
        around.backend(row)
        check_agents(office, row)
        record_sandbox(around, row, at := now(), reach.words)
        answers.request_start(office, row, at)
        pass_waiting(around, row, at)


def surroundings_of(office: Office, seat: EngineSeat, *, headless: bool) -> Surroundings:
    from sparing.runtime.surroundings import Surroundings

    return Surroundings(
        office.folder, office.database, office.repository, sources_here(office.repository.checkout),
        headless=headless, environ=inherited_environment(), packages=package_environment(),
        level=seat.reach.level,
        auto=office.loaded.settings.flow.auto, travel=seat.travel,
    )  # fmt: skip


def _mode_at(around: Surroundings, row: FeatureRow, mode: AtGate) -> AtGate:
    """An answer given in advance counts only if the reviews passed and the checks have not
    changed since they ran."""
    from sparing.approval.auto_approval import may_answer_ahead

    waits = mode is Mode.YES and not row.running and not may_answer_ahead(around, row)
    return Mode.STOP if waits else mode


def _rests(
    office: Office, around: Surroundings, row: FeatureRow, mode: AtGate, asking: OpenQuestion
) -> bool:
    """Whether it is done, or waits for a person who has not answered; first its gate is answered
    by a rule, or a person is asked."""
    if row.running or row.status in OVER:
        return not row.running
    if (gate := view.waiting_gate(office, row)) is None:
        return False
    mode = _mode_at(around, row, mode)
    if isinstance(mode, Mode) and not (mode is Mode.YES and gate.kind in ("gate", Cause.HANDOFF)):
        if mode is Mode.ASK and gate.kind not in (Cause.BUDGET, Cause.PAUSED):
            asking.begin(row, gate)
        return True
    if not isinstance(mode, Mode):
        mode(row, gate, now())
    else:
        with suppress(FeatureError):  # somebody else was quicker: their answer counts
            answers.approve(office, row, "--yes", now())
            return False
    return view.waiting_gate(office, row) is not None


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C stop the run, unless an editor has the terminal."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    leaving.clear()
    loop.add_signal_handler(signal.SIGINT, lambda: busy.is_set() or task.cancel())
    try:
        with commands_of_run():
            yield
    except asyncio.CancelledError:
        show_status("stopping …")  # files that are being copied are copied first
        raise KeyboardInterrupt from None
    finally:
        leaving.set()
        loop.remove_signal_handler(signal.SIGINT)
