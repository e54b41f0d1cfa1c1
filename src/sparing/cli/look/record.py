"""`sparing record`: save a feature's run as one file, to be replayed or repriced."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, style
from sparing.desk.gates import answers
from sparing.desk.office import open_office


@click.command("record")
@feature_argument()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option(
    "--no-files",
    is_flag=True,
    help="Leave the repository's files out: the run can then be repriced, but not replayed.",
)
@json_option
def record_command(feature: str, file: Path | None, no_files: bool, as_json: bool) -> None:
    """Save a feature's run as one file, for a bug report or a comparison.

    It contains prompts, replies, usage, events, gates, what each step committed, and the files that
    the run started from. Known secrets are removed, and files that contain one are left out.
    Nothing is sent anywhere: `sparing replay FILE` replays it offline, `sparing what-if FILE`
    reprices it.
    """
    from sparing.cassette import write_cassette
    from sparing.desk.cassettes.record import record

    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    path = file or Path(f"{row.feature.name}.cassette")
    made = record(office, row, files=not no_files)
    size = write_cassette(made.cassette, path)
    left_out = made.cassette.tape.left_out
    if as_json:
        print_json(
            file=str(path), bytes=size, turns=made.turns, files=made.files,
            redacted=made.redacted, left_out=list(left_out),
        )  # fmt: skip
        return
    turns = "1 turn" if made.turns == 1 else f"{made.turns} turns"
    files = "1 file" if made.files == 1 else f"{made.files} files"
    echo(f"{path}: {turns}, {files}, {size / 1024:.0f} kB")
    for words in left_out:
        echo(f"left out: {words}")
    if made.redacted:
        echo(f"secrets were removed from {made.redacted} texts")
    holds = "prompts and replies" if no_files else "prompts, replies and the repository's files"
    echo(f"it holds {holds}: look at it before you share it")
    command = f"sparing what-if {path}" if no_files else f"sparing replay {path}"
    echo(f"  {style(command, fg='cyan')}")
