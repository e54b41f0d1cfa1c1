"""What an author asks, and a person's answers.

Questions are answered all at once or one by one; the last answer lets the stage continue, with all
answers sent at once to the gate that the person saw. Earlier answers are kept as events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from sparing.context.prompt.answered_questions import answers_text
from sparing.desk.gates import answers
from sparing.desk.gates.open_questions import Question, questions
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.event import QuestionAnswerEvent
from sparing.flow.state import FlowState, Outcome, OutcomeKind
from sparing.records import events, gates
from sparing.records.events import Event
from sparing.records.features import FeatureRow

ANSWER_LIMIT = 8_000


class AnswerReceipt(NamedTuple):
    stage: str
    left: tuple[Question, ...]
    """Questions still unanswered; if empty, the stage continues."""


def answer(
    office: Office, row: FeatureRow, words: str, number: int | None, sender: str, at: float
) -> AnswerReceipt:
    """Answer one question, or all that have no answer yet."""
    asked = questions(office, row)
    if not asked:
        raise _nothing_asked(office, row)
    said = _checked(row, words)
    if number is not None and number not in [one.number for one in asked]:
        numbers = f"1 to {len(asked)}" if len(asked) > 1 else "1"
        raise UsageError(f"there is no question {number}", f"questions: {numbers}")
    now = tuple(one._replace(answer=said) if _meant(one, number) else one for one in asked)
    left = tuple(one for one in now if not one.answer)
    stage = FlowState.load(row.place["state"]).stage
    if left:
        _keep(office, row, [one for one in now if one not in asked], sender, at)
        return AnswerReceipt(stage, left)
    told = answers_text([(one.text, one.answer) for one in now])
    return AnswerReceipt(
        answers.answer(office, row, Outcome(OutcomeKind.ANSWER, reason=told), sender, at), ()
    )


def answer_by_default(office: Office, row: FeatureRow, sender: str, at: float) -> AnswerReceipt:
    """Accept what the author assumed for each question."""
    asked = questions(office, row)
    if not asked:
        raise _nothing_asked(office, row)
    bare = next((one for one in asked if not one.answer and not one.default), None)
    if bare is not None:
        raise UsageError(
            f"question {bare.number} has no default",
            f'sparing answer {row.feature.id} --question {bare.number} "say it here"',
        )
    told = answers_text([(one.text, one.answer or one.default) for one in asked])
    outcome = Outcome(OutcomeKind.ANSWER, reason=told)
    return AnswerReceipt(answers.answer(office, row, outcome, sender, at), ())


def _meant(question: Question, number: int | None) -> bool:
    return question.number == number if number is not None else not question.answer


def _checked(row: FeatureRow, words: str) -> str:
    repair = f'sparing answer {row.feature.id} "say it here"'
    said = answers.plain(words, repair)
    if not said or len(said) > ANSWER_LIMIT:
        raise UsageError(f"an answer has 1 to {ANSWER_LIMIT} characters", repair)
    return said


def _nothing_asked(office: Office, row: FeatureRow) -> FeatureError:
    with office.database.read() as connection:
        gate = gates.waiting(connection, row.feature.key)
    if gate is None:
        return answers.no_gate(row)
    return FeatureError(
        f"{gate.stage} of feature {row.feature.id} has no open questions",
        f"sparing show {row.feature.id}",
    )


def _keep(office: Office, row: FeatureRow, now: Sequence[Question], sender: str, at: float) -> None:
    stage = FlowState.load(row.place["state"]).stage
    with office.database.write() as tx:
        for one in now:
            digest = hashlib.sha256(one.answer.encode()).hexdigest()[:8]
            told = QuestionAnswerEvent(one.number, sender, row.leg_id)
            key = f"{row.leg_id}.{told.kind}.{one.number}.{at:.3f}.{digest}"
            events.add(
                tx,
                Event.of(
                    told, key=key, feature=row.feature.key, at=at, stage=stage, text=one.answer
                ),
            )
