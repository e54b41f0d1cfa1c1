"""What an author's handoff block leads to: the work continues, or a person is asked.

`blocked` stops the feature with the author's own words; `needs_intervention` and open questions
pause it until they are answered, and so does a block that is missing when asked for. If no one is
to be asked, questions take the default that their author named, and that is reported. A question
that has its answer is never asked again, however often an author repeats it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sparing.context.documents.handoff import Handoff, HandoffStatus, spoken, with_default
from sparing.conversation import Conversation, question_key
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.job import NOTHING_CHANGED, JobResult
from sparing.stages.place import Place
from sparing.turn import TURNS, Turn

MOST_QUESTIONS = 20
QUESTION_CHARS = 600
WORDS_CHARS = 300
NO_BLOCK = "It left no handoff block, and none when asked for it. Is the stage {} complete?"


class Stop(NamedTuple):
    talk: Conversation
    outcome: Outcome


class DefaultsTaken(NamedTuple):
    talk: Conversation
    """The conversation, with the questions settled that had a default."""
    words: tuple[str, ...]
    """The defaults that were used, one line each."""


def take_defaults(place: Place, handoff: Handoff, *, asks: bool) -> DefaultsTaken:
    """Use defaults if no one is to be asked: all or none, as one gap blocks the author."""
    new = unanswered(place.talk, handoff.open_questions)
    pairs = [with_default(one) for one in new]
    if asks or not new or not all(default for _, default in pairs):
        return DefaultsTaken(place.talk, ())
    settled = (*place.talk.settled, *(question_key(one) for one in new))
    said = [f"{_short(asked)} Taken by default: {_short(one)}" for asked, one in pairs]
    assumed = (*place.talk.assumed, *(f"{place.state.stage}: {one}" for one in said))
    talk = replace(place.talk, settled=tuple(dict.fromkeys(settled)), assumed=assumed)
    return DefaultsTaken(talk, tuple(f"it asks: {one}" for one in said))


def stop_for(place: Place, handoff: Handoff) -> Stop | None:
    """Whether and why to stop after this handoff; None if the stage continues."""
    if handoff.unreadable:
        words = f"Its handoff block can't be read. What does it mean? {_short(handoff.unreadable)}"
        return _asking(place.talk, (words,))
    new = unanswered(place.talk, handoff.open_questions)
    if handoff.missing:
        new = unanswered(place.talk, (NO_BLOCK.format(place.state.stage),))
    match handoff.status:
        case HandoffStatus.BLOCKED:
            words = _said(handoff) or "it does not say by what"
            outcome = Outcome(OutcomeKind.FAILED, reason=f"blocked: {words}", cause=Cause.BLOCKED)
            return Stop(replace(place.talk, questions=new), outcome)
        case HandoffStatus.NEEDS_INTERVENTION:
            asked = new or (
                _said(handoff) or "It needs you, but does not say why. What should it do?",
            )
            return _asking(place.talk, asked)
        case HandoffStatus.COMPLETED:
            return _asking(place.talk, new) if new else None


def unanswered(talk: Conversation, questions: tuple[str, ...]) -> tuple[str, ...]:
    new = {question_key(one): one[:QUESTION_CHARS] for one in questions}
    return tuple(one for key, one in new.items() if key not in talk.settled)[:MOST_QUESTIONS]


def wrote_nothing(place: Place, handoff: Handoff, result: JobResult) -> bool:
    """Whether the author only asked something and changed nothing, which completes no stage."""
    return handoff.pauses and not TURNS[place.asked].may_only_ask and not result.changed


def nothing_changed(role: str, said: str = "", reply: str = "") -> JobResult:
    """A failed result; `said` is what the author replied, if anything, and `reply` its hash."""
    words = f"{role} left no change"
    detail = f"{words} and says: {_short(spoken(said))}" if spoken(said) else words
    return JobResult(failure=NOTHING_CHANGED, detail=detail, reply=reply)


def declined(place: Place, result: JobResult) -> Outcome | None:
    """If an author declines a change that a person wanted, with a reason: the person decides."""
    refuses = result.failure == NOTHING_CHANGED and place.asked is Turn.REDO and result.reply
    if not refuses or place.state.stage not in place.talk.rejected:
        return None
    return Outcome(OutcomeKind.FAILED, reason=result.detail, cause=Cause.DECLINED, acceptable=True)


def _asking(talk: Conversation, questions: tuple[str, ...]) -> Stop:
    count, first = len(questions), _short(questions[0])
    words = f"it asks: {first}" if count == 1 else f"it asks {count} questions, first: {first}"
    outcome = Outcome(OutcomeKind.FAILED, reason=words, cause=Cause.QUESTIONS)
    return Stop(replace(talk, questions=questions), outcome)


def _said(handoff: Handoff) -> str:
    """Why it stopped, in the author's words."""
    return _short("; ".join(filter(None, (handoff.summary, *handoff.warnings))))


def _short(text: str) -> str:
    return text if len(text) <= WORDS_CHARS else f"{text[: WORDS_CHARS - 1]}…"
