"""Single tasks of a feature: the state of each, and a person's orders about them.

What an order would lose is shown before anything is written; the engine receives it as the answer
to the gate at which the feature waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.desk.features.skip_and_back import need_rest
from sparing.desk.gates import answers
from sparing.desk.money.forecast import fix_outlook, outlook_brief
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.flow.state import FlowState, Outcome, OutcomeKind
from sparing.records.features import FeatureRow
from sparing.stages.place import Place
from sparing.stages.task_orders import DROP, REDO, SPLIT, TaskCommand, kept_tasks
from sparing.task_progress import TaskProgress

SPLITTING = (
    "Split task {number} of tasks.md into smaller tasks that can be done and checked one by one."
    " Give the new tasks new numbers in its place, keep what waits for it waiting for the last of"
    " them, and leave every other task exactly as it is, with its number and its words."
)


class TaskState(NamedTuple):
    number: str
    title: str
    state: str
    """done, complete already, left out, waits for one left out, or open."""
    why: str = ""


class TaskPlan(NamedTuple):
    order: TaskCommand
    body: str
    """The instruction for the engine."""
    lines: tuple[str, ...]
    """What it means and what is lost, one line each."""


def task_states(row: FeatureRow) -> tuple[TaskState, ...]:
    place = _place(row)
    building, skipped = place.building, dict(place.building.skipped)

    def state(number: str) -> str:
        if number in skipped:
            return "left out"
        if number in building.blocked:
            return "waits for one left out"
        if number in building.complete:
            return "complete already"
        return "done" if number in building.done else "open"

    return tuple(
        TaskState(number, title, state(number), skipped.get(number, ""))
        for number, title in place.tasks
    )


def plan_tasks(
    office: Office, row: FeatureRow, verb: str, numbers: Sequence[str], words: str = ""
) -> TaskPlan:
    """Plan an order without writing anything; raise an error where it makes no sense."""
    if row.status.is_over:
        raise answers.no_gate(row)
    need_rest(row)
    wanted = list(dict.fromkeys(number.strip() for number in numbers))
    _known(row, wanted)
    if verb == SPLIT and len(wanted) > 1:
        raise UsageError(
            "only one task can be split at a time",
            f"sparing tasks {row.feature.id} --split {wanted[0]}",
        )
    said = answers.plain(words, f'sparing tasks {row.feature.id} --{verb} {wanted[0]} "…"')
    splits = SPLITTING.format(number=wanted[0]) if verb == SPLIT else ""
    told = " ".join(filter(None, (splits, said)))
    head = f"{verb} {', '.join(wanted)}"
    order = TaskCommand(verb, tuple(wanted))
    return TaskPlan(order, f"{head}: {told}" if told else head, _lines(office, row, order))


def order_tasks(office: Office, row: FeatureRow, plan: TaskPlan, sender: str, at: float) -> str:
    return answers.answer(office, row, Outcome(OutcomeKind.TASKS, plan.body), sender, at)


def _place(row: FeatureRow) -> Place:
    return Place.load({**row.place, "review": None})


def _known(row: FeatureRow, wanted: Sequence[str]) -> None:
    number, place = row.feature.id, _place(row)
    known = [one for one, _ in place.tasks]
    if not known or not place.building.waves:
        stage = FlowState.load(row.place["state"]).stage
        raise FeatureError(
            f"feature {number} is at {stage}: none of its tasks has started",
            f"sparing show {number}",
        )
    for one in wanted:
        if one not in known:
            raise UsageError(f"there is no task '{one}'", f"its tasks: {', '.join(known)}")


def _reverted(numbers: Sequence[str]) -> str:
    tasks = "task" if len(numbers) == 1 else "tasks"
    return f"reverted: the code of {tasks} {', '.join(numbers)}" if numbers else ""


def _lines(office: Office, row: FeatureRow, order: TaskCommand) -> tuple[str, ...]:
    building, numbers = _place(row).building, ", ".join(order.numbers)
    after = kept_tasks(building, order, "")
    kept = f"kept: {', '.join(after.done) or 'none'}"
    lost = _reverted(after.undo)
    users = [one for one in _users(building, order) if one in after.done]
    built = f"built on {numbers} and kept as it is: {', '.join(users)}" if users else ""
    out = [one for one in after.blocked if one not in building.blocked]
    blocked = f"left out with it, since they wait for it: {', '.join(out)}" if out else ""
    turns = {REDO: len(order.numbers), SPLIT: 2 + len(order.numbers), DROP: 1}[order.verb]
    least = 0 if order.verb == DROP else turns
    price = f"{outlook_brief(fix_outlook(office, row, least, turns + 3))} and the review again"
    return tuple(filter(None, (kept, lost, built, blocked, f"to come: {price}")))


def _users(building: TaskProgress, order: TaskCommand) -> tuple[str, ...]:
    waits, found = dict(building.waits), set(order.numbers)
    listed = [one for wave in building.waves for one in wave]
    while more := {one for one in listed if found & {*waits.get(one, ())}} - found:
        found |= more
    return tuple(one for one in listed if one in found and one not in order.numbers)
