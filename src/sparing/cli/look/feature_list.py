"""`sparing list`: all features of a repository, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.look.status import print_moved, state_words
from sparing.cli.options import json_option, print_json
from sparing.cli.screen import LEAST_WORDS, echo, is_terminal, line_width, style, wrapped
from sparing.desk.office import open_office


@click.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List all features of this repository."""
    from sparing.desk.features.view import list_views

    views = list_views(open_office(Path.cwd(), reading=True), now())
    if as_json:
        print_json(features=[asdict(view) for view in views])
        return
    if not views:
        echo('No features yet. Start one: sparing start "Add rate limiting"')
        print_moved(open_office(Path.cwd(), reading=True))
        return
    rows = [(v.id, v.flow, state_words(v), v.title) for v in views]
    _columns(("id", "flow", "state", "title"), rows)


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head) - 1)]
    for number, row in enumerate((head, *rows)):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        before = "  ".join((*cells, ""))
        roomy = len(before) < line_width() - LEAST_WORDS
        line = wrapped(row[-1], before) if roomy and is_terminal() else before + row[-1]
        echo(style(line, bold=True) if number == 0 else line)
