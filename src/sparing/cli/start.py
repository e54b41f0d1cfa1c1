"""`sparing start`: a new feature from one sentence."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.ahead import LABEL, show_plan
from sparing.cli.clock import now
from sparing.cli.init import agree_to_setup, offer_file
from sparing.cli.options import (
    hand_over_option,
    is_terminal,
    json_option,
    print_json,
    unsandboxed_option,
    walls_flag,
)
from sparing.desk import control
from sparing.desk.office import Office, open_office
from sparing.desk.outlook import outlook, outlook_json
from sparing.desk.prospect import Prospect, has_changes, offer_once, prospect
from sparing.records.features import FeatureRow


@click.command("start")
@click.argument("title")
@click.option("--flow", "--tier", help="feature, L1, L2 or L3. Default: the setting flow.default.")
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@hand_over_option
@unsandboxed_option
@json_option
def start_command(
    title: str, flow: str | None, yes: bool, hand_over: str | None, unsandboxed: bool, as_json: bool
) -> int:
    """Begin a feature from one sentence.

    TITLE says what should be there afterwards. It gets the next number, a branch and a folder.
    """
    office = open_office(Path.cwd(), walls_flag(unsandboxed))
    chosen = control.check_flow(flow or office.loaded.settings.flow.default.value)
    overrides = {"workspace.hand_over": hand_over} if hand_over else {}
    row = control.start(office, title, chosen, overrides, now())
    found = prospect(office)
    if has_changes(office):
        click.echo("note: uncommitted changes are left alone; they are no part of it", err=True)
        click.echo("to include them: git commit, then sparing start again", err=True)
    ready = as_json or _show(office, row, found, _why(office, flow))
    asks = is_terminal() and not as_json and not yes and ready
    if asks:
        _offer(office, found)
    if yes or (asks and click.confirm("run now?", default=True, err=True)):
        from sparing.cli.run import Mode, run_features

        mode = Mode.YES if yes else Mode.ASK
        return run_features(office, [row], mode, as_json=as_json)
    _later(office, row, as_json=as_json)
    return 0


def _show(office: Office, row: FeatureRow, found: Prospect, why: str) -> bool:
    click.echo(f"{click.style(f'feature {row.feature.id}', bold=True)}: {row.feature.title}")
    return show_plan(office, row, found, why)


def _why(office: Office, flow: str | None) -> str:
    if flow:
        return "as you said"
    origin = office.loaded.origins["flow.default"]
    return "by default; smaller: --tier L1, L2, L3" if origin == "default" else f"from {origin}"


def _offer(office: Office, found: Prospect) -> None:
    """What is asked once in a repository."""
    agreed = agree_to_setup(office, found, yes=False)
    worth = (agreed and found.setup.commands) or found.private
    if worth and not found.configured and offer_once(office):
        offer_file(office, found, yes=False)


def _later(office: Office, row: FeatureRow, *, as_json: bool) -> None:
    feature = row.feature
    command = f"sparing run {feature.id}"
    if as_json:
        ahead = outlook_json(outlook(office, row))
        print_json(feature=feature.id, branch=feature.branch, forecast=ahead, next_command=command)
    else:
        click.echo(f"  {'next':<{LABEL}} {click.style(command, fg='cyan')}")
