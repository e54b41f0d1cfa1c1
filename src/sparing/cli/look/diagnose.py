"""`sparing diagnose`: a file for a bug report that its sender can read before sending it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style
from sparing.desk.features.bundle import files
from sparing.desk.office import open_office
from sparing.errors import UsageError

NAME = "sparing-diagnose.zip"
NEVER = "titles, prompts, replies, documents, code, file names, paths, commands, keys"


@click.command("diagnose")
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    default=NAME,
    show_default=True,
    help="The file to write.",
)
@json_option
def diagnose_command(to: Path, as_json: bool) -> None:
    """Collect what a bug report needs, with nothing private in it.

    It contains versions, settings that are numbers or choices, states of features, kinds of events,
    sizes and costs of turns. Nothing is sent anywhere: it is a file that you can read first.
    """
    office = open_office(Path.cwd(), reading=True)
    content = files(office)
    try:
        with zipfile.ZipFile(to, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, text in content.items():
                archive.writestr(zipfile.ZipInfo(name), text)
    except FileExistsError:
        raise UsageError(f"{to} already exists", "name another file: --to FILE") from None
    except OSError as error:
        raise UsageError(f"{to} can't be written: {error.strerror}", "--to FILE") from error
    if as_json:
        print_json(file=str(to), files={name: len(text) for name, text in content.items()})
        return
    echo(f"{to} has {', '.join(content)}")
    echo(f"not in it: {NEVER}")
    echo(f"  {style(f'unzip -p {to} | less', fg='cyan')}")
    echo("a run that others can replay, with its texts: sparing record FEATURE")
