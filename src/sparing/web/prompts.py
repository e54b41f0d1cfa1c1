"""One prompt that was sent."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.features.sent_prompts import RecordedPrompt, sent_prompt
from sparing.web.visit import Visit


class PromptView(NamedTuple):
    id: str
    title: str
    prompt: RecordedPrompt


def prompt_view(visit: Visit) -> PromptView:
    said = visit.query.get("attempt", "")
    attempt = int(said) if said.isascii() and said.isdigit() and len(said) < 6 else 0
    found = sent_prompt(visit.office, visit.row, visit.path["dispatch"], attempt)
    return PromptView(visit.row.feature.id, visit.row.feature.title, found)
