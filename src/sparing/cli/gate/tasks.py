"""`sparing tasks`: list the tasks of a feature; redo, drop or split one."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import confirm, echo, is_terminal
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.tasks.task_control import order_tasks, plan_tasks, task_states
from sparing.errors import UsageError
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.records.features import FeatureRow

MARKS = {"done": "✓", "complete already": "✓", "open": "·"}


@click.command("tasks")
@feature_argument()
@click.argument("words", required=False, default="")
@click.option("--redo", metavar="N,…", help="Do these tasks again; all others are kept.")
@click.option("--drop", metavar="N,…", help="Leave these tasks out, and revert their changes.")
@click.option("--split", metavar="N", help="Have this task split into smaller ones.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@json_option
def tasks_command(feature: str, words: str, yes: bool, as_json: bool, **orders: str | None) -> None:
    """Show a feature's tasks, or redo, drop or split single ones.

    WORDS say what should be different. You see what is kept and what is lost and are asked to
    confirm. The code of a task that is redone or dropped is reverted in separate commits; if later
    work changed the same lines, it stays, and the implementer is told.
    """
    given = {verb: value for verb, value in orders.items() if value is not None}
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    if not given:
        _listed(row, as_json=as_json)
        return
    if len(given) > 1:
        raise UsageError(
            "use only one of --redo, --drop and --split", f"sparing tasks {row.feature.id} --redo 2"
        )
    ((verb, value),) = given.items()
    numbers = [one for one in value.split(",") if one.strip()]
    if not numbers:
        raise UsageError(
            f"--{verb} needs a task's number", f"sparing tasks {row.feature.id} --{verb} 2"
        )
    _ordered(office, row, (verb, numbers, words), yes=yes, as_json=as_json)


def _ordered(
    office: Office, row: FeatureRow, order: tuple[str, list[str], str], *, yes: bool, as_json: bool
) -> None:
    plan = plan_tasks(office, row, *order)
    for line in plan.lines:
        echo(f"  {line}", err=True)
    what = f"{plan.order.verb} task {', '.join(plan.order.numbers)}"
    if not yes and not as_json and is_terminal():
        confirm(f"{what}?", default=False, abort=True, err=True)
    order_tasks(office, row, plan, office.sender, now())
    print_answered(
        office, row, f"to {what}", done=what, tasks=list(plan.order.numbers),
        lost=list(plan.lines), as_json=as_json,
    )  # fmt: skip


def _listed(row: FeatureRow, *, as_json: bool) -> None:
    found = task_states(row)
    if as_json:
        print_json(feature=row.feature.id, tasks=[one._asdict() for one in found])
        return
    if not found:
        echo(_none(row))
    for one in found:
        state = "" if one.state in MARKS else f": {one.state}"
        why = f" ({one.why})" if one.why else ""
        echo(f"  {MARKS.get(one.state, '-')} {one.number} {one.title}{state}{why}")


def _none(row: FeatureRow) -> str:
    """Whether tasks are still to come: only some flows split the work into them."""
    flow = FLOWS[row.feature.flow]
    if any(stage.work is StageWork.IMPLEMENT for stage in flow.stages):
        return f"feature {row.feature.id} has no tasks yet"
    return f"feature {row.feature.id} has no tasks: the flow {flow.name} implements it in one stage"
