"""What a move is made of: the ways on from a step, to another step, to the flow, to a human.

Pure, like the handlers in `stage` and its neighbours that use them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.engine import rounds
from sparing.engine.asks import jobs_of, review_jobs
from sparing.engine.jobs import Job, Result, Turn
from sparing.engine.place import Mark, Place, Step, mark_of, marked, stage_of
from sparing.engine.rounds import Bench
from sparing.flow.advance import advance
from sparing.flow.stage import Work
from sparing.flow.state import Do, Kind, Outcome, Position
from sparing.review.governor import Ruled, Said, Seen


@dataclass(frozen=True, slots=True)
class Happened:
    """What the last jobs gave, or what a human said at the start of a leg."""

    results: tuple[Result, ...] = ()
    seen: tuple[Seen, ...] = ()
    said: Said = Said()
    """The author's answers, a human's rulings, and what each reviewer looks at."""
    answer: Outcome | None = None
    feedback: str = ""


class Rules(NamedTuple):
    """The settings that matter here."""

    cap: int
    gates: frozenset[str]
    headless: bool
    strict: bool = False
    """The original's pass rule decides, and not the governor."""

    @property
    def bench(self) -> Bench:
        return Bench(self.cap, self.strict, self.headless)


class Next(NamedTuple):
    do: Do
    place: Place
    jobs: tuple[Job, ...] = ()
    ruled: Ruled | None = None
    """Of a look: what was decided, and why."""


def flow(place: Place, outcome: Outcome, rules: Rules, now: float, feedback: str = "") -> Next:
    """Ask the flow; what it says becomes jobs, a wait or the end."""
    move = advance(place.state, outcome)
    moved = replace(place, state=move.state, feedback=feedback or place.feedback)
    match move.do:
        case Do.RUN:
            if outcome.kind is Kind.CONTINUE:
                return Next(Do.RUN, moved, jobs_of(moved))
            if move.state.stage != place.state.stage:
                moved = replace(moved, review=None)
            again = outcome.kind in (Kind.REJECT, Kind.REFUSED)
            return enter(moved, rules, now, again=again)
        case Do.HAND_OVER:
            return at(moved, Step.HANDOVER)
        case Do.WAIT if passes(move.state.position, moved, rules):
            return flow(moved, Outcome(Kind.APPROVE), rules, now)
        case Do.WAIT | Do.END | Do.REFUSE:
            return Next(move.do, moved)


def passes(position: Position, place: Place, rules: Rules) -> bool:
    """A gate that the settings don't want, or that a human has answered already."""
    return position is Position.GATE and (place.accepted or place.state.stage not in rules.gates)


def enter(place: Place, rules: Rules, now: float, *, again: bool = False) -> Next:
    stage = stage_of(place)
    marks = {**place.marks, stage.name: Mark(now)} if not again else place.marks
    review = rounds.opened(stage, rules.bench, place.review)
    here = replace(
        place, review=review, turn=0, repairs=0, marks=marks, idle=0, done=(), facts="",
        unproven=(), accepted=False,
    )  # fmt: skip
    here = here if again else replace(here, feedback="", note="", open=())
    match stage.work:
        case Work.DOCUMENT:
            return at(here, Step.AUTHOR, Turn.REDO if again and here.feedback else Turn.WRITE)
        case Work.IMPLEMENT:
            return at(here, Step.AUTHOR, Turn.REDO) if again else at(here, Step.TASKS)
        case Work.BUILD:
            return at(here, Step.AUTHOR, Turn.BUILD)
        case Work.JUDGE:
            return at(here, Step.AUTHOR, Turn.JUDGE)
        case Work.CHECK:
            return at(here, Step.CHECK)


def ask(place: Place, now: float) -> Next:
    """The reviewers whose turn it is; with none the stage is done."""
    if place.loop is None or not place.loop.asks:
        return close(place, now)
    iteration = max(place.loop.iteration, mark_of(place).iterations)
    asked = replace(marked(place, iterations=iteration), step=Step.REVIEW)
    return Next(Do.RUN, asked, review_jobs(asked))


def close(place: Place, now: float) -> Next:
    notes = rounds.notes_of(place.review)
    return at(marked(place, completed=now, notes=notes), Step.CLOSE)


def at(place: Place, step: Step, turn: Turn = Turn.NONE) -> Next:
    here = replace(place, step=step, turn=place.turn + (step is Step.AUTHOR), asked=turn)
    return Next(Do.RUN, here, jobs_of(here))
