"""`sparing report`: what a feature cost, what was saved and how, and what reviews found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, show, style
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.errors import StateError, UsageError
from sparing.installation import add_command

if TYPE_CHECKING:
    from sparing.report.figures import Report


@click.command("report")
@feature_argument(required=False)
@click.option("--full", is_flag=True, help="Show every figure, and how each was obtained.")
@click.option(
    "--html", "as_html", is_flag=True, help="Write an HTML page with charts and print its path."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --html: the file to write. Default: one in the state folder.",
)
@json_option
def report_command(
    feature: str | None, full: bool, as_html: bool, output: Path | None, as_json: bool
) -> None:
    """Report what a feature cost, what was saved and what its reviews found.

    The bill, what naive prompting would have cost and why they differ, the least that the work
    could have cost, and open concerns. Without FEATURE: all features. With --full: every saving,
    also against the policy `seed`, other models, reviewers and review loops. Every figure says
    whether it was measured, simulated or estimated. --html and --json always contain all of it.
    """
    from sparing.desk.money.continuity import continuity_of
    from sparing.desk.money.figures import feature_report, project_report
    from sparing.report.continuity import continuity_json, continuity_page
    from sparing.report.figures import report_json

    if as_html and as_json:
        raise UsageError("--html and --json can't be combined", "sparing report --json")
    if output is not None and not as_html:
        raise UsageError("--output needs --html", "sparing report --html --output report.html")
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature) if feature else None
    found = project_report(office) if row is None else feature_report(office, row)
    going = continuity_of(office, row) if row else None
    if as_json:
        print_json(**report_json(found), continuity=continuity_json(going))
    elif not found.spending.rows:
        echo("Nothing to report yet: no feature has asked an agent.")
    elif as_html:
        name = "all" if row is None else row.feature.name
        _write(found, output or office.folder.path / "reports" / f"{name}.html")
    else:
        from sparing.report.page import full_page, head_lines, short_page

        name, *bill = head_lines(found)
        echo("\n".join((style(name, bold=True), *bill)))
        shown = [full_page(found), *([continuity_page(going)] if going else [])]
        show(*(shown if full else [short_page(found)]))


def _write(report: Report, path: Path) -> None:
    from sparing.report.charts import charts
    from sparing.report.drawing import can_draw
    from sparing.report.html import report_html

    drawn = can_draw()
    page = report_html(report, charts(report) if drawn else (), drawn=drawn)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(page, "utf-8")
    except OSError as error:
        raise StateError(
            f"the page can't be written to {path}: {error.strerror}",
            "sparing report --html --output another/place.html",
        ) from error
    if not drawn:
        what = "no charts: the library that draws them is not installed"
        echo(f"{what}\n{add_command('charts')}", err=True)
    echo(str(path))
