"""`sparing start`: a new feature from one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sparing.cli.clock import now
from sparing.cli.money.forecast import LABEL, dry_json, show_dry_run, show_plan
from sparing.cli.options import (
    agent_flags,
    agent_options,
    hand_over_option,
    json_option,
    one_of,
    print_json,
    sandbox_flag,
    unsandboxed_option,
)
from sparing.cli.run.dependency_order import print_if_waiting
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.cli.setup.init import agree_to_setup, offer_file
from sparing.cli.start.base import BASE, chosen_base
from sparing.cli.start.start_options import start_input_options
from sparing.cli.start.tier import request_text, settle_flow
from sparing.config.effort import SETTING as EFFORT
from sparing.config.flow import FlowName
from sparing.desk.features.dry_run import agent_of
from sparing.desk.gates import answers
from sparing.desk.money.efforts import effort_outlooks, efforts_json
from sparing.desk.money.forecast import outlook, outlook_json
from sparing.desk.office import Office, open_office, try_office
from sparing.desk.setup.proposed_root import given_root, proposed_root, root_line, with_root
from sparing.desk.setup.repository_scan import (
    RepositoryScan,
    check_root,
    has_changes,
    offer_once,
    prospect,
)
from sparing.errors import EngineBusy
from sparing.records.features import FeatureRow
from sparing.workspace.git.repository import head

FLOW_HELP = "L1, L2, L3, feature, or auto to propose one. Default: flow.default (auto)."


@click.command("start")
@click.argument("title", required=False, default="")
@start_input_options
@click.option("--flow", "--tier", help=FLOW_HELP, shell_complete=one_of(*FlowName))
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@click.option(
    "--dry-run", is_flag=True, help="Start nothing: show the plan and what it would cost."
)
@agent_options
@hand_over_option
@unsandboxed_option
@json_option
def start_command(
    title: str, flow: str | None, hand_over: str | None, unsandboxed: bool, **how: Any
) -> int:
    """Start a feature from one sentence.

    TITLE says what should exist afterwards. The feature gets the next number, a branch and a
    folder. With --from-file or --from-issue you may leave TITLE out.
    """
    agent = agent_flags(how["backend"], how["model"])
    root = given_root(how["root"])
    flags = {**sandbox_flag(unsandboxed), **agent, **root}
    own = {**agent, **root, **({"workspace.hand_over": hand_over} if hand_over else {})}
    if not how["dry_run"]:
        return _start(open_office(Path.cwd(), flags), title, flow, own, how)
    with try_office(Path.cwd(), flags) as office:
        return _start(office, title, flow, own, how)


def _start(
    office: Office,
    title: str,
    flow: str | None,
    overrides: Mapping[str, object],
    how: Mapping[str, Any],
) -> int:
    check_root(office)
    if not (how["yes"] or how["as_json"]) and (base := chosen_base(office)):
        office = replace(office, flags={**office.flags, **base})
        overrides = {**overrides, **base}
    chosen = settle_flow(office, title, flow, how)
    begins = chosen.begins
    if named := proposed_root(office, request_text(office, begins)):
        office = with_root(office, named.root)
        overrides = {**overrides, **given_root(named.root)}
        echo(root_line(named), err=True)
    if how["effort"]:
        overrides = {**overrides, EFFORT: how["effort"]}
    given = (office, begins.title, chosen.flow, overrides, now(), begins.beginning)
    if how["dry_run"]:
        return _dry(office, answers.planned(*given), chosen.why, as_json=how["as_json"])
    named = ""
    if not how["as_json"] and _may_lack_agent(office):
        planned = answers.planned(*given)
        named = _print_name(planned)  # first, because looking for an agent takes a while
        if agent_of(office, planned).repair:
            show_plan(office, planned, prospect(office), chosen.why, begun=False)
            if not confirm("keep it for later, until there is an agent?", default=False, err=True):
                echo("nothing was started or written")
                return 0
            row = answers.start(*given)
            chosen.tell(office, row)
            _later(office, row, as_json=False)
            return 0
    row = answers.start(*given)
    chosen.tell(office, row)
    return offer_run(office, row, chosen.why, yes=how["yes"], as_json=how["as_json"], named=named)


def _may_lack_agent(office: Office) -> bool:
    """Whether a person at a terminal may be about to start what nobody can work on.

    On a shared database a worker may have the agent that this machine lacks.
    """
    return is_terminal() and office.database.server is None


def _dry(office: Office, row: FeatureRow, why: str, *, as_json: bool) -> int:
    """Show it as if it had begun; nothing is written."""
    if as_json:
        print_json(**dry_json(office, row), flow=row.feature.flow, why=why)
        return 0
    _print_name(row)
    show_plan(office, row, prospect(office), why, begun=False)
    show_dry_run(office, row, begun=False)
    return 0


def offer_run(
    office: Office, row: FeatureRow, why: str, *, yes: bool, as_json: bool, named: str = ""
) -> int:
    """Show what lies ahead of a new feature; then run it, or leave it until a person runs it.

    `named`: the number under which its name was printed before, if it was.
    """
    found = prospect(office)
    if has_changes(office):
        echo("note: uncommitted changes are left alone and are not part of the feature", err=True)
        again = f"git commit, sparing abandon {row.feature.id} --yes, and start again"
        echo(f"to include them: {again}", err=True)
    asked = BASE in office.flags
    if not as_json and not asked and head(office.repository).branch is None:
        base = f"{found.base.branch} at {found.base.commit[:10]}"
        echo(f"note: HEAD is detached; the feature starts from {base}, not from HEAD", err=True)
        other = "sparing config set --project workspace.base_branch NAME"
        echo(f"to start from another branch: {other}", err=True)
    if not as_json and named != row.feature.id:
        _print_name(row)
    ready = as_json or show_plan(office, row, found, why)
    held = print_if_waiting(office, row, as_json=as_json)
    asks = is_terminal() and not as_json and not yes and ready and not held
    if asks:
        _offer(office, found)
    if (yes and not held) or (asks and confirm("run now?", default=True, err=True)):
        from sparing.cli.run.run import Mode, run_features, watch_other

        mode = Mode.YES if yes else Mode.ASK
        try:
            return run_features(office, [row], mode, as_json=as_json)
        except EngineBusy as busy:
            return watch_other(office, [row], mode, busy)
    _later(office, row, as_json=as_json)
    return 0


def _print_name(row: FeatureRow) -> str:
    """Print what is about to start; returns its number."""
    what = "project" if row.feature.is_project else "feature"
    echo(f"{style(f'{what} {row.feature.id}', bold=True)}: {row.feature.title}")
    return row.feature.id


def _offer(office: Office, found: RepositoryScan) -> None:
    """Questions asked once per repository."""
    agreed = agree_to_setup(office, found, yes=False)
    worth = (agreed and found.setup.commands) or found.private
    if worth and not found.configured and offer_once(office):
        offer_file(office, found, yes=False)


def _later(office: Office, row: FeatureRow, *, as_json: bool) -> None:
    feature = row.feature
    command = f"sparing run {feature.id}"
    if as_json:
        ahead = outlook_json(outlook(office, row))
        print_json(
            feature=feature.id, flow=feature.flow, branch=feature.branch, forecast=ahead,
            root=office.loaded.settings.workspace.root,
            efforts=efforts_json(effort_outlooks(office, row)), next_command=command,
        )  # fmt: skip
    else:
        echo(f"  {'next':<{LABEL}} {style(command, fg='cyan')}")
