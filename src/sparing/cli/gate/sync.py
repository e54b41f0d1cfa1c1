"""`sparing sync`: bring a base branch that moved on into a feature."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.config.process_environment import network_environment
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.view import reload
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.upstream.sync import SyncPlan, plan_sync, sync
from sparing.errors import NeedsHuman
from sparing.records.features import FeatureRow


@click.command("sync")
@feature_argument()
@click.option("--merge", "how", flag_value="merge", help="Merge the base branch into the feature.")
@click.option(
    "--rebase",
    "how",
    flag_value="rebase",
    help="Put the feature's commits on top of it. Default: the setting commits.sync.",
)
@click.option("--fetch", is_flag=True, help="First fetch the base branch from its remote.")
@click.option("--dry-run", is_flag=True, help="Show what changed and what conflicts; do nothing.")
@click.option("--later", is_flag=True, help="Only record it; the next run does it.")
@click.option("--yes", is_flag=True, help="Don't ask, even if an agent has to resolve conflicts.")
@json_option
def sync_command(
    feature: str, how: str | None, fetch: bool, dry_run: bool, later: bool, yes: bool, as_json: bool
) -> int:
    """Bring a base branch that has moved into a feature.

    The base is merged, and the checks run on the result; your checkout is not touched. An agent
    gets conflicts, and checks that turn red, with both sides to resolve them. The feature's branch
    moves only once the checks pass; then the feature waits where it did before.
    """
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    plan = plan_sync(office, row, how or "", network_environment() if fetch else None)
    if plan.move is None:
        return _nothing(row, as_json=as_json)
    if not as_json:
        for line in plan.lines:
            echo(f"  {line}", err=True)
    if dry_run:
        return _planned(row, plan, as_json=as_json)
    _agree(row, plan, yes=yes, as_json=as_json)
    if not sync(office, row, plan, office.sender, now()):
        words = f"feature {row.feature.id} starts from {plan.move.branch} at {plan.move.tip[:10]}"
        return _said(row, plan, words, as_json=as_json)
    if later or engine_runs(office):
        words = f"{plan.move.branch} will be brought in"
        print_answered(office, row, words, done=words, commit=plan.move.tip, as_json=as_json)
        return 0
    return _run(office, row, plan, as_json=as_json)


def _nothing(row: FeatureRow, *, as_json: bool) -> int:
    base = row.feature.base_branch or "its base branch"
    if as_json:
        print_json(feature=row.feature.id, moved=False)
    else:
        echo(f"feature {row.feature.id} already has everything in {base}")
    return 0


def _planned(row: FeatureRow, plan: SyncPlan, *, as_json: bool) -> int:
    if as_json:
        print_json(feature=row.feature.id, moved=True, **_facts(plan))
    return 0


def _facts(plan: SyncPlan) -> dict[str, object]:
    move = plan.move
    assert move is not None
    return {
        "branch": move.branch, "commit": move.tip, "commits": move.commits,
        "both_changed": list(move.both), "tasks": list(move.tasks),
        "sections": [list(one) for one in move.sections], "conflicts": list(plan.conflicts),
        "how": "rebase" if plan.rebase else "merge",
    }  # fmt: skip


def _agree(row: FeatureRow, plan: SyncPlan, *, yes: bool, as_json: bool) -> None:
    """Ask before an agent has to resolve conflicts: a plain merge costs nothing, turns do."""
    if yes or not plan.conflicts:
        return
    if as_json or not is_terminal():
        raise NeedsHuman(
            f"an agent has to resolve conflicts in {', '.join(plan.conflicts)}; "
            "a person has to agree",
            f"sparing sync {row.feature.id} --yes",
        )
    confirm("let an agent resolve them?", default=True, abort=True, err=True)


def _said(row: FeatureRow, plan: SyncPlan, words: str, *, as_json: bool) -> int:
    command = f"sparing run {row.feature.id}"
    if as_json:
        print_json(feature=row.feature.id, done=words, **_facts(plan), next_command=command)
    else:
        echo(f"{words}\n  {style(command, fg='cyan')}")
    return 0


def _run(office: Office, row: FeatureRow, plan: SyncPlan, *, as_json: bool) -> int:
    """Run it at once: the person asking wants to see the result."""
    from sparing.cli.run.run import Mode, run_features

    assert plan.move is not None
    run_features(office, [row], Mode.STOP, quiet=as_json)
    after = reload(office, row)
    arrived = after.feature.base_commit == plan.move.tip
    if as_json:
        command = f"sparing show {row.feature.id}"
        facts = _facts(plan)
        print_json(
            feature=row.feature.id, synced=arrived, head=after.head, **facts, next_command=command
        )
    return 0 if arrived else NeedsHuman.exit_code
