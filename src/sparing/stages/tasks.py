"""Turning tasks into code: one after the other, or in parallel waves; each is checked.

Pure handlers of the steps in which tasks are done. A task whose agent fails, or whose result is not
confirmed, is retried once; then a person decides whether it is tried again or left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from sparing.context.documents.handoff import Handoff
from sparing.conversation import Conversation
from sparing.failure import Failure
from sparing.flow.advance import advance
from sparing.flow.stage import StageWork
from sparing.flow.state import Do, Outcome, OutcomeKind
from sparing.job import BUDGET, LOOP, JobResult
from sparing.stages import assistants
from sparing.stages.failure import failing, failure_words
from sparing.stages.moves import Happened, Next, StageRules, at, flow, heard
from sparing.stages.place import Place, stage_of
from sparing.stages.questions import stop_for, take_defaults, unanswered
from sparing.task_progress import TaskProgress, TaskResult
from sparing.turn import StageStep

AT_WORK = frozenset({StageStep.TASK, StageStep.PROVE, StageStep.WAVE, StageStep.JOIN})
"""Steps in which a person can leave a task out."""
OUTSIDE = frozenset({BUDGET, LOOP, Failure.AUTH, Failure.QUOTA})
"""Failures that a retry would not fix: a person has to remove the cause."""
TRIED = frozenset(
    {
        Failure.OVERLOADED,
        Failure.NETWORK,
        Failure.CRASHED,
        Failure.TIMED_OUT,
        Failure.INVALID_SESSION,
    }
)
"""Failures after which a dispatch has already been retried."""


def listed(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    result = happened.results[0]
    waves = result.waves or tuple((number,) for number, _ in result.tasks)
    building = TaskProgress(waves, tuple(result.waits), chains=tuple(result.chains))
    if place.building.waves:
        same = {number for number, title in result.tasks if (number, title) in place.tasks}
        told = {number for number, _ in result.tasks}
        building = _so_far(building, place.building, same, told)
    return onward(replace(place, tasks=result.tasks, building=building), rules, now)


def _so_far(
    listed: TaskProgress, before: TaskProgress, same: set[str], there: set[str]
) -> TaskProgress:
    """Keep earlier progress for tasks that the document still has."""

    def still(numbers: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for one in numbers if one in same)

    return replace(
        listed, done=still(before.done), complete=still(before.complete),
        skipped=tuple(one for one in before.skipped if one[0] in same),
        blocked=still(before.blocked), helper=before.helper, alone=still(before.alone),
        told=tuple(one for one in before.told if one[0] in there),
    )  # fmt: skip


def onward(place: Place, rules: StageRules, now: float) -> Next:
    """Start the next task, or several in parallel; when none is left, the assistants."""
    here = replace(place, feedback="", building=_of(place))
    building = replace(here.building, since=here.head, turns=1)
    if not building.upcoming:
        return assistants.begin(replace(here, task=len(here.tasks)), rules, now)
    if building.side_by_side:
        return at(replace(here, building=building), StageStep.WAVE)
    number = building.upcoming[0]
    feedback = dict(building.told).get(number, "")
    return at(_on(replace(here, building=building, feedback=feedback), number), StageStep.TASK)


def _of(place: Place) -> TaskProgress:
    """Task progress; for a row from before waves, with its tasks one after the other."""
    if place.building.waves or not place.tasks:
        return place.building
    numbers = [number for number, _ in place.tasks]
    return TaskProgress(tuple((one,) for one in numbers), done=tuple(numbers[: place.task]))


def _on(place: Place, number: str) -> Place:
    return replace(place, task=[one for one, _ in place.tasks].index(number))


def done_task(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """After a task's turn, have the program check it, unless its implementer asks something
    first."""
    taken = take_defaults(place, happened.handoff, asks=rules.asks)
    here = replace(place, talk=taken.talk)
    stop = stop_for(here, happened.handoff)
    if stop is not None:
        note = happened.results[0].reply
        asking = replace(here, note=note, talk=stop.talk, building=_of(place))
        return flow(asking, stop.outcome, rules, now)
    notes = tuple((stage_of(place).author, one) for one in taken.words)
    return _to_prove(here, happened)._replace(notes=notes)


def _to_prove(place: Place, happened: Happened) -> Next:
    result, building = happened.results[0], _of(place)
    part = TaskResult(number_of(place), result.commit or place.head, result.reply)
    since = building.since or place.head
    here = replace(building, parts=(part,), since=since)
    return at(replace(place, note=result.reply, building=here), StageStep.PROVE)


def number_of(place: Place) -> str:
    return place.tasks[place.task][0]


def proved(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    result, number, building = happened.results[0], number_of(place), place.building
    if result.passed:
        complete = () if result.changed else (number,)
        at_once = building.turns <= 1 and result.reported
        after = building.having((number,), complete)
        after = replace(after, red=False, last=number if at_once else "")
        return onward(replace(place, building=after), rules, now)
    seen = replace(place, feedback=result.reply, building=replace(building, red=result.red))
    if number in building.tried:
        # Asked once more, the program looks first: a person may have put it right.
        fresh = tuple(one for one in building.tried if one != number)
        seen = replace(seen, building=replace(seen.building, tried=fresh))
        return _asks(seen, number, result.detail, rules, now)
    return _again(seen, number)


def failed_task(place: Place, result: JobResult, rules: StageRules, now: float) -> Next:
    number, here = number_of(place), replace(place, building=_of(place))
    if result.failure in OUTSIDE:
        return failing(here, result, rules, now)
    if result.failure in TRIED or number in here.building.tried:
        return _asks(here, number, failure_words(result), rules, now)
    return _again(here, number)


def _again(place: Place, number: str) -> Next:
    building = place.building
    single = building.single or bool(building.chained_to(number))
    tried = replace(
        building, tried=(*building.tried, number), turns=building.turns + 1, single=single
    )
    return at(replace(place, building=tried, done=()), StageStep.TASK)


def _asks(place: Place, number: str, why: str, rules: StageRules, now: float) -> Next:
    users = place.building.users(number)
    with_it = f" and {', '.join(users)}, which wait for it," if users else ""
    reason = (
        f"task {number} is not done: {why}. To leave it{with_it} out: approve; to try again: resume"
    )
    here = replace(place, building=replace(place.building, why=why))
    return flow(here, Outcome(OutcomeKind.FAILED, reason=reason, acceptable=True), rules, now)


def left_out(place: Place) -> Next:
    """A person goes on without the task that could not be done."""
    number, going = number_of(place), advance(place.state, Outcome(OutcomeKind.GO_ON)).state
    building = place.building.without(number, place.building.why)
    building = replace(building, parts=(), red=False, why="")
    return at(replace(place, state=going, building=building, done=()), StageStep.SKIP)


def left_words(place: Place) -> str:
    """For the gate of the stage: what is not in what it made."""
    building = place.building
    if stage_of(place).work is not StageWork.IMPLEMENT or not building.skipped:
        return ""
    out = "; ".join(f"task {number} was left out ({why})" for number, why in building.skipped)
    blocked = f"; not begun, since they wait for it: {', '.join(building.blocked)}"
    return f"done, but {out}{blocked if building.blocked else ''}"


def rejected(
    place: Place, happened: Happened, answer: Outcome, rules: StageRules, now: float
) -> Next:
    """Redo the task with a person's feedback or answer."""
    move = advance(place.state, answer)
    if move.do is not Do.RUN:
        return flow(place, answer, rules, now, happened.feedback)
    building = _of(place)
    free = building.upcoming[:1] if place.step is StageStep.WAVE else (number_of(place),)
    alone = (
        (*building.alone, *building.upcoming) if place.step is StageStep.WAVE else building.alone
    )
    tried = tuple(one for one in building.tried if one not in free)
    here = replace(building, alone=alone, tried=tried, turns=building.turns + 1)
    talk = heard(place.talk, place.state.stage, answer.kind)
    again = replace(
        place, state=move.state, feedback=happened.feedback, building=here, done=(), talk=talk
    )
    return at(_on(again, free[0]), StageStep.TASK)


def waved(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Keep what is done; failed tasks are retried when the others are merged."""
    results = _results(place, happened)
    bad = [one for one in results.values() if one.failure]
    outside = next((one for one in bad if one.failure in OUTSIDE), None)
    good = tuple(replace(one, task=number) for number, one in results.items() if not one.failure)
    if outside is not None:
        return failing(replace(place, done=good), outside, rules, now)
    lost = tuple(number for number, one in results.items() if one.failure)
    asking = _asking(place, happened, rules)
    parts = tuple(one for one in _parts(place, happened) if one.number not in asking.numbers)
    here = replace(
        place, talk=asking.talk,
        building=replace(place.building, alone=(*place.building.alone, *asking.numbers)),
    )  # fmt: skip
    found = _joined(here, parts, lost, rules, now)
    return found._replace(notes=(*asking.notes, *found.notes))


class _Asking(NamedTuple):
    talk: Conversation
    numbers: tuple[str, ...] = ()
    """Tasks that need an answer: each goes again alone, where it can be asked for."""
    notes: tuple[tuple[str, str], ...] = ()


def _asking(place: Place, happened: Happened, rules: StageRules) -> _Asking:
    """Collect the questions of all tasks of a wave, so that none is lost."""
    found, author = _Asking(place.talk), stage_of(place).author
    before = [one.task for one in place.done]
    numbers = (*before, *(one for one in place.building.side_by_side if one not in before))
    for number, asked in zip(numbers, happened.asked, strict=False):
        here, said = replace(place, talk=found.talk), Handoff(open_questions=asked)
        taken = take_defaults(here, said, asks=rules.asks)
        open_ = bool(unanswered(taken.talk, asked))
        found = _Asking(
            taken.talk,
            (*found.numbers, number) if open_ else found.numbers,
            (*found.notes, *((author, f"task {number}: {one}") for one in taken.words)),
        )
    return found


def _results(place: Place, happened: Happened) -> Mapping[str, JobResult]:
    """Results by task of the wave, including those from before an interruption."""
    before = {one.task: one for one in place.done}
    came = happened.results[len(place.done) :]
    asked = [one for one in place.building.side_by_side if one not in before]
    found = {**before, **dict(zip(asked, came, strict=True))}
    return {number: found[number] for number in place.building.side_by_side}


def _parts(place: Place, happened: Happened) -> tuple[TaskResult, ...]:
    return tuple(
        TaskResult(number, one.commit or place.head, one.reply)
        for number, one in _results(place, happened).items()
        if not one.failure
    )


def _joined(
    place: Place,
    parts: tuple[TaskResult, ...],
    lost: tuple[str, ...],
    rules: StageRules,
    now: float,
) -> Next:
    building = place.building
    after = replace(
        building, parts=parts, alone=(*building.alone, *lost), tried=(*building.tried, *lost)
    )
    here = replace(place, building=after, done=())
    return at(here, StageStep.JOIN) if parts else onward(here, rules, now)


def joined(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Merged in the order of the document; tasks that did not fit run again on the result."""
    result, building = happened.results[0], place.building
    out = dict(result.left)
    merged = tuple(part for part in building.parts if part.number not in out)
    numbers = [part.number for part in merged]
    complete = [part.number for part in merged if part.commit == building.since]
    after = replace(
        building.having(numbers, complete), alone=(*building.alone, *out), told=result.left
    )
    if not merged:
        return onward(replace(place, building=after), rules, now)
    return at(replace(place, building=replace(after, parts=merged)), StageStep.NOTE)


def noted(place: Place, _happened: Happened, rules: StageRules, now: float) -> Next:
    return onward(replace(place, building=replace(place.building, parts=())), rules, now)
