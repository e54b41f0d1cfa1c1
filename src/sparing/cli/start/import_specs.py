"""`sparing import`: a feature from the specs of another tool."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style, wrapped
from sparing.cli.start.start import offer_run
from sparing.context.foreign.folder import SpecFormat
from sparing.desk.gates import answers
from sparing.desk.imports.specs import (
    FLOW,
    FoundSpecs,
    SpecImport,
    find_specs,
    plan_import,
    refuse_again,
)
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError

AUTO = "auto"
FORMATS = {one.value.casefold(): one for one in SpecFormat}
HOMES = "specs/, openspec/changes/, .kiro/specs/ and docs/features/"


@click.command("import")
@click.argument("path", required=False, default=AUTO)
@click.option(
    "--format", "kind", type=click.Choice(sorted(FORMATS), case_sensitive=False),
    help="Which tool wrote it. Default: detected.",
)  # fmt: skip
@click.option("--title", default="", help="Default: the title of the imported document.")
@click.option("--again", is_flag=True, help="Import it even if a feature was made from it before.")
@click.option("--dry-run", is_flag=True, help="Show where every file would go; start nothing.")
@click.option("--yes", is_flag=True, help="Run at once and approve gates whose reviews passed.")
@json_option
def import_command(
    path: str, kind: str | None, title: str, again: bool, dry_run: bool, yes: bool, as_json: bool
) -> int:
    """Start a feature from specs of spec-kit, OpenSpec, Kiro or iflow.

    PATH is their folder, such as specs/001-rate-limits, or auto, which looks for one. The feature
    starts at the first stage whose document is missing or invalid. The folder is only read.
    """
    office = open_office(Path.cwd())
    folder = _only_one(office) if path == AUTO else Path(path)
    found = plan_import(office, folder, FORMATS[kind] if kind else None, title)
    if not again:
        refuse_again(office, found.request.beginning.background.source)
    if dry_run:
        if as_json:
            print_json(**_as_json(found))
        else:
            _show(found)
            echo("\nnothing was started or written; to start, run it again without --dry-run")
        return 0
    request = found.request
    row = answers.start(office, request.title, FLOW, {}, now(), request.beginning)
    if not as_json:
        _show(found)
    return offer_run(office, row, f"imported from {found.format}", yes=yes, as_json=as_json)


def _only_one(office: Office) -> Path:
    found = find_specs(office)
    if not found:
        raise UsageError(
            f"no specs of another tool were found in {HOMES}",
            "name their folder: sparing import PATH",
        )
    first, *others = found
    if others:
        _list(found)
        raise UsageError(
            f"{len(found)} folders hold specs, and each becomes its own feature",
            f"name it: sparing import {first.place}",
        )
    return first.path


def _list(found: tuple[FoundSpecs, ...]) -> None:
    for one in found:
        echo(f"  {one.place}  {one.format}", err=True)


def _show(found: SpecImport) -> None:
    count = f", {found.tasks} task{'' if found.tasks == 1 else 's'}" if found.tasks else ""
    files = f"{len(found.uses)} file{'s' if len(found.uses) > 1 else ''}"
    echo(f"{style(found.format, bold=True)}: {files}{count}")
    width = max(len(one.path) for one in found.uses)
    for one in found.uses:
        lines = f"{one.lines} lines" if one.lines else ""
        echo(f"  {one.path:<{width}}  {lines:>10}  → {one.where}")
    for note in found.notes:
        echo(wrapped(f"note: {note}", "  "))
    echo(f"  starts at {style(found.stage, fg='cyan')}")


def _as_json(found: SpecImport) -> dict[str, object]:
    return {
        "format": found.format.value,
        "title": found.request.title,
        "stage": found.stage,
        "tasks": found.tasks,
        "files": [one._asdict() for one in found.uses],
        "notes": list(found.notes),
    }
