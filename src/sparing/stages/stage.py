"""Which jobs come next: one stage's steps, wired from flow and review.

Pure: a place and the results of the last jobs give the next place and its jobs. `decide` records
the answer, so a replay never asks this code about a move that was already made.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.conversation import agreed_to_changes
from sparing.flow.advance import advance
from sparing.flow.stage import StageWork
from sparing.flow.state import Cause, Outcome, OutcomeKind, Position
from sparing.job import LOOP, JobResult
from sparing.review.stall import idle
from sparing.stages import (
    assistants,
    base_sync,
    last_stage,
    pull_fix,
    refine,
    review_outcome,
    review_rounds,
    task_orders,
    tasks,
    tier_sessions,
)
from sparing.stages.auto_gate import REDEFINED, unpassed_words
from sparing.stages.document_repair import left_unfit, sent_back
from sparing.stages.failure import failing
from sparing.stages.moves import (
    Happened,
    Next,
    StageRules,
    StepHandler,
    ask,
    ask_for,
    at,
    close,
    enter,
    flow,
)
from sparing.stages.place import Place, has_more_parts, mark_of, marked, stage_of
from sparing.stages.questions import (
    declined,
    nothing_changed,
    stop_for,
    take_defaults,
    wrote_nothing,
)
from sparing.turn import StageStep, Turn

REPAIRS = 3
"""How often an agent may try to turn red checks green."""


def next_move(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    return refine.onward(place, happened, _next_move(place, happened, rules, now))


def _next_move(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    here = replace(place, moves=place.moves + 1)
    if happened.answer is not None:
        detour = base_sync.asked(here, happened.answer)
        detour = detour or refine.asked(here, happened, happened.answer, rules, now)
        detour = detour or task_orders.asked(here, happened, happened.answer, rules, now)
        detour = detour or pull_fix.asked(here, happened, happened.answer, rules, now)
        return detour or _answered(here, happened, happened.answer, rules, now)
    if not happened.results:
        return at(here, StageStep.OPEN)
    if here.step in base_sync.STEPS:  # nothing of it is on the branch before it fits
        return STEPS[here.step](here, happened, rules, now)
    if here.step is StageStep.WAVE:  # its commits are not on the branch yet
        return tasks.waved(here, happened, rules, now)
    failed = next((result for result in happened.results if result.failure), None)
    if failed is not None:
        good = tuple(result for result in happened.results if not result.failure)
        head = failed.commit or here.head  # what failed may have committed something first
        failed = left_unfit(here, happened, failed)
        return _stopped(replace(here, head=head, done=good), failed, rules, now)
    commit = next((result.commit for result in happened.results if result.commit), here.head)
    return STEPS[here.step](replace(here, head=commit, done=()), happened, rules, now)


def _stopped(place: Place, result: JobResult, rules: StageRules, now: float) -> Next:
    """What fails goes to a person, unless there is a way around."""
    if place.step in assistants.HELPS:
        return assistants.without_help(place, result)
    if place.step is StageStep.TASK:
        return tasks.failed_task(place, result, rules, now)
    if (refusal := declined(place, result)) is not None:
        return flow(replace(place, note=result.reply), refusal, rules, now)
    return failing(place, result, rules, now)


def _answered(
    place: Place, happened: Happened, answer: Outcome, rules: StageRules, now: float
) -> Next:
    """Handle a person's answer. One that accepts a stage's result lets the stage itself
    continue."""
    state = place.state
    if tier_sessions.asks_for_handoff(place) and answer.kind in tier_sessions.ANSWERS:
        return tier_sessions.answered(place, answer)
    accepts = answer.kind is OutcomeKind.APPROVE and state.position is Position.STUCK
    if accepts and stage_of(place).writes in dict(answer.unfit):
        return flow(place, answer, rules, now)
    if accepts and (taken := _accepted(place, rules, now)) is not None:
        return taken
    at_task = state.position is Position.STUCK and place.step in tasks.AT_WORK
    if at_task and answer.kind in (OutcomeKind.REJECT, OutcomeKind.ANSWER):
        return tasks.rejected(place, happened, answer, rules, now)
    if not accepts or not state.acceptable or place.review is None:
        return flow(place, answer, rules, now, happened.feedback)
    if at_task:
        return tasks.left_out(place)
    if place.step in assistants.DIVERGING:
        return assistants.taken(place)
    return review_outcome.waved(
        replace(place, state=advance(state, Outcome(OutcomeKind.GO_ON)).state), happened, now
    )


def _accepted(place: Place, rules: StageRules, now: float) -> Next | None:
    """What stopped the stage lies outside of its review: unfinished tasks, changed checks, its
    end. None if it is the review."""
    if place.state.cause is Cause.DECLINED and place.state.acceptable:
        on = advance(place.state, Outcome(OutcomeKind.GO_ON)).state
        return close(replace(place, state=on, accepted=True), now)
    if last_stage.is_asked(place):
        return last_stage.went_on(place, rules)
    if place.state.acceptable and place.talk.changed:
        return _agreed(place)
    return last_stage.took_last(place, now) if last_stage.takes_last(place) else None


def _opened(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    baseline = happened.results[0].baseline or place.baseline
    opened = replace(place, baseline=baseline, given=(), talk=replace(place.talk, rewind=""))
    found = enter(opened, rules, now)
    # A leg that was begun anew knows which tasks were done before it.
    return found._replace(place=replace(found.place, building=place.building))


def _researched(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    """Start the author; researchers that failed or found nothing are left out."""
    replies = {result.role: result.reply for result in happened.results}
    found = tuple((role, replies[role]) for role, _ in place.research if replies.get(role))
    return ask_for(replace(place, research=found), Turn.WRITE)


def _authored(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Handle an author's reply; its handoff block may stop the stage, or use default answers."""
    author, taken = stage_of(place).author, take_defaults(place, happened.handoff, asks=rules.asks)
    found = _said(replace(place, talk=taken.talk), happened, rules, now)
    return found._replace(notes=(*((author, one) for one in taken.words), *found.notes))


def _said(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    handoff, note = happened.handoff, happened.results[0].reply
    if handoff.lacks_block and place.talk.unread != place.state.stage:
        talk = replace(place.talk, unread=place.state.stage)
        return ask_for(replace(place, note=note, feedback=happened.block, talk=talk), Turn.ANSWER)
    stop = stop_for(place, handoff)
    if stop is None and happened.unanswered:
        again = replace(place, note=note, feedback=happened.unanswered)
        return at(again, StageStep.AUTHOR, place.asked)
    if stop is None and wrote_nothing(place, handoff, happened.results[0]):
        return failing(place, nothing_changed(stage_of(place).author), rules, now)
    if stop is None and happened.document.blocking:
        return sent_back(place, happened, rules, now)
    if stop is None:
        warnings = tuple((stage_of(place).author, one) for one in happened.document.warnings)
        return _written(place, happened, rules, now)._replace(notes=warnings)
    review = review_rounds.answered(place.review, happened.said.answers)
    told = replace(place, note=note, feedback="", talk=stop.talk, review=review)
    return flow(told, stop.outcome, rules, now)


def _written(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Ask the reviewers, or continue with the next step."""
    stage, result, answers = stage_of(place), happened.results[0], happened.said.answers
    goes_on = place.step is StageStep.PART
    turns = 0 if result.changed or answers or goes_on else place.idle + 1
    if why := idle(stage.author, turns):
        return failing(replace(place, idle=0), JobResult(failure=LOOP, detail=why), rules, now)
    mends = place.step is StageStep.REPAIR and place.note
    written = replace(
        place, note=place.note if mends else result.reply, feedback="", idle=turns,
        review=review_rounds.answered(place.review, answers),
    )  # fmt: skip
    match stage.work:
        case StageWork.DOCUMENT if has_more_parts(written):
            return ask_for(replace(written, part=place.part + 1), Turn.PART)
        case StageWork.DOCUMENT:
            return ask(replace(written, repairs=0), now)
        case StageWork.PROPOSE:
            return close(written, now)
        case StageWork.IMPLEMENT | StageWork.BUILD:
            return at(written, StageStep.CHECK)
        case StageWork.JUDGE:
            return _judged(written, happened, rules, now)
        case StageWork.CHECK:
            return at(
                written, StageStep.SURVEY if place.step is StageStep.AUTHOR else StageStep.CHECK
            )


def _judged(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    result = happened.results[0]
    noted = marked(place, notes=review_rounds.verdict_notes(happened.seen))
    if result.passed:
        return close(noted, now)
    refused = replace(noted, open=(result.dispatch,))
    reason = f"{stage_of(place).author} is not satisfied"
    return flow(refused, Outcome(OutcomeKind.REFUSED, reason=reason), rules, now)


def _checked(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """The program's checks: green continues, red goes to an agent a few times, then to a person."""
    result, stage = happened.results[0], stage_of(place)
    here = replace(place, facts=result.facts, unproven=result.unproven)
    if result.passed and result.asks:
        return _changed(here, result, rules, now)
    if result.passed:
        here = replace(here, talk=replace(here.talk, green=here.head))
        if stage.work is StageWork.IMPLEMENT:
            return ask(replace(here, repairs=0), now)
        return close(replace(here, repairs=0), now)
    red = replace(here, feedback=result.reply, repairs=place.repairs + 1)
    red = replace(red, talk=replace(red.talk, green=""))
    if stage.on_fail:
        return flow(
            red, Outcome(OutcomeKind.REFUSED, reason=result.detail), rules, now, result.reply
        )
    if red.repairs > REPAIRS:
        return flow(red, Outcome(OutcomeKind.FAILED, reason=result.detail), rules, now)
    return ask_for(red, Turn.REPAIR_CHECKS)


def _changed(place: Place, result: JobResult, rules: StageRules, now: float) -> Next:
    """Checks are not what they were when the feature began: only a person can want that."""
    keys = tuple(key for _, key in result.asks)
    asked = replace(place, talk=replace(place.talk, green="", changed=keys))
    words = "; ".join(words for words, _ in result.asks)
    reason = f"checks were changed; approve only if you want that: {words}"
    return flow(asked, Outcome(OutcomeKind.CAPPED_BLOCKERS, reason=reason), rules, now)


def _agreed(place: Place) -> Next:
    """The checks run again: what a person has edited meanwhile is not taken on their word."""
    on = advance(place.state, Outcome(OutcomeKind.GO_ON)).state
    return at(replace(place, state=on, talk=agreed_to_changes(place.talk)), StageStep.CHECK)


def _closed(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """A stage is done; the settings say whether it stops, whatever the flow has of its own."""
    left = review_rounds.open_of(place.review) or place.ending.unfinished
    concerned = bool(left) or mark_of(place).cap_reached
    stops = place.state.stage in rules.gates
    changed = "; ".join(words for words, _ in happened.redefined)
    redefined = f"{REDEFINED}: {changed}" if changed else ""
    said = (tasks.left_words(place), unpassed_words(place, rules.gates), redefined)
    told = "; ".join(words for words in said if words)
    outcome = Outcome(
        OutcomeKind.PASSED, headless=rules.headless, concerned=concerned, stops=stops, reason=told
    )
    green = "" if happened.recoded else place.talk.green
    keys = tuple(key for _, key in happened.redefined)
    talk = replace(place.talk, green=green, changed=keys)
    return flow(replace(place, talk=talk), outcome, rules, now)


STEPS: dict[StageStep, StepHandler] = {
    **assistants.STEPS,
    **dict.fromkeys(base_sync.STEPS, base_sync.came),
    StageStep.OPEN: _opened,
    StageStep.RESEARCH: _researched,
    StageStep.AUTHOR: _authored,
    StageStep.PART: _authored,
    StageStep.REVIEW: review_outcome.reviewed,
    StageStep.TASKS: tasks.listed,
    StageStep.TASK: tasks.done_task,
    StageStep.PROVE: tasks.proved,
    StageStep.JOIN: tasks.joined,
    StageStep.NOTE: tasks.noted,
    StageStep.SKIP: tasks.noted,
    StageStep.UNDO: task_orders.undone,
    StageStep.TRACE: refine.traced,
    StageStep.CHECK: _checked,
    StageStep.REPAIR: _authored,
    StageStep.SURVEY: last_stage.surveyed,
    StageStep.RETRO: last_stage.retrospected,
    StageStep.CLOSE: _closed,
    StageStep.REOPEN: refine.taken_back,
    StageStep.HANDOVER: last_stage.handed_over,
    StageStep.WEIGH: tier_sessions.after_weighing,
    StageStep.HAND_OFF: tier_sessions.after_handoff,
}
