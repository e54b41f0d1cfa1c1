"""`sparing run`: the engine, with its progress on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import click

from sparing.cli.clock import now
from sparing.cli.look.show import print_finished
from sparing.cli.look.watch import follow
from sparing.cli.money.forecast import dry_json, show_dry_run
from sparing.cli.options import (
    agent_flags,
    agent_options,
    feature_argument,
    hand_over_option,
    json_option,
    print_json,
    sandbox_flag,
    unsandboxed_option,
)
from sparing.cli.run.dependency_order import run_in_order
from sparing.cli.run.detach import run_detached
from sparing.cli.run.pull_rounds import PullRounds
from sparing.cli.run.run_loop import Mode, run_features
from sparing.cli.screen import echo, is_terminal, style
from sparing.cli.setup.init import agree_to_setup
from sparing.cli.setup.trust_web import agree_to_web
from sparing.desk.features.merge_status import finished_feature
from sparing.desk.features.view import feature_view, open_rows, reload
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.setup.fleet_view import WorkerView, worker_views
from sparing.desk.setup.repository_scan import prospect
from sparing.desk.shared_work import require_commits
from sparing.errors import EngineBusy, FeatureError, UsageError
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow
from sparing.runtime.engine_lock import begins_any
from sparing.workspace.git.repository import BranchHead

__all__ = ["Mode", "run_command", "run_features"]


@click.command("run")
@feature_argument(required=False)
@click.option(
    "--yes", is_flag=True, help="Approve gates whose reviews passed; stop where one did not."
)
@click.option(
    "--auto",
    is_flag=True,
    help="Pass gates by rule; stop at one that does not pass. See flow.auto.",
)
@click.option("--no-input", is_flag=True, help="Never ask; stop at gates.")
@click.option(
    "--wait", is_flag=True, help="Stay while pull requests are open; see commits.poll_seconds."
)
@click.option("--detach", is_flag=True, help="Run in the background.")
@click.option(
    "--dry-run", is_flag=True, help="Start nothing: show the plan and what it would cost."
)
@agent_options
@hand_over_option
@unsandboxed_option
@json_option
def run_command(
    feature: str | None, hand_over: str | None, unsandboxed: bool, as_json: bool, **how: Any
) -> int:
    """Work on features until they are done or need you.

    FEATURE is a number, a slug or a full name; without it, all features that can continue are
    worked on. A hand-over that failed before is tried again. Open pull requests are read with `gh`:
    you see what their reviewers and CI found and what fixing it costs, and are asked.
    """
    auto: dict[str, object] = {"flow.auto": True} if how["auto"] else {}
    own = agent_flags(how.pop("backend"), how.pop("model"))
    office = open_office(Path.cwd(), {**sandbox_flag(unsandboxed), **auto, **own})
    rows = [answers.find(office, feature)] if feature else open_rows(office)
    pulls = PullRounds(office, rows if feature else None, _mode(as_json=as_json, **how))
    looks = pulls.look()
    ready = [row for row in (reload(office, one) for one in rows) if not row.status.is_over]
    ready += [] if how["dry_run"] else pulls.agreed(looks)
    if not ready:
        if looks or (pulls.ended and not feature):
            run = _runner(office, pulls.mode, as_json=as_json)
            return pulls.told(looks, run, as_json=as_json, wait=how["wait"])
        return _nothing_to_run(office, rows if feature else [], as_json=as_json)
    if how["dry_run"]:
        return _dry(office, ready, as_json=as_json)
    own |= {"workspace.hand_over": hand_over} if hand_over else {}
    ready = [answers.consent(office, row, own) for row in ready] if own else ready
    for row in ready:
        answers.retry_handover(office, row, "run", now())
    if how["detach"] and (crew := worker_views(office, now())):
        return _handed_to(crew, office, ready, as_json=as_json)
    if how["detach"]:
        from sparing.desk.setup.role_agents import check_ready

        for row in ready:
            check_ready(office, row, now())
        given = {"--yes": how["yes"], "--auto": how["auto"], "--unsandboxed": unsandboxed}
        return run_detached(
            office, ready, [flag for flag, on in given.items() if on], as_json=as_json
        )
    run = _runner(office, pulls.mode, as_json=as_json)
    code = run(ready)
    return code if as_json else pulls.follow(run, code, wait=how["wait"])


def _nothing_to_run(office: Office, named: Sequence[FeatureRow], *, as_json: bool) -> int:
    """Report how the named feature ended."""
    if not named:
        from sparing.desk.features.repositories import moved_here

        for place in moved_here(office):
            raise FeatureError(
                f"the features of this repository belong to {place}, which no longer exists",
                f"if it was moved, put it back: mv {quote(str(office.repository.checkout))}"
                f" {quote(place)}",
            )
        raise FeatureError("there is nothing to run here", 'sparing start "Add rate limiting"')
    return _over(office, reload(office, named[0]), as_json=as_json)


def _runner(
    office: Office, mode: Mode, *, as_json: bool = False
) -> Callable[[Sequence[FeatureRow]], int]:
    def run(rows: Sequence[FeatureRow]) -> int:
        return run_in_order(
            office, rows, lambda ready: _run(office, ready, mode, as_json=as_json), as_json=as_json
        )

    return run


def _handed_to(
    crew: Sequence[WorkerView], office: Office, rows: Sequence[FeatureRow], *, as_json: bool
) -> int:
    """On a shared database workers are running already: ask them to begin."""
    for row in rows:
        answers.request_start(office, row, now())
    names = [row.feature.id for row in rows]
    command = f"sparing watch {names[0]}" if len(names) == 1 else "sparing watch"
    if as_json:
        print_json(workers=[one.id for one in crew], next_command=command)
        return 0
    told = "1 worker has" if len(crew) == 1 else f"{len(crew)} workers have"
    echo(f"{told} {', '.join(names)} to run")
    echo(f"  {style(command, fg='cyan')}")
    return 0


def _over(office: Office, row: FeatureRow, *, as_json: bool) -> int:
    """Nothing is left to run: report how it ended, and what a person may do with it."""
    if as_json:
        print_json(features=[asdict(feature_view(office, row, now()))])
        return 0
    number = row.feature.id
    if row.status is FeatureStatus.ABANDONED:
        echo(f"{number} was given up; its branch {row.feature.branch} is still there")
        echo(f"  {style(f'sparing show {number}', fg='cyan')}")
        return 0
    echo(f"{number} is finished: there is nothing left to run")
    print_finished(finished_feature(office, row))
    return 0


def _mode(*, yes: bool, no_input: bool, as_json: bool, auto: bool, **_how: bool) -> Mode:
    if yes and auto:
        raise UsageError("--yes approves every gate, --auto only by rule", "leave one of them out")
    if yes:
        return Mode.YES
    return Mode.STOP if no_input or as_json or not is_terminal() else Mode.ASK


def _run(office: Office, rows: list[FeatureRow], mode: Mode, *, as_json: bool) -> int:
    for row in rows:
        require_commits(office, row)
    if mode is Mode.ASK:
        for first in rows[:1]:
            made = first.feature
            base = BranchHead(made.base_branch, made.base_commit)  # HEAD may have moved since
            agree_to_setup(office, prospect(office, base), yes=False)
        agree_to_web(office)
    try:
        return run_features(office, rows, mode, as_json=as_json)
    except EngineBusy as busy:
        return watch_other(office, rows, mode, busy)


def watch_other(office: Office, rows: Sequence[FeatureRow], mode: Mode, busy: EngineBusy) -> int:
    """Another process runs features: watch what it does with these, if a person is there to."""
    asks = mode is Mode.ASK
    begun = _begin_there(office, rows, busy, asks=asks)
    if not asks:
        raise busy
    told = f"it was asked to begin {begun}; " if begun else ""
    words = f"{busy.what}\n  {told}watching it; Ctrl-C stops the watching, not the work"
    echo(words, err=True)
    follow(office, rows, last=1)
    return 0


def _begin_there(
    office: Office, rows: Sequence[FeatureRow], busy: EngineBusy, *, asks: bool
) -> str:
    """Ask the other process to begin what has not begun, if it takes any feature; returns which.
    Otherwise raise an error that says what to do: watching it would show nothing of them."""
    found = [reload(office, row) for row in rows]
    unbegun = [row for row in found if row.status is FeatureStatus.PLANNED]
    names = ", ".join(row.feature.id for row in unbegun)
    if asks and begins_any(office.folder.engine_lock):
        for row in unbegun:
            answers.request_start(office, row, now())
        return names
    if len(unbegun) == len(found):
        again = f"sparing run {names}" if len(found) == 1 else "sparing run"
        raise EngineBusy(f"{busy.what}; {names} has to wait", f"once it has ended: {again}")
    return ""


def _dry(office: Office, rows: list[FeatureRow], *, as_json: bool) -> int:
    if as_json:
        print_json(features=[dry_json(office, row) for row in rows])
        return 0
    for row in rows:
        show_dry_run(office, row)
    return 0
