"""`sparing stop`: end a brainstorm that is not promoted; its document stays."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import TERMINAL, feature_argument, json_option, print_json
from sparing.cli.screen import echo, style
from sparing.desk.gates import answers, ideas
from sparing.desk.office import open_office


@click.command("stop")
@feature_argument()
@json_option
def stop_command(feature: str, as_json: bool) -> None:
    """End a brainstorm at its gate; its document stays.

    To promote it instead: sparing approve. The document lies on the feature's branch; `sparing
    start --from-file` takes it up again whenever you like.
    """
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    stopped = ideas.stop(office, row, TERMINAL, now())
    if as_json:
        print_json(
            feature=row.feature.id, document=stopped.path, branch=stopped.branch,
            next_command=stopped.command,
        )  # fmt: skip
        return
    echo(f"{row.feature.id} ends here; {stopped.path} stays on {stopped.branch}")
    echo(f"  {style(stopped.command, fg='cyan')}")
