"""New limits, as typed by a person."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from sparing.desk.money.caps import CapRequest
from sparing.errors import UsageError
from sparing.money import CapMeasure, CapScope, to_nano

MOST_USD = 1_000_000
MOST = 10**12


@dataclass(frozen=True)
class CapForm:
    scope: str = CapScope.FEATURE.value
    stage: str = ""
    usd: str = ""
    tokens: str = ""
    attempts: str = ""


def cap_request(form: CapForm) -> CapRequest:
    if form.scope not in list(CapScope):
        raise UsageError("there is no such cap", "one of feature, stage, day, turn, dispatch")
    scope = CapScope(form.scope)
    if scope is CapScope.DISPATCH:
        return CapRequest(scope, "", {CapMeasure.ATTEMPTS: _whole(form.attempts, 100)})
    amounts: dict[CapMeasure, int] = {}
    if form.usd.strip():
        amounts[CapMeasure.MONEY] = nano_of(form.usd)
    if form.tokens.strip():
        amounts[CapMeasure.TOKENS] = _whole(form.tokens, MOST)
    return CapRequest(scope, form.stage if scope is CapScope.STAGE else "", amounts)


def nano_of(text: str) -> int:
    try:
        usd = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        usd = Decimal(0)
    if not usd.is_finite() or not 0 < usd <= MOST_USD:
        raise UsageError(
            f"{text[:40]!r} is not an amount of US dollars above 0 and up to {MOST_USD}",
            "write a number such as 60 or 2.50",
        )
    return to_nano(usd)


def _whole(text: str, most: int) -> int:
    digits = text.strip().replace(",", "").replace("_", "")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0
    if not 0 < number <= most:
        raise UsageError(f"{text[:40]!r} is not a number from 1 to {most}", "write it in digits")
    return number
