"""What a move is made of: the ways on to another step, to the flow, to a human. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.context.documents.handoff import Handoff
from sparing.continuation import Continuation
from sparing.conversation import Conversation, question_key
from sparing.ending import Ending
from sparing.flow.advance import advance
from sparing.flow.flows import TIERS, builder_of
from sparing.flow.stage import StageWork
from sparing.flow.state import Do, Move, Outcome, OutcomeKind, Position
from sparing.job import Job, JobResult
from sparing.review.governor import GovernorRuling, SeenVerdict, SinceLastLook
from sparing.review.panel_rule import PanelRule
from sparing.stages import review_rounds
from sparing.stages.auto_gate import by_rule
from sparing.stages.jobs import jobs_of, review_jobs
from sparing.stages.place import (
    Mark,
    Place,
    is_closed,
    is_last,
    mark_of,
    marked,
    reopened,
    stage_of,
)
from sparing.stages.review_rounds import Bench
from sparing.task_progress import TaskProgress
from sparing.turn import TURNS, StageStep, Turn


class DocumentProblems(NamedTuple):
    """What is wrong with the document that an author has just written."""

    blocking: tuple[str, ...] = ()
    """Why nothing can be built on it."""
    warnings: tuple[str, ...] = ()
    feedback: str = ""
    """Hash of the feedback for the author."""


@dataclass(frozen=True, slots=True)
class Happened:
    """The results of the last jobs, or a person's answer at the start of a leg."""

    results: tuple[JobResult, ...] = ()
    seen: tuple[SeenVerdict, ...] = ()
    said: SinceLastLook = SinceLastLook()  # answers, rulings, what each reviewer looks at
    second: SeenVerdict | None = None
    """For a panel: the verdict of the reviewer that follows the one that passed."""
    answer: Outcome | None = None
    feedback: str = ""
    handoff: Handoff = Handoff()  # with what an author has ended: a tier's block, or its questions
    asked: tuple[tuple[str, ...], ...] = ()  # by tasks side by side, in the order of `results`
    block: str = ""
    """Hash of the feedback for an author whose handoff block can't be read."""
    recoded: bool = False
    """Code was changed after the checks were green."""
    redefined: tuple[tuple[str, str], ...] = ()
    """How checks were changed after their last run, at a flow's end: the words and a key."""
    unanswered: str = ""
    """Hash of a person's comments that the author has not answered."""
    document: DocumentProblems = DocumentProblems()


class StageRules(NamedTuple):
    """The settings that matter here."""

    cap: int
    gates: frozenset[str]
    headless: bool
    strict: bool = False
    """The original's pass rule decides, and not the governor."""
    assistants: frozenset[str] = frozenset()
    """Who may help beside authors and reviewers."""
    auto: bool = False
    """A gate may pass by rule."""
    others: frozenset[str] = frozenset()
    """Gates that another person than the starter must approve."""
    continues: bool = False
    """The stages of a tier share one session, as long as that is possible and cheap."""
    asks: bool = True
    """True if authors' questions go to a person; otherwise their default answers are used."""
    judges_inside: bool = False
    """True if the judge works in the builder's session, as in the original."""
    panel: PanelRule = review_rounds.APART

    @property
    def bench(self) -> Bench:
        return Bench(self.cap, self.strict, self.headless, all_again=self.judges_inside)


class Next(NamedTuple):
    do: Do
    place: Place
    jobs: tuple[Job, ...] = ()
    ruled: GovernorRuling | None = None
    """After a review: what was decided, and why."""
    before: GovernorRuling | None = None
    """Of a panel's second verdict: what was decided of the first."""
    by_rule: str = ""
    """Why a gate passed without asking a person; empty if none did."""
    notes: tuple[tuple[str, str], ...] = ()
    """Further messages to record: role and text."""


StepHandler = Callable[[Place, Happened, StageRules, float], Next]
"""What follows when a step's jobs are done."""


def flow(place: Place, outcome: Outcome, rules: StageRules, now: float, feedback: str = "") -> Next:
    """Ask the flow; what it says becomes jobs, a wait or the end."""
    move = advance(place.state, outcome)
    told = heard(place.talk, place.state.stage, outcome.kind)
    moved = replace(place, state=move.state, feedback=feedback or place.feedback)
    moved = _refused(moved, outcome, move) if move.do is Do.REFUSE else replace(moved, talk=told)
    match move.do:
        case Do.RUN if outcome.kind is OutcomeKind.CONTINUE:
            return _resumed(moved)
        case Do.RUN if outcome.kind is OutcomeKind.ANSWER:
            return ask_for(moved, Turn.ANSWER)
        case Do.RUN:
            return _run(place, moved, outcome.kind, rules, now)
        case Do.HAND_OVER:
            return at(moved, StageStep.HANDOVER)
        case Do.WAIT if move.state.position is Position.GATE:
            return _at_gate(moved, rules, now)
        case Do.WAIT if outcome.kind is OutcomeKind.REJECT and is_closed(place):
            return at(reopened(moved), StageStep.REOPEN)
        case Do.WAIT | Do.END | Do.REFUSE:
            return Next(move.do, moved)


def _refused(place: Place, outcome: Outcome, move: Move) -> Place:
    """Tell a person why the gate still asks."""
    told = replace(place.state, reason=move.note)
    return replace(place, state=told) if outcome.unfit else place


def _run(place: Place, moved: Place, kind: OutcomeKind, rules: StageRules, now: float) -> Next:
    """Start a stage, or start it again; a completed feature is first reopened on its branch."""
    again = kind in (OutcomeKind.REJECT, OutcomeKind.REFUSED)
    fresh = kind is OutcomeKind.REJECT and rules.judges_inside and moved.state.flow in TIERS
    on = replace(moved, going=Continuation(anew=fresh or kind is OutcomeKind.RERUN))
    on = on if moved.state.stage == place.state.stage else replace(on, review=None)
    if is_closed(place):
        return at(reopened(on), StageStep.REOPEN, Turn.REDO if again else Turn.NONE)
    return enter(on, rules, now, again=again)


def _at_gate(place: Place, rules: StageRules, now: float) -> Next:
    """Ask a person; in auto mode only if no rule lets the gate pass, with the reason."""
    if passes(place.state.position, place, rules):
        return flow(place, Outcome(OutcomeKind.APPROVE), rules, now)
    if not rules.auto:
        return Next(Do.WAIT, place)
    found = by_rule(place, rules.gates, rules.others)
    if found.passes:
        on = flow(place, Outcome(OutcomeKind.APPROVE), rules, now)
        return on if on.do is Do.REFUSE else on._replace(by_rule=found.words)
    held = replace(place.state, reason=f"not passed by rule: {found.words}")
    return Next(Do.WAIT, replace(place, state=held))


def passes(position: Position, place: Place, rules: StageRules) -> bool:
    """Whether a gate is switched off or already answered by a person. The last gate still asks:
    what is merged was committed after that answer."""
    taken = place.accepted and not is_last(place)
    return position is Position.GATE and (taken or place.state.stage not in rules.gates)


def enter(place: Place, rules: StageRules, now: float, *, again: bool = False) -> Next:
    stage = stage_of(place)
    state = place.state.entered()
    review = review_rounds.opened(stage, rules.bench, place.review, rules.panel)
    here = replace(
        place, state=state, review=review, turn=0, repairs=0, idle=0, done=(), facts="",
        unproven=(), accepted=False, part=0,
        talk=entered(place.talk, codes=stage.work in (StageWork.IMPLEMENT, StageWork.BUILD)),
    )  # fmt: skip
    here = replace(here, marks={**place.marks, stage.name: _mark(place, now, again=again)})
    here = here if again else replace(here, feedback="", note="", open=(), research=())
    here = here if again else replace(here, ending=Ending())
    here = replace(here, going=replace(place.going, thread=_thread(place, rules)))
    match stage.work:
        case StageWork.DOCUMENT:
            return _document(here, rules, again=again)
        case StageWork.PROPOSE:
            return ask_for(here, Turn.PROPOSE)
        case StageWork.IMPLEMENT:
            anew = replace(here, building=here.keeping or TaskProgress(), keeping=None)
            first = StageStep.UNDO if anew.building.undo else StageStep.TASKS
            return ask_for(here, Turn.REDO) if again else at(anew, first)
        case StageWork.BUILD:
            return begin(here, Turn.BUILD)
        case StageWork.JUDGE:
            return begin(here, Turn.JUDGE)
        case StageWork.CHECK:
            if stage.learns and again and here.feedback:
                return ask_for(here, Turn.REDO)
            return at(here, StageStep.SURVEY if stage.learns else StageStep.CHECK)


def _mark(place: Place, now: float, *, again: bool) -> Mark:
    """How an earlier attempt at the stage ended says nothing of this one."""
    before = place.marks.get(place.state.stage, Mark(now))
    kept = again and place.state.stage in place.marks
    began = replace(before, completed=None, cap_reached=False, notes=()) if kept else Mark(now)
    # Where nobody reviews, how often the stage was worked on is all there is to count.
    count = began.iterations if stage_of(place).reviewers else before.iterations + 1
    return replace(began, iterations=count, base=before.base if kept else place.head)


def _document(place: Place, rules: StageRules, *, again: bool) -> Next:
    """Ask the researchers before the author; a second attempt already has their results."""
    asked = tuple((role, "") for role in stage_of(place).research if role in rules.assistants)
    if asked and not again:
        return at(replace(place, research=asked), StageStep.RESEARCH)
    if again and place.feedback:  # all of it is there
        return begin(replace(place, part=max(0, len(stage_of(place).parts) - 1)), Turn.REDO)
    return begin(place, Turn.WRITE)


def _resumed(place: Place) -> Next:
    """Continue where it was; if the author has made nothing yet, weigh its session again."""
    if (
        place.going.thread
        and place.step in (StageStep.AUTHOR, StageStep.HAND_OFF)
        and place.turn <= 1
    ):
        return begin(replace(place, turn=0), place.asked)
    return Next(Do.RUN, place, jobs_of(place))


def begin(place: Place, turn: Turn) -> Next:
    """The author's first turn of a stage; in a session that stages share it is weighed first."""
    return at(place, StageStep.WEIGH if place.going.thread else StageStep.AUTHOR, turn)


def _thread(place: Place, rules: StageRules) -> str:
    """The shared session's name; the judge stays outside of it unless the rules say otherwise."""
    flow_name, stage = place.state.flow, stage_of(place)
    if not rules.continues or flow_name not in TIERS:
        return ""
    builds = stage.author == builder_of(flow_name)
    return flow_name if builds or (rules.judges_inside and stage.work is StageWork.JUDGE) else ""


def ask(place: Place, now: float) -> Next:
    """The reviewers whose turn it is; with none the stage is done."""
    if place.loop is None or not place.loop.asks:
        return close(place, now)
    iteration = max(place.loop.iteration, mark_of(place).iterations)
    asked = replace(marked(place, iterations=iteration), step=StageStep.REVIEW)
    return Next(Do.RUN, asked, review_jobs(asked))


def close(place: Place, now: float) -> Next:
    left = tuple(f"task {number} was left out: {why}" for number, why in place.building.skipped)
    notes = (*review_rounds.notes_of(place.review), *(place.ending.unfinished or left))
    return at(marked(place, completed=now, notes=notes), StageStep.CLOSE)


def at(place: Place, step: StageStep, turn: Turn = Turn.NONE) -> Next:
    here = replace(place, step=step, turn=place.turn + (step is StageStep.AUTHOR), asked=turn)
    if step is StageStep.AUTHOR and place.state.flow in TIERS:
        here = replace(here, talk=replace(here.talk, block_due=True))
    return Next(Do.RUN, here, jobs_of(here))


def ask_for(place: Place, turn: Turn) -> Next:
    """An agent's turn, at the step that is its own."""
    return at(place, TURNS[turn].step, turn)


def heard(talk: Conversation, stage: str, kind: OutcomeKind) -> Conversation:
    """The conversation after an outcome in a stage."""
    match kind:
        case OutcomeKind.REJECT:
            rejected = tuple(dict.fromkeys((*talk.rejected, stage)))
            return replace(talk, questions=(), rejected=rejected)
        case OutcomeKind.APPROVE:
            return replace(talk, rejected=tuple(one for one in talk.rejected if one != stage))
        case OutcomeKind.ANSWER:
            keys = (question_key(one) for one in talk.questions)
            settled = tuple(dict.fromkeys((*talk.settled, *keys)))
            return replace(talk, questions=(), settled=settled)
        case _:
            return talk


def entered(talk: Conversation, *, codes: bool) -> Conversation:
    """At the beginning of a stage; one that makes code has to show green checks itself."""
    return replace(talk, questions=(), changed=(), unread="", green="" if codes else talk.green)
