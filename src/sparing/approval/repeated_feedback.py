"""Feedback as an author gets it: with a note if the same was said of an earlier attempt."""

from __future__ import annotations

from sparing.connection import Connection
from sparing.flow.repeats import said_before
from sparing.prompts.render import words
from sparing.records import gates
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate

REJECT = "reject"


def feedback_with_note(connection: Connection, row: FeatureRow, gate: Gate) -> str:
    """A person's feedback; the program's note, if any, comes at the end and says that it is one."""
    if gate.answer != REJECT or not repeats(connection, row, gate):
        return gate.feedback
    return f"{gate.feedback.rstrip()}\n\n{words('blocks', 'said_before')}"


def repeats(connection: Connection, row: FeatureRow, gate: Gate) -> bool:
    before = gates.rejected(connection, row.feature.key, row.generation)
    earlier = (one for one in before if one.id != gate.id and one.stage == gate.stage)
    return any(said_before(gate.feedback, one.feedback) for one in earlier)
