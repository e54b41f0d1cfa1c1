"""Commands as a shell's completion needs them: names, options and values, without their code.

Loading the modules of a command takes seconds of processor time, and a person who presses Tab
does not wait that long. `outline.json` is generated from the commands (`make docs`), and lint fails
if it is stale.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NotRequired, TypedDict

import click

from sparing.cli.completers import Completer, Kind

FILE = "outline.json"


class ParameterOutline(TypedDict):
    """An option if its first name has a dash, an argument otherwise."""

    names: list[str]
    help: NotRequired[str]
    flag: NotRequired[bool]
    multiple: NotRequired[bool]
    rest: NotRequired[bool]
    choices: NotRequired[list[str]]
    file: NotRequired[bool]
    complete: NotRequired[list[str]]


class CommandOutline(TypedDict):
    parameters: list[ParameterOutline]
    commands: NotRequired[dict[str, CommandOutline]]
    help: NotRequired[str]


def outlined(name: str) -> click.Command | None:
    """A command that can be completed but not run; None if the table lacks it."""
    table: dict[str, CommandOutline] = json.loads((files("sparing.cli") / FILE).read_text("utf-8"))
    return _command(name, table[name]) if name in table else None


def _command(name: str, outline: CommandOutline) -> click.Command:
    parameters = [_parameter(one) for one in outline["parameters"]]
    text = outline.get("help")
    if "commands" not in outline:
        return click.Command(name, params=parameters, help=text)
    inner = {key: _command(key, one) for key, one in outline["commands"].items()}
    return click.Group(name, inner, params=parameters, help=text)


def _parameter(outline: ParameterOutline) -> click.Parameter:
    names = outline["names"]
    kind = _type(outline)
    complete = _completer(outline.get("complete"))
    if not names[0].startswith("-"):
        length = -1 if outline.get("rest") else 1
        return click.Argument(
            names, type=kind, nargs=length, required=False, shell_complete=complete
        )
    return click.Option(
        names,
        type=kind,
        is_flag=outline.get("flag", False),
        multiple=outline.get("multiple", False),
        help=outline.get("help"),
        shell_complete=complete,
    )


def _type(outline: ParameterOutline) -> click.Choice[str] | click.Path | None:
    if "choices" in outline:
        return click.Choice(outline["choices"])
    return click.Path() if outline.get("file") else None


def _completer(described: list[str] | None) -> Completer | None:
    return Completer(Kind(described[0]), tuple(described[1:])) if described else None
