"""`sparing config show`: settings in force, each with its origin."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style
from sparing.config.describe import as_rows
from sparing.config.faults import shown
from sparing.config.load import current
from sparing.errors import RepositoryError
from sparing.workspace.git.repository import locate_repository

HIDDEN = ("engine.crash_at",)
"""For tests of the engine itself: shown where somebody has set it."""


@click.group("config")
def config_command() -> None:
    """Show the settings in force and where each comes from."""


@config_command.command("show")
@json_option
def show(as_json: bool) -> None:
    """List every setting, its value and the layer it comes from."""
    try:
        repository = locate_repository(Path.cwd()).checkout
    except RepositoryError:
        repository = None
    rows = [row for row in as_rows(current(repository)) if row.key not in HIDDEN or row.value]
    if as_json:
        print_json(settings={row.key: {"value": row.value, "origin": row.origin} for row in rows})
        return
    width = max(len(row.key) for row in rows)
    for row in rows:
        origin = style(f"  {row.origin}", dim=True)
        echo(f"{row.key.ljust(width)}  {shown(row.value)}{origin}")
