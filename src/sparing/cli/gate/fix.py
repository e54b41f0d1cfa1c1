"""`sparing fix`: a round for what reviewers and CI found in a feature's pull request."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.run.pull_requests import look_data, print_plan, tell_end
from sparing.cli.screen import confirm, echo, is_terminal
from sparing.config.process_environment import network_environment
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.merge_status import handover_event
from sparing.desk.features.view import reload
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.upstream.fix_round import FixRound, plan_fix, start_fix
from sparing.desk.upstream.pull_requests import PullLook, look, pull_words
from sparing.errors import FeatureError, NeedsHuman
from sparing.records.features import FeatureRow


@click.command("fix")
@feature_argument()
@click.option("--only", metavar="IDS", default="", help="Only these findings, such as C1,C3.")
@click.option("--dry-run", is_flag=True, help="Show the findings and the price; do nothing.")
@click.option("--later", is_flag=True, help="Only record it; the next run does it.")
@click.option(
    "--yes",
    is_flag=True,
    help="Don't ask. What outsiders wrote is left out unless --only names it.",
)
@json_option
def fix_command(
    feature: str, only: str, dry_run: bool, later: bool, yes: bool, as_json: bool
) -> int:
    """Fix what reviewers and CI found in a feature's pull request.

    Comments, reviews and red checks are read with `gh` and become findings with their author's
    name. The implementer fixes them, the checks run and the reviewers review again, and after your
    approval the commits are pushed to the same pull request. The price is shown first.
    """
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    found = _looked(office, row)
    if found.over:
        return _over(office, found, as_json=as_json)
    wanted = tuple(one.strip().upper() for one in only.split(",") if one.strip())
    if not found.findings and not wanted:
        return _nothing(found, as_json=as_json)
    plan = plan_fix(office, row, wanted, members=yes and not wanted)
    if not as_json:
        print_plan(row, plan)
    if dry_run:
        return _planned(found, plan, as_json=as_json)
    _agree(row, plan, yes=yes, as_json=as_json)
    start_fix(office, row, plan, network_environment(), now())
    if later or engine_runs(office):
        words = f"{len(plan.findings)} findings of pull request #{plan.number} will be fixed"
        print_answered(office, row, words, done=words, as_json=as_json)
        return 0
    from sparing.cli.run.run import Mode, run_features

    mode = Mode.STOP if as_json or not is_terminal() else Mode.ASK
    return run_features(office, [reload(office, row)], mode, as_json=as_json)


def _looked(office: Office, row: FeatureRow) -> PullLook:
    if not handover_event(office, row).url:
        raise FeatureError(
            f"feature {row.feature.id} has no pull request",
            f"see where it stands: sparing show {row.feature.id}",
        )
    found = look(office, row, network_environment(), now())
    if found.fault:
        raise found.fault
    return found


def _over(office: Office, found: PullLook, *, as_json: bool) -> int:
    tell_end(office, found)
    if as_json:
        print_json(**look_data(found))
    return 0


def _nothing(found: PullLook, *, as_json: bool) -> int:
    if as_json:
        print_json(**look_data(found))
    else:
        echo(f"{pull_words(found.told)}; nothing to fix")
    return 0


def _planned(found: PullLook, plan: FixRound, *, as_json: bool) -> int:
    if as_json:
        print_json(**look_data(found), price=plan.price)
    return 0


def _agree(row: FeatureRow, plan: FixRound, *, yes: bool, as_json: bool) -> None:
    if yes:
        return
    if as_json or not is_terminal():
        raise NeedsHuman(
            f"fixing {len(plan.findings)} findings costs {plan.price}; a person has to agree",
            f"sparing fix {row.feature.id} --yes",
        )
    confirm("let them fix it?", default=True, abort=True, err=True)
