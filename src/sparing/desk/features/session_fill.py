"""How full the session of a feature's author is, and what was handed to the next one."""

from __future__ import annotations

import re
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.desk.office import Office
from sparing.errors import StateError
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.records import events, sessions
from sparing.records.features import FeatureRow
from sparing.turn_event import WeighedEvent

WENT = {"begin": "the first", "continue": "continued", "hand off": "new, after a handoff"}
"""How the session of the stage that was weighed last came about."""
_LAYER = re.compile(r"(?m)^## ")


class SessionRoom(NamedTuple):
    role: str
    model: str
    used_tokens: int
    window_tokens: int
    """Size of the context window; 0 if it was not evaluated."""
    need_tokens: int
    """Tokens that the last evaluated stage is expected to need."""
    stage: str
    go: str
    """What was decided then, as the page says it; empty if nothing was."""
    why: str

    @property
    def share(self) -> float | None:
        return min(1.0, self.used_tokens / self.window_tokens) if self.window_tokens else None


def session_room(office: Office, row: FeatureRow) -> SessionRoom | None:
    """Room left in the author's session; None before an author has one."""
    author = FLOWS[row.feature.flow].stage(FlowState.load(row.place["state"]).stage).author
    with office.database.read() as connection:
        session = sessions.latest(connection, row.feature.key, author)
        weighed = events.last(connection, row.feature.key, WeighedEvent.kind)
    if session is None:
        return None
    what = weighed.what if weighed else None
    known = what if isinstance(what, WeighedEvent) else WeighedEvent("")
    return SessionRoom(
        role=session.role,
        model=session.model,
        used_tokens=session.context_tokens,
        window_tokens=known.window,
        need_tokens=known.need,
        stage=weighed.stage if weighed else "",
        go=WENT.get(known.go, ""),
        why=weighed.text if weighed else "",
    )


def rich_handoff_layers(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """The handoff that this stage's session began with, layer by layer; nothing without one."""
    going: JsonObject = row.place.get("going") or {}
    digest = str(going.get("handoff") or "")
    if not digest:
        return ()
    try:
        text = office.folder.fetch(digest)
    except StateError:
        return ()
    return tuple(part for part in _LAYER.split(text) if part.strip())
