"""The schema a turn's reply must follow, where there is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from sparing.context.documents import research
from sparing.flow import project
from sparing.knowledge import retro
from sparing.review import verdict
from sparing.review.panel import PANEL_SCHEMA
from sparing.turn import TURNS, Turn
from sparing.turn_kind import ReplyForm


def form_of(turn: Turn, *, panel: bool = False) -> Mapping[str, Any] | None:
    """None for a turn that is answered in words; `panel`: reviewers who look in one turn."""
    form = TURNS[turn].form
    match form:
        case ReplyForm.VERDICT:
            return PANEL_SCHEMA if panel else verdict.SCHEMA
        case ReplyForm.FINDINGS:
            return research.SCHEMA
        case ReplyForm.PROPOSAL:
            return project.SCHEMA
        case ReplyForm.RETRO:
            return retro.SCHEMA
        case ReplyForm.TEXT | ReplyForm.HANDOFF:
            return None
    assert_never(form)
