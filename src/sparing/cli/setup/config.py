"""`sparing config`: list the settings in force with their origin; print or change one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sparing.cli.completers import Completer, Kind
from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style
from sparing.config.describe import SettingRow, as_rows, default_rows, setting_row
from sparing.config.edit import find_setting, write_setting
from sparing.config.faults import shown
from sparing.config.load import current
from sparing.config.terminal import homely
from sparing.errors import ConfigError, RepositoryError
from sparing.workspace.git.repository import locate_repository

HIDDEN = ("engine.crash_at",)
"""For tests of the engine itself: shown only if set."""


@click.group("config")
def config_command() -> None:
    """Show and change settings, and see where each comes from."""


@config_command.command("get")
@click.argument("key", shell_complete=Completer(Kind.SETTINGS))
@json_option
def get_command(key: str, as_json: bool) -> None:
    """Print one setting, such as review.cap."""
    find_setting(key)
    row = setting_row(current(_repository()), key)
    if as_json:
        print_json(key=key, value=row.value, origin=row.origin, doc=row.doc)
        return
    echo(shown(row.value))
    echo(style(f"{homely(row.origin)}: {row.doc}", dim=True), err=True)


@config_command.command("set")
@click.argument("key", shell_complete=Completer(Kind.SETTINGS))
@click.argument("value", shell_complete=Completer(Kind.SETTING_VALUES))
@click.option(
    "--project", is_flag=True, help="Write to this repository's sparing.toml, for everybody."
)
@json_option
def set_command(key: str, value: str, project: bool, as_json: bool) -> None:
    """Change one setting, in your own file unless --project is given.

    Lists are separated by commas: sparing config set economy.levers all,no-map
    """
    done = write_setting(key, value, _repository(), project=project)
    if as_json:
        print_json(key=key, value=done.value, file=str(done.path), hidden_by=done.hidden_by)
        return
    echo(f"{key} = {shown(done.value)} in {homely(str(done.path))}")
    if done.hidden_by:
        echo(f"note: {done.hidden_by} sets a different value here and takes precedence", err=True)


@config_command.command("show")
@json_option
def show_command(as_json: bool) -> None:
    """List every setting, its value and the layer it comes from."""
    try:
        rows = as_rows(current(_repository()))
    except ConfigError:
        # Whoever is sent here by a wrong setting finds the right one, and the fault once more.
        if not as_json:
            _list(default_rows())
        raise
    if as_json:
        found = [row for row in rows if row.key not in HIDDEN or row.value]
        print_json(settings={row.key: {"value": row.value, "origin": row.origin} for row in found})
    else:
        _list(rows)


def _list(rows: Sequence[SettingRow]) -> None:
    rows = [row for row in rows if row.key not in HIDDEN or row.value]
    width = max(len(row.key) for row in rows)
    for row in rows:
        origin = style(f"  {homely(row.origin)}", dim=True)
        echo(f"{row.key.ljust(width)}  {shown(row.value)}{origin}")


def _repository() -> Path | None:
    try:
        return locate_repository(Path.cwd()).checkout
    except RepositoryError:
        return None
