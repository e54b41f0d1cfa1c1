"""Whether a person's feedback repeats what was said about the same stage before."""

from __future__ import annotations

from sparing.desk.office import Office
from sparing.flow.repeats import said_before
from sparing.flow.state import FlowState
from sparing.records import gates
from sparing.records.features import FeatureRow

NOTE = "much of this was said before: the author is told to try a different approach"


def repeats(office: Office, row: FeatureRow, feedback: str) -> bool:
    stage = FlowState.load(row.place["state"]).stage
    with office.database.read() as connection:
        before = gates.rejected(connection, row.feature.key, row.generation)
    return any(said_before(feedback, one.feedback) for one in before if one.stage == stage)
