"""A prepared prompt: which way it goes, and where its text lies."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sparing.context.compose import Brief, compose, naive
from sparing.economy.choose import Choice, choose
from sparing.engine.gather import Source
from sparing.records.folder import StateFolder
from sparing.segment import Segment, Volatility, estimate_tokens
from sparing.way import Way


@dataclass(frozen=True, slots=True)
class Sent:
    """A prepared prompt. The text itself lies in the state folder."""

    prompt: str
    chars: int
    way: Way
    reason: str
    resume: str
    model: str
    naive: dict[str, Any]

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> Sent:
        fields = dict(value)
        fields["way"] = Way(value["way"])
        return cls(**fields)


def choose_way(source: Source, brief: Brief, *, fresh: bool) -> Choice:
    if fresh:
        return Choice(Way.COMPOSE, "the session can't be used any more")
    around = source.around
    return choose(
        around.settings(source.row).review.policy,
        source.session if brief.again else None,
        can_resume=around.backend(source.row).capabilities.resume,
        has_delta=bool(brief.again),
    )


def seal(source: Source, brief: Brief, choice: Choice) -> Sent:
    around, baseline = source.around, naive(brief)
    segments = compose(brief, choice.way)
    resume = source.session.id if choice.way is Way.RESUME and source.session else ""
    capabilities = around.backend(source.row).capabilities
    return Sent(
        keep_prompt(around.folder, segments), sum(len(segment.text) for segment in segments),
        choice.way, choice.reason, resume, _model(source),
        {
            "prompt": [baseline.digest, baseline.tokens],
            "role": [source.role.name, estimate_tokens(brief.role_text)],
            "tools": [source.role.role_class.value, capabilities.base_tokens],
        },
    )  # fmt: skip


def _model(source: Source) -> str:
    models = source.around.settings(source.row).models
    return {"strong": models.strong, "cheap": models.cheap}.get(source.role.model, models.standard)


def keep_prompt(folder: StateFolder, segments: tuple[Segment, ...]) -> str:
    return folder.keep(json.dumps([[s.name, s.text, int(s.volatility), s.mark] for s in segments]))


def load_prompt(folder: StateFolder, digest: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(name, text, Volatility(volatility), mark)
        for name, text, volatility, mark in json.loads(folder.fetch(digest))
    )
