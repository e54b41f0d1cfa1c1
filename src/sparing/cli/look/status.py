"""`sparing status`: what is under way, and what waits for you."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, style, wrapped
from sparing.config.terminal import terminal_columns
from sparing.desk.features.engine_presence import engine_runs, other_versions
from sparing.desk.features.merge_status import FinishedFeature, MergeStatus, finished_features
from sparing.desk.office import Office, every_row, open_office
from sparing.printable import printable
from sparing.records.features import FeatureRow

if TYPE_CHECKING:  # loaded where something is under way
    from sparing.desk.features.view import FeatureView
    from sparing.desk.gates.actions import GateAction

DONE = ("completed", "abandoned")
GAP = "   "


@click.command("status")
@feature_argument(required=False)
@click.option("--fetch", is_flag=True, help="First ask gh about open pull requests.")
@json_option
def status_command(feature: str | None = None, fetch: bool = False, as_json: bool = False) -> None:
    """Show what is running and what needs you.

    With FEATURE, the same as `sparing show FEATURE`. Without, also lists finished branches that are
    not merged yet, with the command to merge them, and what reviewers and CI said about pull
    requests when they were last checked.
    """
    office = open_office(Path.cwd(), reading=not fetch)
    if fetch:
        from sparing.cli.run.pull_requests import look_at_pulls

        look_at_pulls(office)
    if feature is not None:
        from sparing.cli.look.show import show_feature
        from sparing.desk.gates.answers import find

        show_feature(office, find(office, feature), as_json=as_json)
        return
    rows = every_row(office)
    if as_json:
        _print_json(office, rows)
    else:
        _print_all(office, rows)


def _print_json(office: Office, rows: Sequence[FeatureRow]) -> None:
    from sparing.cli.money.cache_warmth import warmth
    from sparing.desk.setup.fleet_view import worker_views

    print_json(
        features=[asdict(view) for view in _open_views(office, rows)],
        finished=[_finished_json(one) for one in _ready(finished_features(office, rows))],
        pull_requests=_pulls_json(office, rows),
        workers=[asdict(one) for one in worker_views(office, now())],
        waiting=[found.dump(row.feature.id) for row in rows if (found := warmth(office, row))],
    )


def _print_all(office: Office, rows: Sequence[FeatureRow]) -> None:
    views, over = _open_views(office, rows), finished_features(office, rows)
    _print_versions(office)
    _print_open(office, rows, views, headed=bool(_ready(over)))
    _print_ready(office, _ready(over))
    _print_workers(office)
    if not views:
        _print_idle(any_over=bool(rows), also=bool(_ready(over)))
    if not rows:
        print_moved(office)
    _print_left([one for one in over if one.home is MergeStatus.MERGED and one.worktree])


def _print_open(
    office: Office, rows: Sequence[FeatureRow], views: Sequence[FeatureView], *, headed: bool
) -> None:
    """`headed`: whether other groups with headings follow."""
    runs = engine_runs(office)
    waiting = [view for view in views if waits(view)]
    planned = [view for view in views if view.status == "planned"]
    busy = [view for view in views if view not in (*waiting, *planned)]
    groups = (("waits for you", waiting), ("under way", busy), ("not started", planned))
    headed = headed or bool(waiting) or sum(bool(group) for _, group in groups) > 1
    for heading, group in groups:
        if group and headed:
            echo(style(heading, bold=True))
        for view in group:
            row = next(one for one in rows if one.feature.id == view.id)
            _print(office, row, view, runs=runs)


def _ready(over: Sequence[FinishedFeature]) -> list[FinishedFeature]:
    """What is finished and not merged."""
    return [one for one in over if one.home in (MergeStatus.READY, MergeStatus.REQUESTED)]


def _print_versions(office: Office) -> None:
    for other in other_versions(office):
        echo(f"note: {other.words}\nfix: {other.repair}", err=True)


def _open_views(office: Office, rows: Sequence[FeatureRow]) -> list[FeatureView]:
    under_way = [row for row in rows if row.status.value not in DONE]
    if not under_way:
        return []
    from sparing.desk.features.view import feature_view

    return [feature_view(office, row, now()) for row in under_way]


def _print_ready(office: Office, ready: Sequence[FinishedFeature]) -> None:
    if ready:
        echo(style("finished, not merged yet", bold=True))
    for one in ready:
        feature = one.row.feature
        echo(f"{style(feature.id, bold=True)}  {printable(feature.title)}")
        echo(f"     {one.words}")
        for command in one.commands:
            echo(f"     {style(command, fg='cyan')}")
        if one.home is MergeStatus.REQUESTED:
            _print_pull(office, one.row)


def _print_pull(office: Office, row: FeatureRow) -> None:
    """Print the state seen last, without asking the host."""
    from sparing.desk.upstream.fix_round import severities
    from sparing.desk.upstream.pull_requests import pull_words, seen

    known, number = seen(office, row), row.feature.id
    if not known.told.number:
        echo(f"     {style('sparing status --fetch', fg='cyan')}   ask gh how it stands")
        return
    echo(wrapped(pull_words(known.told), "     "))
    if known.findings:
        echo(f"     to fix: {severities(known.findings)}")
        echo(f"     {style(f'sparing fix {number}', fg='cyan')}   look at them and decide")


def _pulls_json(office: Office, rows: Sequence[FeatureRow]) -> list[dict[str, object]]:
    from sparing.cli.run.pull_requests import look_data
    from sparing.desk.upstream.pull_requests import requested, seen

    return [look_data(seen(office, row)) for row in requested(office, rows)]


def _print_workers(office: Office) -> None:
    """The workers that run features, on a shared database."""
    if office.folder.server is None:
        return
    from sparing.desk.setup.fleet_view import worker_views

    found = worker_views(office, now())
    if found:
        echo(style("workers", bold=True))
    for one in found:
        busy = f"{one.features} of {one.slots} at work"
        what = f"{', '.join(one.backends)}, {busy}{', draining' if one.draining else ''}"
        echo(f"  {printable(one.id)}  {printable(one.person)}, {what}, version {one.version}")


def _print_idle(*, any_over: bool, also: bool) -> None:
    echo("\nNothing else is running.\n" if also else "Nothing is running here.\n")
    echo('  start a feature   sparing start "Add rate limiting"')
    if any_over:
        echo("  all features      sparing list")
    else:
        echo("  see how it works  sparing demo")


def print_moved(office: Office) -> None:
    """Features are stored by their repository's folder: a repository that was moved has none."""
    from shlex import quote

    from sparing.desk.features.repositories import moved_here

    here = quote(str(office.repository.checkout))
    for place in moved_here(office):
        echo("\nSome features of this repository belong to a folder that no longer exists:")
        echo(f"  {place}")
        command = style(f"mv {here} {quote(place)}", fg="cyan")
        echo(f"  if it was moved, put it back   {command}")


def _print_left(left: Sequence[FinishedFeature]) -> None:
    if left:
        ids = ", ".join(one.row.feature.id for one in left)
        what = "merged; its worktree" if len(left) == 1 else "merged; their worktrees"
        echo(f"\n{ids}: {what} can be removed    {style('sparing clean', fg='cyan')}")


def _finished_json(one: FinishedFeature) -> dict[str, object]:
    feature = one.row.feature
    return {
        "id": feature.id, "branch": feature.branch, "home": one.home.value, "words": one.words,
        "commands": list(one.commands),
    }  # fmt: skip


def waits(view: FeatureView) -> bool:
    """Whether nothing continues until a person answers."""
    return bool(view.waits_for) and not view.running and not view.answered


def _print(office: Office, row: FeatureRow, view: FeatureView, *, runs: bool) -> None:
    # Where nothing is under way neither is needed.
    from sparing.cli.money.cache_warmth import warm_words
    from sparing.cli.run.progress import STRONG
    from sparing.flow.flows import FLOWS

    echo(f"{style(view.id, bold=True)}  {printable(view.title)}")
    names = [stage.name for stage in FLOWS[view.flow].stages]
    where = f"stage {names.index(view.stage) + 1} of {len(names)}"
    echo(wrapped(f"{state_words(view, runs=runs).rstrip('.')} ({where})", "     "))
    if warm := warm_words(office, row):
        echo(wrapped(warm, "     "))
    if view.sandbox and view.sandbox not in STRONG:
        echo(style(f"     agents are not sandboxed: {view.sandbox}", fg="yellow"))
    print_commands(_commands(view, runs=runs), " " * 5)


def print_commands(shown: Sequence[GateAction], indent: str) -> None:
    """What is said of them is aligned, if there is room for that."""
    told = [one for one in shown if one.words]
    width = max((len(one.command) for one in told), default=0)
    longest = max((len(one.words) for one in told), default=0)
    if len(indent) + width + len(GAP) + longest > terminal_columns():
        width = 0
    for one in shown:
        command = style(one.command.ljust(width if one.words else 0), fg="cyan")
        echo(f"{indent}{command}{GAP if one.words else ''}{one.words}")


def _commands(view: FeatureView, *, runs: bool) -> Sequence[GateAction]:
    """What to type, the likeliest first."""
    from sparing.desk.gates.actions import GateAction
    from sparing.flow.state import Cause

    if view.running:
        look = GateAction(f"sparing watch {view.id}", "follow it")
        return (look,) if runs else (GateAction(view.next_command, "continue"),)
    if not view.choices:
        return (GateAction(view.next_command),)
    run = f"sparing run {view.id}"
    offered = any(one.command == run for one in view.choices)
    if view.cause in (Cause.BUDGET, Cause.PAUSED) or runs or offered:
        return view.choices
    return (GateAction(run, "look at it and decide"), *view.choices)


GIVEN = {
    "approve": "approved", "reject": "rejected", "continue": "resumed",
    "fix": "to be fixed", "rerun": "to be redone", "skip": "skipped",
    "back": "left for an earlier stage",
}  # fmt: skip


def state_words(view: FeatureView, *, runs: bool = False) -> str:
    """A feature's state, in a few words."""
    if view.status in DONE:
        return "finished" if view.status == "completed" else view.status
    if view.status == "planned":
        return "not started"
    if view.answered:
        given = GIVEN.get(view.answered, view.answered)
        return f"{view.stage} is {given}; that takes effect when it runs"
    if view.waits_for and not view.running:
        if view.cause == "paused":
            return f"{view.stage} is {view.waits_for}"
        if view.position == "gate":
            return f"{view.stage} waits for {view.waits_for.replace(f' of {view.stage}', '', 1)}"
        stuck = "waits" if view.questions and view.cause == "questions" else "is stuck"
        return f"{view.stage} {stuck}: {view.waits_for}"
    return (
        f"{view.stage} is under way"
        if runs or not view.running
        else f"{view.stage} was interrupted"
    )
