"""`cli/outline.json`: the commands as a shell's completion needs them, read from click."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sparing.cli.completers import Completer
from sparing.cli.main import app
from sparing.cli.outline import CommandOutline, ParameterOutline


def outline_page(_root: Path) -> str:
    """One line a command, so that a change is a change of one line."""
    top = click.Context(app, info_name="sparing")
    lines: list[str] = []
    for name in app.list_commands(top):
        command = app.get_command(top, name)
        assert command is not None
        lines.append(f"{json.dumps(name)}: {json.dumps(_outline(command), ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _outline(command: click.Command) -> CommandOutline:
    outline = CommandOutline(parameters=[_parameter(one) for one in command.params])
    if isinstance(command, click.Group):
        outline["commands"] = {name: _inner(one) for name, one in command.commands.items()}
    return outline


def _inner(command: click.Command) -> CommandOutline:
    return {**_outline(command), "help": command.get_short_help_str(200)}


def _parameter(parameter: click.Parameter) -> ParameterOutline:
    if isinstance(parameter, click.Option):
        outline = _option(parameter)
    else:
        outline = ParameterOutline(names=[str(parameter.name)])
        if parameter.nargs == -1:
            outline["rest"] = True
    if isinstance(parameter.type, click.Choice):
        outline["choices"] = [str(one) for one in parameter.type.choices]
    if isinstance(parameter.type, click.Path):
        outline["file"] = True
    # click has no public name for it; its documentation offers only to call it.
    completer = parameter._custom_shell_complete  # pyright: ignore[reportPrivateUsage]
    if isinstance(completer, Completer):
        outline["complete"] = [completer.kind.value, *completer.words]
    return outline


def _option(option: click.Option) -> ParameterOutline:
    outline = ParameterOutline(names=[*option.opts, str(option.name)])
    if option.help:
        outline["help"] = option.help
    if option.is_flag:
        outline["flag"] = True
    if option.multiple:
        outline["multiple"] = True
    return outline
