"""`sparing refine`: change a document and redo only what depends on the change."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.artifact import ArtifactName
from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import feature_argument, json_option, one_of, print_json
from sparing.cli.screen import confirm, echo, is_terminal
from sparing.codec import JsonObject
from sparing.desk.approvals.refine import RefinePlan, plan_refine, refine
from sparing.desk.gates import answers
from sparing.desk.money.forecast import outlook_json
from sparing.desk.office import open_office
from sparing.errors import NeedsHuman


@click.command("refine")
@feature_argument()
@click.argument("words", required=False, default="")
@click.option(
    "--document", default="", shell_complete=one_of(*ArtifactName), metavar="NAME",
    help="Change this document; without it, the spec.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only show what would be redone.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@json_option
def refine_command(
    feature: str, words: str, document: str, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Change the spec of a feature and redo only what depends on it.

    WORDS say what should be different; the document's author changes it. Without WORDS, your own
    change (`sparing edit`) is applied to what follows. Sections of design, plan and tasks that name
    a changed section are redone; all others stay approved, and finished tasks that are not affected
    stay finished. You see the list and its price first.
    """
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    plan = plan_refine(office, row, words, document)
    if not as_json:
        for line in plan.lines:
            echo(f"  {line}", err=True)
    if dry_run or not plan.body:
        if as_json:
            print_json(feature=row.feature.id, **_facts(plan))
        return
    if not yes and (as_json or not is_terminal()):
        again = f"sparing refine {row.feature.id}{_quoted(words)} --yes"
        raise NeedsHuman("that costs agent turns; a person has to agree", again)
    if not yes:
        confirm("redo it?", default=True, abort=True, err=True)
    refine(office, row, plan, office.sender, now())
    print_answered(
        office, row, "only that is redone", done=plan.body, as_json=as_json, **_facts(plan)
    )


def _quoted(words: str) -> str:
    return f' "{words}"' if words else ""


def _facts(plan: RefinePlan) -> JsonObject:
    return {
        "changed": [one._asdict() for one in plan.changes],
        "asked_again": [
            {
                "stage": one.stage, "document": one.document, "sections": list(one.parts),
                "whole": one.whole, "tasks": list(one.tasks.redo), "new_tasks": list(one.tasks.new),
                "gone_tasks": list(one.tasks.gone),
            }
            for one in plan.effects
        ],
        "stays_approved": list(plan.kept), "stays_done": list(plan.kept_tasks),
        "forecast": outlook_json(plan.price),
    }  # fmt: skip
