"""`sparing approve` and `sparing reject`: answering a gate, whether an engine runs or not."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import TERMINAL, feature_argument, is_terminal, json_option, print_json
from sparing.desk import control
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.records.features import FeatureRow


@click.command("approve")
@feature_argument()
@json_option
def approve_command(feature: str, as_json: bool) -> None:
    """Say yes at a gate.

    FEATURE is a number, a slug or a full name. It counts at once, or when the feature runs next.
    """
    office = open_office(Path.cwd(), reading=True)
    row = control.find(office, feature)
    stage = control.approve(office, row, TERMINAL, now())
    _told(row.feature.id, "approved", stage, as_json=as_json)


@click.command("reject")
@feature_argument()
@click.argument("feedback", required=False)
@json_option
def reject_command(feature: str, feedback: str | None, as_json: bool) -> None:
    """Say no at a gate, and what should be different.

    The stage runs again with FEEDBACK. Without it your editor opens with the document: lines that
    you add become comments, which the author answers one by one. After three rejections the
    feature stops.
    """
    asked = feedback is None and is_terminal() and not as_json
    if feedback is None and not asked:
        raise UsageError("missing argument 'FEEDBACK'", f'sparing reject {feature} "say it here"')
    office = open_office(Path.cwd(), reading=not asked)
    row = control.find(office, feature)
    stage = control.reject(office, row, feedback or _said(office, row), TERMINAL, now())
    _told(row.feature.id, "rejected", stage, as_json=as_json)


def _said(office: Office, row: FeatureRow) -> str:
    from sparing.cli.gate import said_in_editor

    return said_in_editor(office, row, lambda: click.prompt("what should be different", err=True))


def _told(feature: str, what: str, stage: str, *, as_json: bool) -> None:
    command = f"sparing run {feature}"
    if as_json:
        print_json(feature=feature, answer=what, stage=stage, next_command=command)
        return
    click.echo(f"{stage} {what}. A running engine goes on by itself; else: {command}")
