"""A person's word on single tasks: do them again, leave them out, split one. The rest is kept.

Pure handlers. The stage begins again with what stays done; what a task had made is first taken off
the branch, as far as nothing was built on the same lines since.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from sparing.flow.advance import advance
from sparing.flow.state import Do, Outcome, OutcomeKind
from sparing.stages.moves import Happened, Next, StageRules, ask_for, at, enter
from sparing.stages.place import Place, is_closed, reopened
from sparing.task_progress import TaskProgress
from sparing.turn import StageStep, Turn

REDO, DROP, SPLIT = "redo", "drop", "split"
WRITES, BUILDS = "create-tasks", "implement"
"""The stages of the flow with tasks: where they are written, and where they become code."""
DROPPED = "dropped by you"
_ORDER = re.compile(rf"({REDO}|{DROP}|{SPLIT}) ([^:\n]+)(?::|$)")


class TaskCommand(NamedTuple):
    verb: str
    numbers: tuple[str, ...]


def read_order(text: str) -> TaskCommand | None:
    """`redo 6, 7: use the old parser`."""
    found = _ORDER.match(text)
    if found is None:
        return None
    return TaskCommand(found[1], tuple(filter(None, (one.strip() for one in found[2].split(",")))))


def asked(
    place: Place, happened: Happened, answer: Outcome, rules: StageRules, now: float
) -> Next | None:
    """Carry out the order; None for other answers."""
    if answer.kind is not OutcomeKind.TASKS:
        return None
    order = read_order(answer.target)
    if order is None:
        return Next(Do.REFUSE, place)
    stage = WRITES if order.verb == SPLIT else BUILDS
    move = advance(place.state, Outcome(OutcomeKind.BACK, stage))
    if move.do is not Do.RUN:
        return Next(Do.REFUSE, place)
    keeping = kept_tasks(place.building, order, happened.feedback)
    here = replace(place, state=move.state, keeping=keeping, review=None)
    if order.verb == SPLIT:
        here = replace(here, feedback=happened.feedback)
    if is_closed(place):  # the branch says that it is completed
        turn = Turn.REDO if order.verb == SPLIT else Turn.NONE
        return at(reopened(here), StageStep.REOPEN, turn)
    return enter(here, rules, now, again=order.verb == SPLIT)


def kept_tasks(building: TaskProgress, order: TaskCommand, said: str) -> TaskProgress:
    """How far the tasks are when the stage begins again."""
    gone = set(order.numbers)
    made = tuple(one for one in building.done if one in gone and one not in building.complete)
    kept = replace(
        building,
        done=tuple(one for one in building.done if one not in gone),
        complete=tuple(one for one in building.complete if one not in gone),
        skipped=tuple(one for one in building.skipped if one[0] not in gone),
        tried=tuple(one for one in building.tried if one not in gone),
        alone=tuple(dict.fromkeys((*building.alone, *order.numbers))),
        told=(), parts=(), helper="", outlines="", red=False, why="", last="", turns=0,
        undo=made,
    )  # fmt: skip
    if order.verb == DROP:
        for number in order.numbers:
            kept = kept.without(number, DROPPED)
        return kept
    told = tuple((one, said) for one in order.numbers) if order.verb == REDO else ()
    return replace(kept, told=told, blocked=_still_blocked(kept))


def _still_blocked(building: TaskProgress) -> tuple[str, ...]:
    """Tasks that wait for one which is still left out."""
    alone = replace(building, blocked=())
    users = {one for number, _ in building.skipped for one in alone.users(number)}
    return tuple(one for one in building.blocked if one in users)


def undone(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    """Continue; changes that could not be reverted are mentioned to the next author."""
    result, building = happened.results[0], place.building
    left = tuple(number for number, _ in result.left)
    dropped = [one for one in left if one in dict(building.skipped)]
    told = dict(building.told)
    upcoming = building.upcoming
    if dropped and upcoming:
        told.setdefault(upcoming[0], result.reply)
    after = replace(building, undo=(), told=tuple(told.items()))
    here = replace(place, building=after)
    if dropped and not upcoming:
        return ask_for(replace(here, feedback=result.reply), Turn.REDO)
    return at(here, StageStep.TASKS)
