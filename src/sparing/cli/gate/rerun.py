"""`sparing rerun`: run a stage again, from the commit before it began."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import complete_stages, feature_argument, json_option
from sparing.cli.screen import confirm, echo, is_terminal
from sparing.desk.features.rerun import Rerun, plan_rerun, rerun
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.errors import NeedsHuman
from sparing.records.features import FeatureRow


@click.command("rerun")
@feature_argument()
@click.argument("stage", required=False, default="", shell_complete=complete_stages)
@click.option("--yes", is_flag=True, help="Don't ask.")
@json_option
def rerun_command(feature: str, stage: str, yes: bool, as_json: bool) -> None:
    """Redo a stage from scratch.

    The branch goes back to the commit before STAGE; without STAGE, to the one before the stage that
    waits for you. Later commits stay reachable under a separate ref; rejections, sessions and
    review rounds start over. It works wherever a feature has stopped, even after it is finished if
    it is not merged.
    """
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    plan = plan_rerun(office, row, stage)
    words = rerun_words(row, plan)
    if not yes and (as_json or not is_terminal()):
        number = row.feature.id
        again = " ".join(filter(None, (f"sparing rerun {number}", stage, "--yes")))
        raise NeedsHuman(f"{words}; only a person can confirm that", again)
    if not yes:
        echo(words, err=True)
        confirm("rerun it?", default=False, abort=True, err=True)
    done = rerun(office, row, plan.stage, office.sender, now())
    print_answered(
        office, row, f"{done.stage} will be redone", done=words, stage=done.stage,
        commit=done.commit, kept=done.ref, as_json=as_json,
    )  # fmt: skip


def rerun_words(row: FeatureRow, plan: Rerun) -> str:
    """What would be undone, and where it is kept."""
    feature, undone = row.feature, ", ".join(plan.undone) or plan.stage
    where = f"{feature.branch} goes back to {plan.commit[:10]}"
    return f"{where}, without {undone}; its commits stay at {plan.ref}"
