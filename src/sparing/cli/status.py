"""`sparing status` and `sparing list`: what there is, and what waits for you."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.desk.office import open_office
from sparing.desk.view import FeatureView, list_views

DONE = ("completed", "abandoned")


@click.command("status")
@json_option
def status_command(as_json: bool = False) -> None:
    """Show what is under way and what waits for you."""
    office = open_office(Path.cwd(), reading=True)
    views = [view for view in list_views(office) if view.status not in DONE]
    if as_json:
        print_json(features=[asdict(view) for view in views])
        return
    if not views:
        click.echo("Nothing is under way here.\n")
        click.echo('  begin a feature   sparing start "Add rate limiting"')
        click.echo("  see how it works  sparing demo")
        return
    waiting = [view for view in views if waits(view)]
    for heading, group in (
        ("waits for you", waiting),
        ("under way", [view for view in views if view not in waiting]),
    ):
        if group and waiting:
            click.echo(click.style(heading, bold=True))
        for view in group:
            _print(view)


def waits(view: FeatureView) -> bool:
    """Nothing goes on before a person has said something."""
    return bool(view.waits_for) and not view.running and not view.answered


@click.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List all features of this repository."""
    views = list_views(open_office(Path.cwd(), reading=True))
    if as_json:
        print_json(features=[asdict(view) for view in views])
        return
    if not views:
        click.echo('No features yet. Begin one: sparing start "Add rate limiting"')
        return
    rows = [(v.id, v.flow, state_words(v), v.title) for v in views]
    _columns(("id", "flow", "state", "title"), rows)


def _print(view: FeatureView) -> None:
    click.echo(f"{click.style(view.id, bold=True)}  {view.title}")
    click.echo(f"     {state_words(view)}, {view.stages_done} of {view.stages} stages done")
    if view.sandbox:
        click.echo(click.style(f"     agents are confined: {view.sandbox}", dim=True))
    for command, words in _commands(view):
        click.echo(f"     {click.style(command, fg='cyan')}{words}")


def _commands(view: FeatureView) -> list[tuple[str, str]]:
    """What to type, the likeliest first."""
    if view.running:
        return [(view.next_command, ""), (f"sparing watch {view.id}", "")]
    if view.position != "gate" or view.answered:
        return [(view.next_command, "")]
    return [
        (f"sparing run {view.id}", "       to look at it and decide"),
        (view.next_command, ""),
        (f'sparing reject {view.id} "what should be different"', ""),
    ]


def state_words(view: FeatureView) -> str:
    """Where a feature stands, in a few words."""
    if view.status in DONE:
        return view.status
    if view.status == "planned":
        return "not begun"
    if view.answered:
        return f"{view.stage}: {view.answered} given, goes on when run"
    if view.waits_for and not view.running:
        if view.cause == "paused":
            return f"{view.stage}: {view.waits_for}"
        word = "waits for" if view.position == "gate" else "stuck:"
        return f"{view.stage}: {word} {view.waits_for}"
    return f"{view.stage}: under way"


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head) - 1)]
    for number, row in enumerate((head, *rows)):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        line = "  ".join((*cells, row[-1]))
        click.echo(click.style(line, bold=True) if number == 0 else line)
