"""What an author asks at a gate, and a person's answers so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sparing.desk.office import Office
from sparing.event import QuestionAnswerEvent
from sparing.flow.advance import ASKS
from sparing.flow.state import FlowState, Position
from sparing.records import events
from sparing.records.features import FeatureRow

_ASKS = re.compile(r"\bit asks(?:: | (\d+ questions), first: ).*", re.DOTALL)


class Question(NamedTuple):
    number: int
    text: str
    answer: str = ""
    """The person's answer so far; empty if none."""

    @property
    def default(self) -> str:
        """What its author assumed for now; empty if it does not say."""
        from sparing.context.documents.handoff import with_default

        return with_default(self.text)[1]


def without_questions(reason: str) -> str:
    """Why a stage waits, for where its questions are listed anyway."""
    return _ASKS.sub(lambda found: f"it asks {found[1] or 'a question'}", reason)


def questions(office: Office, row: FeatureRow) -> tuple[Question, ...]:
    """Questions waiting for an answer, in order; a blocked stage asks what would help."""
    state = FlowState.load(row.place["state"])
    if state.position is not Position.STUCK or state.cause not in ASKS or row.running:
        return ()
    listed: Sequence[str] = row.place.get("talk", {}).get("questions", [])
    replies = _replies(office, row)
    asked = listed or [state.reason]
    return tuple(Question(n, text, replies.get(n, "")) for n, text in enumerate(asked, 1))


def _replies(office: Office, row: FeatureRow) -> dict[int, str]:
    with office.database.read() as connection:
        past = events.since(connection, 0, row.feature.key)
    return {
        one.what.question: one.text
        for one in past
        if isinstance(one.what, QuestionAnswerEvent) and one.what.leg == row.leg_id
    }
