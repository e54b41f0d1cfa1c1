"""`sparing run`: the engine, with its progress on the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.drive import Mode, run_features
from sparing.cli.options import is_terminal, json_option
from sparing.desk import control
from sparing.desk.office import open_office
from sparing.desk.view import open_rows
from sparing.errors import FeatureError

__all__ = ["Mode", "run_command", "run_features"]


@click.command("run")
@click.argument("feature", required=False)
@click.option(
    "--yes", is_flag=True, help="Approve gates whose reviews passed; stop where one did not."
)
@click.option("--no-input", is_flag=True, help="Ask nothing: stop at gates.")
@json_option
def run_command(feature: str | None, yes: bool, no_input: bool, as_json: bool) -> int:
    """Work on features until they are done or wait for you.

    FEATURE is a number, a slug or a full name; without one, all that can go on do.
    """
    office = open_office(Path.cwd())
    rows = [control.find(office, feature)] if feature else open_rows(office)
    if not rows:
        raise FeatureError("there is nothing to run here", 'sparing start "Add rate limiting"')
    mode = Mode.YES if yes else Mode.STOP if no_input or as_json or not is_terminal() else Mode.ASK
    return run_features(office, rows, mode, as_json=as_json)
