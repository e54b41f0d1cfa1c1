"""`sparing start`: a new feature from one sentence."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import is_terminal, json_option, print_json
from sparing.desk import control
from sparing.desk.office import open_office
from sparing.desk.outlook import outlook, outlook_json, outlook_words
from sparing.workspace.repository import is_dirty


@click.command("start")
@click.argument("title")
@click.option("--flow", "--tier", help="feature, L1, L2 or L3. Default: the setting flow.default.")
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@json_option
def start_command(title: str, flow: str | None, yes: bool, as_json: bool) -> int:
    """Begin a feature from one sentence.

    TITLE says what should be there afterwards. It gets the next number, a branch and a folder.
    """
    office = open_office(Path.cwd())
    chosen = control.check_flow(flow or office.loaded.settings.flow.default.value)
    row = control.start(office, title, chosen, {}, now())
    feature = row.feature
    if is_dirty(office.repository):
        click.echo("note: uncommitted changes are left alone; they are no part of it", err=True)
        click.echo("to include them: git commit, then sparing start again", err=True)
    if not as_json:
        click.echo(f"feature {feature.id}: {feature.title}")
        click.echo(f"  flow    {feature.flow}")
        click.echo(f"  branch  {feature.branch}, from {feature.base_branch}")
        click.echo(f"  cost    {outlook_words(outlook(office, row))}")
    if yes or (is_terminal() and not as_json and click.confirm("run now?", default=True, err=True)):
        from sparing.cli.run import Mode, run_features

        mode = Mode.YES if yes else Mode.ASK
        return run_features(office, [row], mode, as_json=as_json)
    if as_json:
        print_json(
            feature=feature.id, branch=feature.branch, forecast=outlook_json(outlook(office, row)),
            next_command=f"sparing run {feature.id}",
        )  # fmt: skip
    else:
        click.echo(f"  next    sparing run {feature.id}")
    return 0
