"""`sparing project`: a project split into features, its progress, and the next one to start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sparing.cli.clock import now
from sparing.cli.options import (
    hand_over_option,
    json_option,
    print_json,
    sandbox_flag,
    unsandboxed_option,
)
from sparing.cli.screen import echo, style
from sparing.config.settings import AUTO
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.projects import projects
from sparing.desk.projects.projects import ProjectView
from sparing.desk.setup.tiers import proposal
from sparing.errors import NeedsHuman, UsageError
from sparing.flow.project import ProjectStanding
from sparing.printable import printable

MARKS = {
    ProjectStanding.DONE.value: ("✓", "green"),
    ProjectStanding.WORKING.value: ("·", "cyan"),
    ProjectStanding.READY.value: ("→", "yellow"),
}


@click.group("project", invoke_without_command=True)
@click.pass_context
def project_command(context: click.Context) -> None:
    """Split a project into features, track them, start the next one."""
    if context.invoked_subcommand is None:
        context.invoke(show_command, project="", as_json=False)


@project_command.command("new")
@click.argument("title", required=False, default="")
@click.option(
    "--from-file",
    type=click.Path(path_type=Path),
    help="The project's PRD; without one it is written first.",
)
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@hand_over_option
@unsandboxed_option
@json_option
def new_command(
    title: str, from_file: Path | None, hand_over: str | None, unsandboxed: bool, **how: bool
) -> int:
    """Start a project: its PRD, then a proposal of its features.

    TITLE says what should be there in the end. Nothing of it is begun before you have agreed to
    the proposal. Its files come on a branch of their own, as a feature's do.
    """
    office = open_office(Path.cwd(), sandbox_flag(unsandboxed))
    if from_file is None and not title.strip():
        raise UsageError("a project needs a title or a PRD", 'sparing project new "Payments"')
    begins = (
        projects.from_prd(office, from_file, title) if from_file else projects.from_words(title)
    )
    overrides = {"workspace.hand_over": hand_over} if hand_over else {}
    row = projects.new(office, begins, overrides, now())
    from sparing.cli.start.start import offer_run

    return offer_run(office, row, "a project", yes=how["yes"], as_json=how["as_json"])


@project_command.command("show")
@click.argument("project", required=False, default="")
@json_option
def show_command(project: str, as_json: bool) -> int:
    """Show milestones, features, and what each waits for.

    PROJECT is P001, its number or its slug; without one, all of them.
    """
    office = open_office(Path.cwd())
    found = [projects.find(office, project)] if project else projects.views(office)
    if as_json:
        print_json(projects=[projects.as_json(one) for one in found])
        return 0
    if not found:
        echo("there is no project here")
        echo(style('  sparing project new "what it should achieve"', fg="cyan"))
    for one in found:
        _show(one)
    return 0


@project_command.command("next")
@click.argument("project", required=False, default="")
@click.option("--flow", "--tier", help="L1, L2, L3, feature or auto. Default: flow.default (auto).")
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@hand_over_option
@unsandboxed_option
@json_option
def next_command(
    project: str, flow: str | None, hand_over: str | None, unsandboxed: bool, **how: Any
) -> int:
    """Start the next feature whose dependencies are done.

    It gets the number and the folder that the roadmap gives it.
    """
    office = open_office(Path.cwd(), sandbox_flag(unsandboxed))
    view = projects.find(office, project)
    if view.in_base and view.ready is None and not view.circle:
        return _nothing(view, as_json=how["as_json"])
    overrides = {"workspace.hand_over": hand_over} if hand_over else {}
    row = projects.start_next(office, view, _flow(office, view, flow), overrides, now())
    from sparing.cli.start.start import offer_run

    why = f"next of {view.id}"
    return offer_run(office, row, why, yes=how["yes"], as_json=how["as_json"])


def _flow(office: Office, view: ProjectView, flow: str | None) -> str:
    """The flow named or configured; if that is `auto`, one that fits the next feature's text."""
    named = flow or office.loaded.settings.flow.default.value
    if named != AUTO:
        return answers.check_flow(named)
    words = (view.ready.name, view.ready.about) if view.ready else ()
    return proposal(office, "\n".join(words)).tier


def _nothing(view: ProjectView, *, as_json: bool) -> int:
    """Report that everything is done, or that all remaining features wait."""
    over = bool(view.features) and view.done == len(view.features)
    if as_json:
        print_json(project=projects.as_json(view), next_feature=None)
    elif over:
        echo(f"{view.id} is done: all {view.done} features are in {view.base}")
    elif not view.features:
        echo(f"{view.id} has no feature in its roadmap", err=True)
    else:
        echo(f"no feature of {view.id} can start now", err=True)
        for one in view.features:
            if one.standing != ProjectStanding.DONE:
                waits = f", waits for {', '.join(one.waits_for)}" if one.waits_for else ""
                echo(f"  {one.name}: {one.standing}{waits}", err=True)
        echo(f"  {style('sparing run', fg='cyan')}", err=True)
    return 0 if over else NeedsHuman.exit_code


def _show(one: ProjectView) -> None:
    count = f"{one.done} of {len(one.features)} features done"
    outside = "" if one.in_base else f", not in {one.base} yet"
    echo(f"{style(one.name, bold=True)}: {count}{outside}")
    for goal in one.goals:
        echo(style(f"  goal: {printable(goal)}", dim=True))
    _show_milestones(one)
    if one.circle:
        ring = " → ".join(one.circle)
        echo(f"  {style('!', fg='red')} these features wait for each other: {ring}")
    for fault in one.faults:
        echo(f"  {style('!', fg='yellow')} {printable(fault)}")
    if one.next_command:
        echo(f"  {style(one.next_command, fg='cyan')}")


def _show_milestones(one: ProjectView) -> None:
    """Features that are in no milestone come last."""
    lines = {line.name: line for line in one.features}
    listed = {name for milestone in one.milestones for name in milestone.features}
    for milestone in one.milestones:
        shows = f": {printable(milestone.shows)}" if milestone.shows else ""
        done = f"{milestone.done} of {len(milestone.features)}"
        echo(f"  {style(printable(milestone.name), bold=True)} ({done}){shows}")
        for name in milestone.features:
            _show_feature(lines[name])
    for line in one.features:
        if line.name not in listed:
            _show_feature(line)


def _show_feature(line: projects.FeatureLine) -> None:
    mark, colour = MARKS.get(line.standing, ("-", None))
    waits = f", for {', '.join(line.waits_for)}" if line.standing == ProjectStanding.WAITING else ""
    words = printable(line.about)
    echo(f"    {style(mark, fg=colour)} {line.name} ({line.standing}{waits})")
    if words:
        echo(style(f"      {words}", dim=True))
