"""A person's comments on lines of what a stage made, and the author's reply to each.

The same comments that `sparing reject` makes from an editor: each gets an id, the author answers by
that id, and the answer is shown beside the comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import NamedTuple

from sparing.context.documents.comments import PARAGRAPH, Comment, Remarks, feedback, read_feedback
from sparing.desk.features.history import events_since, ledger_rows
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.errors import UsageError
from sparing.event import AnswerEvent
from sparing.flow.flows import FLOWS
from sparing.flow.state import OutcomeKind
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.review.answers import read_answers
from sparing.turn_event import AskEvent

MOST = 200
LONGEST = 8_000
SHOWN = 60


class AnsweredComment(NamedTuple):
    id: str
    file: str
    line: int
    quoted: str
    text: str
    answer: str
    """`changed: …` or `answered: …`; empty while there is none."""

    @property
    def unanswered(self) -> str:
        """Its place and first words: the id alone says nothing to the person who wrote it."""
        place = f"on line {self.line} " if self.line else ""
        # Notes of the program follow what the person wrote.
        said = shorten(self.text.partition(PARAGRAPH)[0], SHOWN, placeholder=" …")
        return f"{place}got no answer: {said}"


def reject_with(
    office: Office,
    row: FeatureRow,
    said: str,
    comments: Sequence[Comment],
    sender: str,
    at: float,
) -> str:
    """Reject with comments; returns the stage that was rejected."""
    again = "say what to change, or comment on a line"
    if len(comments) > MOST or any(len(one.text) > LONGEST for one in comments):
        raise UsageError(f"at most {MOST} comments of {LONGEST} characters each", again)
    named = [one for one in comments if one.text.strip()]
    for one in named:
        answers.refuse_controls(f"{one.filename}{one.quoted}{one.text}", again)
    words = feedback("", Remarks(said.strip(), tuple(named)))
    return answers.reject(office, row, words, sender, at)


def last_comments(office: Office, row: FeatureRow, stage: str) -> tuple[AnsweredComment, ...]:
    """Comments of a stage's latest rejection, with the author's reply to each."""
    past = [one for one in events_since(office, 0, row.feature.key) if one.stage == stage]
    return comments_in(office, row, past)


def comments_in(
    office: Office, row: FeatureRow, past: Sequence[Event]
) -> tuple[AnsweredComment, ...]:
    """As `last_comments`, but from the stage's events."""
    said = [one for one in past if _rejects(one)]
    asked = read_feedback(said[-1].text) if said else {}
    if not asked:
        return ()
    told = _told(office, row, past, said[-1], tuple(asked))
    return tuple(
        AnsweredComment(id, one.filename, one.line, one.quoted, one.text, told.get(id, ""))
        for id, one in asked.items()
    )


def _told(
    office: Office, row: FeatureRow, past: Sequence[Event], said: Event, asked: tuple[str, ...]
) -> dict[str, str]:
    author = FLOWS[row.feature.flow].stage(said.stage).author
    later = [one for one in past if one.role == author and one.n > said.n]
    turns = sum(isinstance(one.what, AskEvent) for one in later)
    replies = [
        office.folder.fetch(one.result.reply)
        for one in ledger_rows(office, row)
        if one.attempt.role == author
        and one.attempt.stage == said.stage
        and one.result
        and one.result.reply
    ]
    return {
        one.id: f"{one.kind}: {one.words}"
        for reply in replies[len(replies) - turns :]
        for one in read_answers(reply, asked)
    }


def _rejects(one: Event) -> bool:
    return isinstance(one.what, AnswerEvent) and one.what.answer == OutcomeKind.REJECT
