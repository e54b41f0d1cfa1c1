"""Which jobs come next: one stage's steps, wired from flow and review.

Pure: a place and what came of the last jobs give the next place and its jobs. `decide` records
the answer, so a replay never asks this code about a move that was already made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparing.agents.backend import Failure
from sparing.engine import rounds
from sparing.engine.jobs import BUDGET, LOOP, Result, Turn
from sparing.engine.moves import Happened, Next, Rules, ask, at, close, enter, flow
from sparing.engine.place import Place, Step, marked, stage_of
from sparing.flow.advance import advance
from sparing.flow.stage import Work
from sparing.flow.state import Cause, Kind, Outcome, Position
from sparing.review.governor import Ruled
from sparing.review.loop import Decision
from sparing.review.stall import idle

REPAIRS = 3
"""How often an agent may try to turn red checks green."""
CAUSES = {BUDGET: Cause.BUDGET, LOOP: Cause.LOOP}


def next_move(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    here = replace(place, moves=place.moves + 1)
    if happened.answer is not None:
        return _answered(here, happened, happened.answer, rules, now)
    if not happened.results:
        return at(here, Step.OPEN)
    failed = next((result for result in happened.results if result.failure), None)
    if failed is not None:
        good = tuple(result for result in happened.results if not result.failure)
        return _failed(replace(here, done=good), failed, rules, now)
    commit = next((result.commit for result in happened.results if result.commit), here.head)
    return STEPS[here.step](replace(here, head=commit, done=()), happened, rules, now)


def _answered(place: Place, happened: Happened, answer: Outcome, rules: Rules, now: float) -> Next:
    """A human's answer. One that accepts what a stage has lets the stage itself go on."""
    state = place.state
    accepts = answer.kind is Kind.APPROVE and state.position is Position.STUCK
    if not accepts or not state.acceptable or place.review is None:
        return flow(place, answer, rules, now, happened.feedback)
    return _waved(replace(place, state=advance(state, Outcome(Kind.GO_ON)).state), happened, now)


def _waved(place: Place, happened: Happened, now: float) -> Next:
    assert place.review is not None
    if not rounds.escalated(place.review):
        return close(replace(place, unproven=(), accepted=True), now)
    ruled = rounds.waved(place.review, happened.said)
    after = replace(place, review=ruled.state)
    if ruled.decision is Decision.ACCEPT:
        return close(replace(after, accepted=True), now)._replace(ruled=ruled)
    return _follow(after, ruled, now)


def _failed(place: Place, result: Result, rules: Rules, now: float) -> Next:
    detail = _last_words(result.detail) if result.failure == Failure.CRASHED else result.detail
    words = f"{result.failure}: {detail}" if detail else result.failure
    cause = CAUSES.get(result.failure, Cause.FAILED)
    return flow(place, Outcome(Kind.FAILED, reason=words, cause=cause), rules, now)


def _last_words(text: str) -> str:
    """What a crash comes to; all that was printed stays in the ledger."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _opened(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    baseline = happened.results[0].baseline or place.baseline
    return enter(replace(place, baseline=baseline), rules, now)


def _authored(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    """An author has written: reviewers are asked, or the work goes on."""
    stage, result, answers = stage_of(place), happened.results[0], happened.said.answers
    turns = 0 if result.changed or answers else place.idle + 1
    if why := idle(stage.author, turns):
        return _failed(replace(place, idle=0), Result(failure=LOOP, detail=why), rules, now)
    mends = place.step is Step.REPAIR and place.note
    written = replace(
        place, note=place.note if mends else result.reply, feedback="", idle=turns,
        review=rounds.answered(place.review, answers),
    )  # fmt: skip
    match stage.work:
        case Work.DOCUMENT:
            return ask(written, now)
        case Work.IMPLEMENT | Work.BUILD:
            return at(written, Step.CHECK)
        case Work.JUDGE:
            return _judged(written, happened, rules, now)
        case Work.CHECK:
            return at(written, Step.CHECK)


def _judged(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    result = happened.results[0]
    if result.passed:
        return close(place, now)
    refused = replace(place, open=(result.dispatch,))
    reason = f"{stage_of(place).author} is not satisfied"
    return flow(refused, Outcome(Kind.REFUSED, reason=reason), rules, now)


def _reviewed(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    assert place.review is not None
    ruled = rounds.judged(place.review, happened.seen, happened.said, rules.bench)
    after = replace(place, review=ruled.state)
    if ruled.decision is Decision.ESCALATE:
        kind = Kind.CAPPED_BLOCKERS if ruled.blocked else Kind.CAPPED_WARNINGS
        outcome = Outcome(kind, reason=rounds.why(ruled))
        return flow(marked(after, cap_reached=True), outcome, rules, now)._replace(ruled=ruled)
    if ruled.decision is Decision.ACCEPT and place.unproven:
        reason = f"claimed and not done: {'; '.join(place.unproven)}"
        outcome = Outcome(Kind.CAPPED_BLOCKERS, reason=reason)
        return flow(after, outcome, rules, now)._replace(ruled=ruled)
    return _follow(after, ruled, now)


def _follow(place: Place, ruled: Ruled, now: float) -> Next:
    """What a decision that needs no human leads to."""
    match ruled.decision:
        case Decision.ASK:
            found = ask(place, now)
        case Decision.REVISE:
            found = at(place, Step.AUTHOR, Turn.REVISE)
        case Decision.ACCEPT | Decision.ESCALATE:
            found = close(place, now)
    return found._replace(ruled=ruled)


def _listed(place: Place, happened: Happened, _rules: Rules, _now: float) -> Next:
    return at(replace(place, tasks=happened.results[0].tasks, task=0), Step.TASK)


def _done_task(place: Place, happened: Happened, _rules: Rules, _now: float) -> Next:
    done = replace(place, task=place.task + 1, note=happened.results[0].reply)
    if done.task < len(done.tasks):
        return at(done, Step.TASK)
    return at(done, Step.CHECK)


def _checked(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    """The program's own look: green goes on, red goes to an agent a few times, then to a human."""
    result, stage = happened.results[0], stage_of(place)
    here = replace(place, facts=result.facts, unproven=result.unproven)
    if result.passed:
        if stage.work is Work.IMPLEMENT:
            return ask(replace(here, repairs=0), now)
        return close(replace(here, repairs=0), now)
    red = replace(here, feedback=result.reply, repairs=place.repairs + 1)
    if stage.on_fail:
        return flow(red, Outcome(Kind.REFUSED, reason=result.detail), rules, now, result.reply)
    if red.repairs > REPAIRS:
        return flow(red, Outcome(Kind.FAILED, reason=result.detail), rules, now)
    return at(red, Step.REPAIR, Turn.REPAIR_CHECKS)


def _closed(place: Place, _happened: Happened, rules: Rules, now: float) -> Next:
    concerned = bool(rounds.open_of(place.review))
    outcome = Outcome(Kind.PASSED, headless=rules.headless, concerned=concerned)
    return flow(place, outcome, rules, now)


def _handed_over(place: Place, happened: Happened, rules: Rules, now: float) -> Next:
    return flow(place, Outcome(Kind.PASSED, reason=happened.results[0].detail), rules, now)


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
