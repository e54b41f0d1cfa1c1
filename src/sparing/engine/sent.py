"""A prepared prompt: which way it goes, in which order, and where its text lies."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from sparing.context import turns
from sparing.context.brief import JUDGING, Brief
from sparing.context.compose import Composed, compose, naive, role_words
from sparing.context.savings import compact
from sparing.economy.choose import Choice, choose
from sparing.engine.source import Source
from sparing.records.folder import StateFolder
from sparing.segment import Segment, Volatility
from sparing.trunk import TrunkKey
from sparing.way import Order, Policy, Way

LOST = "the session can't be used any more"
CACHE_LIFE = "5m"


class Client(NamedTuple):
    """What a prompt depends on of the backend that gets it."""

    name: str
    version: str
    marks: int


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
    order: Order = Order.NESTED
    trunk: str = ""
    """Digest of what must be equal for another dispatch to share this one's trunk."""
    reads: tuple[str, ...] = ()
    """Files that were sent by reference."""
    warnings: tuple[str, ...] = ()

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> Sent:
        fields = dict(value)
        fields["way"] = Way(value["way"])
        fields["order"] = Order(value.get("order", Order.NESTED))
        for name in ("reads", "warnings"):
            fields[name] = tuple(value.get(name, ()))
        return cls(**fields)


def choose_way(source: Source, brief: Brief, *, fresh: bool) -> Choice:
    if fresh:
        return Choice(Way.COMPOSE, LOST)
    around = source.around
    return choose(
        around.settings(source.row).review.policy,
        source.session if brief.resumable else None,
        can_resume=around.backend(source.row).capabilities.resume,
        has_delta=brief.resumable,
    )


def seal(source: Source, brief: Brief, choice: Choice) -> Sent:
    around, said = source.around, _after_loss(source, brief, choice)
    order, client = order_of(source), client_of(source)
    composed = compose(said, choice.way, order, client.marks)
    resume = source.session.id if choice.way is Way.RESUME and source.session else ""
    baseline, words = naive(brief), Segment("role", role_words(brief), Volatility.ROLE)
    base = around.backend(source.row).capabilities.base_tokens
    return Sent(
        keep_prompt(around.folder, composed.segments),
        sum(len(segment.text) for segment in composed.segments),
        choice.way,
        choice.reason,
        resume,
        model_of(source),
        {
            "prompt": [baseline.digest, baseline.tokens],
            "role": [words.digest, words.tokens],
            "tools": [source.role.role_class.value, base],
        },
        order,
        trunk_key(source, brief, client).digest,
        referenced(brief, composed),
        brief.warnings,
    )


def _after_loss(source: Source, brief: Brief, choice: Choice) -> Brief:
    """A reviewer whose session is gone is told so."""
    if choice.reason != LOST or source.session is None:
        return brief
    return replace(brief, asked=replace(brief.asked, lost=True))


def order_of(source: Source) -> Order:
    """The seed's policy has the seed's order; every other one nests."""
    policy = source.around.settings(source.row).review.policy
    return Order.SEED if policy is Policy.SEED else Order.NESTED


def client_of(source: Source) -> Client:
    backend = source.around.backend(source.row)
    version = str(getattr(backend, "version", ""))
    return Client(backend.name, version, backend.capabilities.marks)


def trunk_key(source: Source, brief: Brief, client: Client) -> TrunkKey:
    role = source.role
    judges = brief.asked.kind in JUDGING and brief.schema is not None
    return TrunkKey(
        client.name,
        client.version,
        model_of(source),
        role.tools,
        turns.system(role.role_class.value),
        compact(brief.schema) if judges else "",
        CACHE_LIFE,
    )


def referenced(brief: Brief, composed: Composed) -> tuple[str, ...]:
    """The files that this prompt asks to read."""
    text = "".join(one.text for one in composed.segments if one.name == "references")
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    paths = (one.path for one in listed if one.text is not None and one.path)
    return tuple(dict.fromkeys(path for path in paths if f": {path}\n" in text))


def model_of(source: Source) -> str:
    models = source.around.settings(source.row).models
    return {"strong": models.strong, "cheap": models.cheap}.get(source.role.model, models.standard)


def keep_prompt(folder: StateFolder, segments: tuple[Segment, ...]) -> str:
    return folder.keep(json.dumps([[s.name, s.text, int(s.volatility), s.mark] for s in segments]))


def load_prompt(folder: StateFolder, digest: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(name, text, Volatility(volatility), mark)
        for name, text, volatility, mark in json.loads(folder.fetch(digest))
    )
