"""Which model does what: three classes of models, other ones for a backend or for a role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sparing.config.rules import Rule, SettingScope, model, setting
from sparing.config.value_forms import PATTERN_MODEL, Lines, Pairs, Prices

SAME = {"auto": "claude", "claude-double": "claude"}
"""Backends that are another one's client under a name of their own."""


@dataclass(frozen=True)
class ModelSettings:
    strong: str = setting("claude-opus-5-5", model("The model of the hardest roles."))
    standard: str = setting("claude-sonnet-5", model("The model of most roles."))
    cheap: str = setting("claude-haiku-4-5", model("The model of the simplest roles."))
    backends: tuple[str, ...] = setting(
        (),
        Rule(
            Pairs(
                "a table for each backend, such as [models.backends.codex] with strong = "
                '"a-model"; in a variable: codex.strong=a-model',
                2,
            ),
            "Other models for a backend, by class: `strong`, `standard` or `cheap`.",
            SettingScope.USER,
        ),
    )
    roles: tuple[str, ...] = setting(
        (),
        Rule(
            Pairs(
                'a table of roles, such as security-reviewer = "strong"; in a variable: '
                "security-reviewer=strong"
            ),
            "Another class, or a model by its own name, for a role.",
            SettingScope.USER,
        ),
    )
    prices: tuple[str, ...] = setting(
        (),
        Rule(
            Prices(),
            "Prices that go before the list that ships: a model's name, then US dollars per "
            "million tokens of input, output, cache read, 5 minute write and 1 hour write.",
            SettingScope.USER,
        ),
    )

    windows: tuple[str, ...] = setting(
        (),
        Rule(
            Lines('a list of lines such as "my-model 200000"', PATTERN_MODEL + " [0-9]{4,8}"),
            "Tokens that a model takes in, where the list that ships does not know it or you want "
            "less: a model's name, then a number.",
            SettingScope.USER,
        ),
    )

    def of(self, model_class: str, backend: str = "", role: str = "") -> str:
        """The model of a class, or of a role that belongs to it by default."""
        chosen = _table(self.roles).get(role, model_class)
        classes = {"strong": self.strong, "standard": self.standard, "cheap": self.cheap}
        if chosen not in classes and chosen != model_class:
            return chosen
        known = chosen if chosen in classes else "standard"
        name = f"{SAME.get(backend, backend)}.{known}"
        return _table(self.backends).get(name, classes[known])

    @property
    def named_roles(self) -> tuple[str, ...]:
        return tuple(_table(self.roles))


def _table(lines: Iterable[str]) -> dict[str, str]:
    return {name: word for name, _, word in (line.partition(" ") for line in lines)}


class LoginName(StrEnum):
    AUTO = "auto"
    API_KEY = "api-key"
    TOKEN = "token"
    OWN = "own"


class ClientKind(StrEnum):
    LEAN = "lean"
    """Our system prompt and the few tools that a role needs."""
    STOCK = "stock"
    """As installed: its own system prompt and all its tools. For comparison, never to work with."""
