"""Which jobs come next: one stage's steps, wired from flow and review.

Pure: a place and what came of the last jobs give the next place and its jobs. `decide` records
the answer, so a replay never asks this code about a move that was already made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.engine.asks import jobs_of, review_jobs
from sparing.engine.jobs import BUDGET, LOOP, Job, Result, Turn
from sparing.engine.place import Mark, Place, Step, mark_of, marked, stage_of
from sparing.finding import Verdict
from sparing.flow.advance import advance
from sparing.flow.stage import Work
from sparing.flow.state import Cause, Do, Kind, Outcome, Position
from sparing.review.loop import Decision, Loop, blocked, decide
from sparing.review.stall import idle

REPAIRS = 3
"""How often an agent may try to turn red checks green."""
CAUSES = {BUDGET: Cause.BUDGET, LOOP: Cause.LOOP}


@dataclass(frozen=True, slots=True)
class Happened:
    """What the last jobs gave, or what a human said at the start of a leg."""

    results: tuple[Result, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    answer: Outcome | None = None
    feedback: str = ""


class Rules(NamedTuple):
    """The settings that matter here."""

    cap: int
    gates: frozenset[str]
    headless: bool


class Next(NamedTuple):
    do: Do
    place: Place
    jobs: tuple[Job, ...] = ()


def next_move(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    here = replace(place, moves=place.moves + 1)
    if happened.answer is not None:
        return _flow(here, happened.answer, rules, now, happened.feedback)
    if not happened.results:
        return _at(here, Step.OPEN)
    failed = next((result for result in happened.results if result.failure), None)
    if failed is not None:
        good = tuple(result for result in happened.results if not result.failure)
        return _failed(replace(here, done=good), failed, rules, now)
    commit = next((result.commit for result in happened.results if result.commit), here.head)
    return STEPS[here.step](replace(here, head=commit, done=()), happened, rules, now)


def _failed(place: Place, result: Result, rules: Rules, now: float) -> Next:
    words = f"{result.failure}: {result.detail}" if result.detail else result.failure
    cause = CAUSES.get(result.failure, Cause.FAILED)
    return _flow(place, Outcome(Kind.FAILED, reason=words, cause=cause), rules, now)


def _opened(place: Place, _happened: Happened, rules: Rules, now: float) -> Next:
    return _enter(place, rules, now)


def _authored(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    """An author has written: reviewers are asked, or the work goes on."""
    stage, result = stage_of(place), happened.results[0]
    rounds = 0 if result.changed else place.idle + 1
    if why := idle(stage.author, rounds):
        return _failed(replace(place, idle=0), Result(failure=LOOP, detail=why), rules, now)
    written = replace(place, note=result.reply, feedback="", idle=rounds)
    match stage.work:
        case Work.DOCUMENT:
            return _ask(written, now)
        case Work.IMPLEMENT | Work.BUILD:
            return _at(written, Step.CHECK)
        case Work.JUDGE:
            return _judged(written, happened, rules, now)
        case Work.CHECK:
            return _at(written, Step.CHECK)


def _judged(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    result = happened.results[0]
    if result.passed:
        return _close(place, now)
    refused = replace(place, open=(result.dispatch,))
    reason = f"{stage_of(place).author} is not satisfied"
    return _flow(refused, Outcome(Kind.REFUSED, reason=reason), rules, now)


def _reviewed(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    assert place.loop is not None
    decision, loop = decide(place.loop, happened.verdicts)
    open_now = tuple(
        result.dispatch for result in happened.results if result.dispatch and not result.passed
    )
    after = replace(place, loop=loop, open=open_now)
    match decision:
        case Decision.ASK:
            return _ask(after, now)
        case Decision.ACCEPT:
            return _close(after, now)
        case Decision.REVISE:
            return _at(after, Step.AUTHOR, Turn.REVISE)
        case Decision.ESCALATE:
            kind = Kind.CAPPED_BLOCKERS if blocked(happened.verdicts) else Kind.CAPPED_WARNINGS
            capped = marked(after, cap_reached=True)
            outcome = Outcome(kind, headless=rules.headless)
            return _flow(capped, outcome, rules, now)


def _listed(place: Place, happened: Happened, _rules: Rules, _now: float) -> Next:
    return _at(replace(place, tasks=happened.results[0].tasks, task=0), Step.TASK)


def _done_task(place: Place, happened: Happened, _rules: Rules, _now: float) -> Next:
    done = replace(place, task=place.task + 1, note=happened.results[0].reply)
    if done.task < len(done.tasks):
        return _at(done, Step.TASK)
    return _at(done, Step.CHECK)


def _checked(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    """The program's own look: green goes on, red goes to an agent a few times, then to a human."""
    result, stage = happened.results[0], stage_of(place)
    if result.passed:
        if stage.work is Work.IMPLEMENT:
            return _ask(replace(place, repairs=0), now)
        return _close(replace(place, repairs=0), now)
    red = replace(place, feedback=result.reply, repairs=place.repairs + 1)
    if stage.on_fail:
        return _flow(red, Outcome(Kind.REFUSED, reason=result.detail), rules, now, result.reply)
    if red.repairs > REPAIRS:
        return _flow(red, Outcome(Kind.FAILED, reason=result.detail), rules, now)
    return _at(red, Step.REPAIR, Turn.REPAIR_CHECKS)


def _closed(place: Place, _happened: Happened, rules: Rules, now: float) -> Next:
    return _flow(place, Outcome(Kind.PASSED, headless=rules.headless), rules, now)


def _handed_over(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    return _flow(place, Outcome(Kind.PASSED, reason=happened.results[0].detail), rules, now)


STEPS: dict[Step, Callable[[Place, Happened, Rules, float], Next]] = {
    Step.OPEN: _opened,
    Step.AUTHOR: _authored,
    Step.REVIEW: _reviewed,
    Step.TASKS: _listed,
    Step.TASK: _done_task,
    Step.CHECK: _checked,
    Step.REPAIR: _authored,
    Step.CLOSE: _closed,
    Step.HANDOVER: _handed_over,
}


def _flow(place: Place, outcome: Outcome, rules: Rules, now: float, feedback: str = "") -> Next:
    """Ask the flow; what it says becomes jobs, a wait or the end."""
    move = advance(place.state, outcome)
    moved = replace(place, state=move.state, feedback=feedback or place.feedback)
    match move.do:
        case Do.RUN:
            if outcome.kind is Kind.CONTINUE:
                return Next(Do.RUN, moved, jobs_of(moved))
            again = outcome.kind in (Kind.REJECT, Kind.REFUSED)
            return _enter(moved, rules, now, again=again)
        case Do.HAND_OVER:
            return _at(moved, Step.HANDOVER)
        case Do.WAIT if _passes(move.state.position, moved, rules):
            return _flow(moved, Outcome(Kind.APPROVE), rules, now)
        case Do.WAIT | Do.END | Do.REFUSE:
            return Next(move.do, moved)


def _passes(position: Position, place: Place, rules: Rules) -> bool:
    """A gate that the settings don't want."""
    return position is Position.GATE and place.state.stage not in rules.gates


def _enter(place: Place, rules: Rules, now: float, *, again: bool = False) -> Next:
    stage = stage_of(place)
    marks = {**place.marks, stage.name: Mark(now)} if not again else place.marks
    loop = Loop(stage.reviewers, min(stage.cap, rules.cap)) if stage.reviewers else None
    here = replace(place, loop=loop, turn=0, repairs=0, open=(), marks=marks, idle=0, done=())
    here = here if again else replace(here, feedback="", note="")
    match stage.work:
        case Work.DOCUMENT:
            return _at(here, Step.AUTHOR, Turn.REDO if again and here.feedback else Turn.WRITE)
        case Work.IMPLEMENT:
            return _at(here, Step.AUTHOR, Turn.REDO) if again else _at(here, Step.TASKS)
        case Work.BUILD:
            return _at(here, Step.AUTHOR, Turn.BUILD)
        case Work.JUDGE:
            return _at(here, Step.AUTHOR, Turn.JUDGE)
        case Work.CHECK:
            return _at(here, Step.CHECK)


def _ask(place: Place, now: float) -> Next:
    """The reviewers whose turn it is; with none the stage is done."""
    if place.loop is None or not place.loop.asks:
        return _close(place, now)
    iteration = max(place.loop.iteration, mark_of(place).iterations)
    asked = replace(marked(place, iterations=iteration), step=Step.REVIEW)
    return Next(Do.RUN, asked, review_jobs(asked))


def _close(place: Place, now: float) -> Next:
    return _at(marked(place, completed=now), Step.CLOSE)


def _at(place: Place, step: Step, turn: Turn = Turn.NONE) -> Next:
    here = replace(place, step=step, turn=place.turn + (step is Step.AUTHOR), asked=turn)
    return Next(Do.RUN, here, jobs_of(here))
