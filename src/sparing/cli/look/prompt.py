"""`sparing show prompt`: any prompt, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import echo, style
from sparing.desk.features import view
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.dispatch_policy import Order, Way
from sparing.errors import UsageError
from sparing.records.features import FeatureRow
from sparing.report.prompt import PromptPage, prompt_json, prompt_text


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """Options given on the command line."""

    role: str
    feature: str | None
    stage: str | None
    iteration: int | None
    task: str | None
    way: str | None
    order: str | None
    final: bool = False
    lost: bool = False
    system: bool = False


def show_prompt(wanted: PromptOptions, *, as_json: bool) -> None:
    office = open_office(Path.cwd())
    row = _feature(office, wanted.feature)
    page, warnings = page_of(office, row, wanted)
    for warning in warnings:
        echo(f"{style('note', fg='yellow')}: {warning}", err=True)
    if as_json:
        print_json(feature=row.feature.id, **prompt_json(page), warnings=warnings)
    else:
        echo(prompt_text(page, system=wanted.system), nl=False)


def _feature(office: Office, name: str | None) -> FeatureRow:
    if name is not None:
        return answers.find(office, name)
    known = view.list_views(office)
    if len(known) == 1:
        return answers.find(office, known[0].id)
    if not known:
        raise UsageError("there is no feature here yet", 'sparing start "Add rate limiting"')
    raise UsageError("it is not clear which feature is meant", f"add: --feature {known[0].id}")


def page_of(office: Office, row: FeatureRow, wanted: PromptOptions) -> tuple[PromptPage, list[str]]:
    from sparing.desk.features.preview import PreviewRequest
    from sparing.desk.features.prompt_page import prompt_page

    wish = PreviewRequest(
        role=wanted.role,
        stage=wanted.stage or "",
        iteration=wanted.iteration or 0,
        task=wanted.task or "",
        way=Way(wanted.way) if wanted.way else None,
        order=Order(wanted.order) if wanted.order else None,
        final=wanted.final,
        lost=wanted.lost,
    )
    found = prompt_page(office, row, wish)
    return found.page, found.warnings
