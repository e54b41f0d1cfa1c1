"""`sparing database`: copy the records from a state folder to a server, or back."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style
from sparing.config.terminal import homely
from sparing.desk.setup.records_transfer import copy_to_folder, copy_to_server
from sparing.errors import UsageError


@click.group("database")
def database_command() -> None:
    """Copy the records to a shared Postgres database, or back."""


@database_command.command("copy")
@click.option("--to", "target", metavar="ADDRESS", help="From the state folder to this server.")
@click.option("--from", "source", metavar="ADDRESS", help="From this server to the state folder.")
@json_option
def copy_command(target: str | None, source: str | None, as_json: bool) -> int:
    """Copy all records and stored texts of this repository, all or nothing.

    ADDRESS is written as in `state.database`: postgresql://user@host/name. The source stays
    as it is. Running features continue from their last decision.
    """
    if bool(target) == bool(source):
        raise UsageError(
            "name either --to or --from",
            "sparing database copy --to postgresql://user@host/name",
        )

    def tell(text: str) -> None:
        if not as_json:
            echo(style(f"  {text}", dim=True), err=True)

    here = Path.cwd()
    made = (
        copy_to_server(here, target, tell) if target else copy_to_folder(here, source or "", tell)
    )
    if as_json:
        kept = [str(path) for path in made.kept]
        print_json(where=made.where, rows=made.copied.rows, texts=made.copied.texts, kept=kept)
        return 0
    rows = sum(made.copied.rows.values())
    features = made.copied.rows["features"]
    echo(
        f"copied {features} features to {homely(made.where)}:"
        f" {rows} rows and {made.copied.texts} texts, compared and equal"
    )
    for path in made.kept:
        echo(style(f"  what was there is kept: {homely(str(path))}", dim=True))
    if target:
        setting = f"sparing config set state.database {target}"
        echo(f"  {style(setting, fg='cyan')}   work with them there")
    else:
        setting = "sparing config set state.database ''"
        echo(f"  {style(setting, fg='cyan')}   work with them here")
    return 0
