"""`sparing stop`: end a brainstorm that is not promoted; its document stays."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.orders import all_option, pause_every
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, style
from sparing.desk.gates import answers, ideas
from sparing.desk.office import open_office
from sparing.errors import UsageError


@click.command("stop")
@feature_argument(required=False)
@all_option
@json_option
def stop_command(feature: str | None, every: bool, as_json: bool) -> None:
    """End a brainstorm at its gate and keep its document.

    To continue with it instead: sparing approve. The document stays on the feature's branch, and
    `sparing start --from-file` can pick it up later. With --all nothing ends: every running feature
    is paused, as by `sparing pause --all`.
    """
    if every and feature is None:
        pause_every(as_json=as_json)
        return
    if feature is None or every:
        raise UsageError("stop needs a feature, or --all", "sparing stop --all")
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    stopped = ideas.stop(office, row, office.sender, now())
    if as_json:
        print_json(
            feature=row.feature.id, document=stopped.path, branch=stopped.branch,
            next_command=stopped.command,
        )  # fmt: skip
        return
    echo(f"{row.feature.id} ends here; {stopped.path} stays on {stopped.branch}")
    echo(f"  {style(stopped.command, fg='cyan')}")
