"""How much may be spent before work stops for a person. docs/money.md says where the values
come from; they are on for everybody, and a project's file may only lower them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.cap import Amount, CapLimits
from sparing.config.rules import DAY, limit, money, setting
from sparing.money import to_nano

USD_HIGH = 1_000_000
TOKENS_HIGH = 1_000_000_000_000


@dataclass(frozen=True)
class CapSettings:
    feature_usd: float = setting(40.0, money(USD_HIGH, "What one feature may cost."))
    feature_tokens: int = setting(
        60_000_000, limit(TOKENS_HIGH, "How many tokens one feature may use, cached ones too.")
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
    turn_usd: float = setting(
        3.0,
        money(USD_HIGH, "What one turn of an agent may cost; so much is reserved before it."),
    )
    turn_tokens: int = setting(
        3_000_000,
        limit(TOKENS_HIGH, "How many tokens one turn may use; so many are reserved before it."),
    )
    attempts: int = setting(
        6, limit(100, "How often one dispatch may be sent, with repairs and after crashes.")
    )
    unattended_seconds: int = setting(
        21_600,
        limit(30 * DAY, "How long agents may work on a stage without a person's answer."),
    )
    reply_chars: int = setting(500_000, limit(100_000_000, "How long one reply may be."))

    @property
    def limits(self) -> CapLimits:
        return CapLimits(
            feature=Amount(self.feature_tokens, to_nano(self.feature_usd)),
            stage=Amount(self.stage_tokens, to_nano(self.stage_usd)),
            day=Amount(self.day_tokens, to_nano(self.day_usd)),
            turn=Amount(self.turn_tokens, to_nano(self.turn_usd)),
            attempts=self.attempts,
        )
