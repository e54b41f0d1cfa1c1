"""How full an author's session is, and where it came from.

Covers: F7, K8
"""

from __future__ import annotations

import pytest

from sparing.desk.features.session_fill import session_room
from sparing.desk.office import Office
from sparing.flow.flows import FLOWS
from sparing.records import events, sessions
from sparing.records.events import Event
from sparing.session import Session
from sparing.turn_event import WeighedEvent
from tests.desk.standing import NOW, standing


@pytest.mark.parametrize(
    ("went", "words"),
    [
        ("begin", "the first"), ("continue", "continued"), ("hand off", "new, after a handoff"),
        ("", ""),
    ],
)  # fmt: skip
def test_where_a_session_came_from_is_said_in_words(office: Office, went: str, words: str) -> None:
    """K8: "36.0k tokens · begin" says nothing to whoever reads the page."""
    row = standing(office, "at a gate")
    assert session_room(office, row) is None
    stage = FLOWS[row.feature.flow].stage(row.place["state"]["stage"])
    with office.database.write() as tx:
        kept = Session("s" * 32, stage.author, "scripted", "m", 1000, 2000, 1, row.head, NOW)
        sessions.put(tx, row.feature.key, stage.name, kept)
        told = Event.of(
            WeighedEvent(went),
            key="w",
            feature=row.feature.key,
            at=NOW,
            stage=stage.name,
            text="why",
        )
        events.add(tx, told)
    found = session_room(office, row)
    assert found is not None
    assert (found.role, found.used_tokens, found.go) == (stage.author, 2000, words)
