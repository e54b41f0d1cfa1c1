"""`sparing what-if`: a recorded run priced under another policy or on other models."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import show
from sparing.dispatch_policy import Policy


@click.command("what-if")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--policy",
    type=click.Choice([one.value for one in Policy]),
    help="How prompts are sent: the setting review.policy.",
)
@click.option(
    "--models",
    multiple=True,
    metavar="WHO=MODEL",
    help="Who uses another model: a class (strong, standard, cheap), a role or a model of the "
    "run; MODEL alone for all. Separate several with commas.",
)
@json_option
def what_if_command(file: Path, policy: str | None, models: tuple[str, ...], as_json: bool) -> None:
    """Price a recorded run under another policy or with other models.

    Nothing is sent or run: the recorded calls are repriced. The output says what is known about the
    run and what is assumed; it is an estimate, and says nothing about how good the work would have
    been.
    """
    from sparing.cassette import read_cassette
    from sparing.desk.cassettes.replay import open_records, readable
    from sparing.desk.cassettes.what_if import read_moves, what_if
    from sparing.report.what_if import what_if_page

    moves, cassette = read_moves(models), read_cassette(file)
    with tempfile.TemporaryDirectory(prefix="sparing-what-if-") as folder, readable(file):
        office, row = open_records(cassette, Path(folder))
        found = what_if(office, row, Policy(policy) if policy else None, moves)
    if as_json:
        print_json(**found.dump())
    else:
        show(*what_if_page(found))
