"""`sparing cost`: what was spent, on what, and what may still come."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, show
from sparing.desk.gates import answers
from sparing.desk.money.cost import By, costs, feature_costs
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.records.features import FeatureRow
from sparing.records.totals import DOCTOR, RESUME_CHECK
from sparing.report.cost import Costs, cost_csv

ASKED_ONCE = (
    "one check per client version, that sessions can be resumed; it counts against caps but is in "
    "no feature's bill"
)


@click.command("cost")
@feature_argument(required=False)
@click.option(
    "--by",
    type=click.Choice([by.value for by in By]),
    help="How to group costs. Default: stage for one feature, feature for all.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@json_option
def cost_command(feature: str | None, by: str | None, as_csv: bool, as_json: bool) -> None:
    """Show what was spent, by feature, stage, role, model or day.

    With FEATURE: how much of its caps is used, and what it may still cost. Every request counts,
    failed ones too. If one was cut off, its cost is shown as unknown, not as zero.
    """
    if as_csv and as_json:
        raise UsageError("--csv and --json can't be combined", "sparing cost --csv")
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature) if feature else None
    chosen = By(by) if by else By.STAGE if row else By.FEATURE
    found = costs(office, chosen) if row is None else feature_costs(office, row, chosen, now())
    if as_csv:
        echo(cost_csv(found), nl=False)
    elif as_json:
        _print_json(office, row, found)
    else:
        _print(office, row, found)


def _print_json(office: Office, row: FeatureRow | None, found: Costs) -> None:
    rows = {one.name: one.dump() for one in found.rows}
    content = {"by": found.by, "rows": rows, "total": found.total.dump()}
    if row is None:
        print_json(**content)
        return
    from sparing.desk.money.forecast import outlook, outlook_json

    ahead = None if row.status.is_over else outlook_json(outlook(office, row))
    caps = [cap.dump() for cap in found.caps]
    print_json(feature=row.feature.id, **content, caps=caps, forecast=ahead)


def _print(office: Office, row: FeatureRow | None, found: Costs) -> None:
    from rich.text import Text

    from sparing.report.cost import cost_table

    show(cost_table(found))
    echo()
    for note in found.notes:
        show(Text(note, "dim"))
    for one in found.rows:
        if one.name in (RESUME_CHECK, DOCTOR):
            show(Text(f"{one.name}: {ASKED_ONCE}", "dim"))
    if row is None or row.status.is_over:
        return
    from sparing.desk.money.forecast import outlook, outlook_words

    for cap in found.caps:
        echo(f"cap of {cap.words}")
    echo(f"to come: {outlook_words(outlook(office, row))}")
