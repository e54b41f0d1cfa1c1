"""A prepared prompt: which way it goes, in which order, and where its text lies."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from sparing.context import turns
from sparing.context.brief import JUDGING, Brief, Kind
from sparing.context.compose import Composed
from sparing.context.savings import compact
from sparing.economy.levers import switched_on
from sparing.engine.source import Source
from sparing.records.folder import StateFolder
from sparing.segment import Segment, Volatility
from sparing.trunk import TrunkKey
from sparing.way import Lever, Order, Policy, Way

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
    choice: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the ledger keeps of the choice: blocks, predictions, recall."""
    life: str = CACHE_LIFE
    """Of what the prompt's mark ends."""

    @property
    def going_on(self) -> dict[str, Any]:
        """Of a turn that follows at once in the same session."""
        return (
            {**self.choice, "resumed": True, "warm": False, "predicted": {}, "beside": {}}
            if self.choice
            else {}
        )

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


def order_of(source: Source) -> Order:
    """The seed's policy has the seed's order; every other one nests what is shared."""
    policy = source.around.settings(source.row).review.policy
    if policy is Policy.SEED or (policy is Policy.ADAPTIVE and not _nests(source)):
        return Order.SEED
    return Order.NESTED


def _nests(source: Source) -> bool:
    return Lever.TRUNK in switched_on(source.around.settings(source.row).economy.levers)


def system_of(source: Source) -> str:
    """The neutral system prompt of a role's class, as this feature has it."""
    settings = source.around.settings(source.row)
    adaptive = settings.review.policy is Policy.ADAPTIVE
    together = not adaptive or Lever.BATCH in switched_on(settings.economy.levers)
    return turns.system(source.role.role_class.value, together=together)


def client_of(source: Source) -> Client:
    backend = source.around.backend(source.row)
    version = str(getattr(backend, "version", ""))
    return Client(backend.name, version, backend.capabilities.marks)


def trunk_key(source: Source, brief: Brief, client: Client) -> TrunkKey:
    role = source.role
    formed = brief.asked.kind in (*JUDGING, Kind.ASSIST) and brief.schema is not None
    return TrunkKey(
        client.name,
        client.version,
        model_of(source),
        role.tools,
        system_of(source),
        compact(brief.schema) if formed else "",
        CACHE_LIFE,
    )


def referenced(brief: Brief, composed: Composed) -> tuple[str, ...]:
    """The files that this prompt asks to read."""
    text = "".join(one.text for one in composed.segments if one.name == "references")
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    paths = (one.path for one in listed if one.text is not None and one.path)
    return tuple(dict.fromkeys(path for path in paths if f": {path}\n" in text))


def model_of(source: Source) -> str:
    settings, role = source.around.settings(source.row), source.role
    return settings.models.of(role.model, settings.agent.backend.value, role.name)


def keep_prompt(folder: StateFolder, segments: tuple[Segment, ...]) -> str:
    return folder.keep_json([[s.name, s.text, int(s.volatility), s.mark] for s in segments])


def load_prompt(folder: StateFolder, digest: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(name, text, Volatility(volatility), mark)
        for name, text, volatility, mark in json.loads(folder.fetch(digest))
    )
