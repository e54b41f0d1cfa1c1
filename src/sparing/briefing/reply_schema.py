"""The schema a turn's reply must follow, where there is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparing.context.documents import research
from sparing.flow import project
from sparing.job import Turn
from sparing.knowledge import retro
from sparing.review.verdict import SCHEMA

FORMS: Mapping[Turn, Mapping[str, Any]] = {
    Turn.REVIEW: SCHEMA,
    Turn.JUDGE: SCHEMA,
    Turn.RESEARCH: research.SCHEMA,
    Turn.PROPOSE: project.SCHEMA,
    Turn.RETRO: retro.SCHEMA,
}


def form_of(turn: Turn) -> Mapping[str, Any] | None:
    """None for a turn that is answered in free text."""
    return FORMS.get(turn)
