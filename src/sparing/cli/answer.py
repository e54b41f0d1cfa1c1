"""`sparing approve` and `sparing reject`: answering a gate, whether an engine runs or not."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import json_option, print_json
from sparing.desk import control
from sparing.desk.office import open_office


@click.command("approve")
@click.argument("feature")
@json_option
def approve_command(feature: str, as_json: bool) -> None:
    """Say yes at a gate.

    FEATURE is a number, a slug or a full name. It counts at once, or when the feature runs next.
    """
    office = open_office(Path.cwd(), reading=True)
    row = control.find(office, feature)
    stage = control.approve(office, row, "terminal", now())
    _told(row.feature.id, "approved", stage, as_json=as_json)


@click.command("reject")
@click.argument("feature")
@click.argument("feedback")
@json_option
def reject_command(feature: str, feedback: str, as_json: bool) -> None:
    """Say no at a gate, and what should be different.

    The stage runs again with FEEDBACK. After three rejections the feature stops.
    """
    office = open_office(Path.cwd(), reading=True)
    row = control.find(office, feature)
    stage = control.reject(office, row, feedback, "terminal", now())
    _told(row.feature.id, "rejected", stage, as_json=as_json)


def _told(feature: str, what: str, stage: str, *, as_json: bool) -> None:
    command = f"sparing run {feature}"
    if as_json:
        print_json(feature=feature, answer=what, stage=stage, next_command=command)
        return
    click.echo(f"{stage} {what}. A running engine goes on by itself; else: {command}")
