"""`sparing report`: what the review loops took, beside what was billed."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.desk import control
from sparing.desk.office import open_office


@click.command("report")
@click.argument("feature", required=False)
@json_option
def report_command(feature: str | None, as_json: bool) -> None:
    """Report on a feature's review loops and what they cost.

    How prompts went and how long they were, the original's requirements and expectations beside
    what was billed, findings, and what each reviewer brought. Without FEATURE: on all of them,
    with advice from the third on. Every figure says if it was measured, simulated or estimated.
    """
    from sparing.desk.figures import feature_report, project_report
    from sparing.report.figures import report_json, report_page

    office = open_office(Path.cwd(), reading=True)
    row = control.find(office, feature) if feature else None
    found = project_report(office) if row is None else feature_report(office, row)
    if as_json:
        print_json(**report_json(found))
        return
    if not found.spending.rows:
        click.echo("Nothing was sent yet: there is nothing to report on.")
        return
    from rich.console import Console

    Console(highlight=False).print(report_page(found))
