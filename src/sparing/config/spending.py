"""Which model does what: three classes of models, and others for a backend or a role.

How much may be spent before work stops for a person. docs/money.md explains the defaults; they
always apply, and a project's file may only lower them.

Which levers reduce spending, and whose tools agents use. Each can be switched off.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from sparing.backend_name import client_name, may_have
from sparing.config.rules import DAY, Rule, SettingScope, limit, model, money, setting
from sparing.config.table_forms import Pairs
from sparing.config.value_forms import (
    PATTERN_MODEL,
    Lines,
    Money,
    Names,
    OneOf,
    Prices,
    Whole,
)
from sparing.dispatch_policy import ALL_LEVERS, Lever, off
from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import MOST_TOKENS, MOST_USD, Amount, CapLimits, to_nano
from sparing.tool import ToolMode

STRONG, STANDARD, CHEAP = "claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5"
USUAL = {
    "codex.strong": "gpt-5.5",
    "codex.standard": "gpt-5.6-terra",
    "codex.cheap": "gpt-5.6-luna",
    "api-openai.strong": "gpt-5.5",
    "api-openai.standard": "gpt-5.6-terra",
    "api-openai.cheap": "gpt-5.6-luna",
    "api-google.strong": "gemini-4-argon",
    "api-google.standard": "gemini-3.8-flash",
    "api-google.cheap": "gemini-3.1-flash-lite",
    "gemini.strong": "gemini-4-argon",
    "gemini.standard": "gemini-3.8-flash",
    "gemini.cheap": "gemini-3.1-flash-lite",
}
"""Default models of backends that have other models than the usual ones."""


@lazy_dataclass
class ModelSettings:
    strong: str = setting(STRONG, model("The model for the hardest roles."))
    standard: str = setting(STANDARD, model("The model for most roles."))
    cheap: str = setting(CHEAP, model("The model for the simplest roles."))
    backends: tuple[str, ...] = setting(
        (),
        Rule(
            Pairs(
                "a table for each backend, such as [models.backends.codex] with strong = "
                '"a-model"; in an environment variable: codex.strong=a-model',
                2,
            ),
            "Different models for a backend, by class: `strong`, `standard` or `cheap`.",
            SettingScope.USER,
        ),
    )
    roles: tuple[str, ...] = setting(
        (),
        Rule(
            Pairs(
                'a table of roles, such as security-reviewer = "strong"; in an environment '
                "variable: security-reviewer=strong"
            ),
            "A class of models (`strong`, `standard` or `cheap`) or a model for single roles.",
            SettingScope.USER,
        ),
    )
    prices: tuple[str, ...] = setting(
        (),
        Rule(
            Prices(),
            "Prices that override the built-in list: a model's name, then US dollars per million "
            "tokens of input, output, cache read, 5-minute write and 1-hour write.",
            SettingScope.USER,
        ),
    )

    windows: tuple[str, ...] = setting(
        (),
        Rule(
            Lines('a list of lines such as "my-model 200000"', PATTERN_MODEL + " [0-9]{4,8}"),
            "The context window of a model in tokens, if the built-in list lacks it or you want "
            "less: a model's name, then a number.",
            SettingScope.USER,
        ),
    )

    def of(self, model_class: str, backend: str = "", role: str = "") -> str:
        """The model of a class, or of a role that belongs to it by default."""
        chosen = _table(self.roles).get(role, model_class)
        classes = {"strong": self.strong, "standard": self.standard, "cheap": self.cheap}
        named = chosen not in classes and chosen != model_class
        if named and may_have(backend, chosen):
            return chosen
        # A role that works elsewhere for once has a model of its class there.
        known = model_class if named else chosen
        known = known if known in classes else "standard"
        name = f"{client_name(backend)}.{known}"
        untouched = classes[known] in (STRONG, STANDARD, CHEAP)
        usual = untouched or not may_have(backend, classes[known])
        return _table(self.backends).get(
            name, USUAL.get(name, classes[known]) if usual else classes[known]
        )

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


USD_HIGH, TOKENS_HIGH = MOST_USD, MOST_TOKENS


@lazy_dataclass
class CapSettings:
    feature_usd: float = setting(40.0, money(USD_HIGH, "What one feature may cost."))
    feature_tokens: int = setting(
        60_000_000,
        limit(TOKENS_HIGH, "How many tokens one feature may use, including cached ones."),
    )
    stage_usd: float = setting(20.0, money(USD_HIGH, "What one stage of a feature may cost."))
    stage_tokens: int = setting(
        30_000_000, limit(TOKENS_HIGH, "How many tokens one stage of a feature may use.")
    )
    day_usd: float = setting(
        80.0, money(USD_HIGH, "What all features of a repository may cost in a day (UTC).")
    )
    day_tokens: int = setting(
        120_000_000,
        limit(TOKENS_HIGH, "How many tokens all features of a repository may use in a day (UTC)."),
    )
    all_day_usd: float = setting(
        float(USD_HIGH),
        Rule(
            Money(USD_HIGH),
            "What all your repositories together may cost in a day (UTC); on a shared database: "
            "all repositories of the team. The default means that there is no such cap; it "
            "counts from the moment it is set.",
            SettingScope.USER,
        ),
    )
    all_day_tokens: int = setting(
        TOKENS_HIGH,
        Rule(
            Whole(1, TOKENS_HIGH),
            "How many tokens, including cached ones, all your repositories together may use in a "
            "day (UTC). Like `caps.all_day_usd`, it is off by default and counts from the moment "
            "it is set.",
            SettingScope.USER,
        ),
    )
    turn_usd: float = setting(
        3.0,
        money(USD_HIGH, "What one turn of an agent may cost; this much is reserved beforehand."),
    )
    turn_tokens: int = setting(
        3_000_000,
        limit(TOKENS_HIGH, "How many tokens one turn may use; this many are reserved beforehand."),
    )
    attempts: int = setting(
        6,
        limit(
            100,
            "How often one request may be sent, including corrections of its reply and "
            "retries after crashes.",
        ),
    )
    unattended_seconds: int = setting(
        21_600,
        limit(30 * DAY, "How many seconds agents may work on a stage without a person's answer."),
    )
    reply_chars: int = setting(500_000, limit(100_000_000, "How many characters a reply may have."))

    @property
    def limits(self) -> CapLimits:
        return CapLimits(
            feature=Amount(self.feature_tokens, to_nano(self.feature_usd)),
            stage=Amount(self.stage_tokens, to_nano(self.stage_usd)),
            day=Amount(self.day_tokens, to_nano(self.day_usd)),
            turn=Amount(self.turn_tokens, to_nano(self.turn_usd)),
            attempts=self.attempts,
            all_day=Amount(self.all_day_tokens, to_nano(self.all_day_usd)),
        )


KNOWN = (ALL_LEVERS, *(lever.value for lever in Lever), *(off(lever) for lever in Lever))


@lazy_dataclass
class EconomySettings:
    levers: tuple[str, ...] = setting(
        (ALL_LEVERS,),
        Rule(
            Names(KNOWN),
            "Which techniques reduce spending under the policy `adaptive` (docs/economics.md "
            "explains them): `all`, or a list of names; `no-NAME` leaves one out. What a backend "
            "doesn't support is off, and `doctor` says so.",
            SettingScope.USER,
        ),
    )
    tools: ToolMode = setting(
        ToolMode.AUTO,
        Rule(
            OneOf(ToolMode),
            "Whose tools agents use under the policy `adaptive`: `client`: the client's; `look`: "
            "Sparing's for agents that only read; `own`: Sparing's for all. `auto`: Sparing's "
            "for readers, and for writers with models that passed `sparing doctor --tools`. "
            "Backends that don't support this use the client's.",
            SettingScope.USER,
        ),
    )
