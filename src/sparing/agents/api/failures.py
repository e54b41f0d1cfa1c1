"""Maps the library's errors to a word of the closed set of failures."""

from __future__ import annotations

from typing import NamedTuple, cast

from sparing.failure import Failure

SAID_CHARS = 2_000
LONGEST_WAIT_SECONDS = 31 * 86_400
KINDS: tuple[tuple[str, Failure], ...] = (
    ("ModelContextWindowExceededError", Failure.CONTEXT_OVERFLOW),
    ("ModelAuthenticationError", Failure.AUTH),
    ("ModelQuotaExceededError", Failure.QUOTA),
    ("ModelRateLimitError", Failure.QUOTA),
    ("ContentFilterError", Failure.REFUSED),
    ("ModelRequestRejectedError", Failure.REFUSED),
    ("ModelOverloadedError", Failure.OVERLOADED),
    ("ModelUnavailableError", Failure.OVERLOADED),
    ("ModelServerError", Failure.OVERLOADED),
    ("ModelConnectionError", Failure.NETWORK),
    ("ModelRequestTimeout", Failure.NETWORK),
    ("UsageLimitExceeded", Failure.BUDGET),
    ("UnexpectedModelBehavior", Failure.GARBAGE),
)
"""Failures by names of error classes; the first match counts. The library need not be loaded."""
STATUSES = {
    401: Failure.AUTH,
    402: Failure.QUOTA,
    403: Failure.AUTH,
    413: Failure.CONTEXT_OVERFLOW,
    429: Failure.QUOTA,
}
TOO_LONG = ("prompt is too long", "context length", "context window", "context_length_exceeded")
REFUSED, SERVER_ERROR = 400, 500


class ToldFailure(NamedTuple):
    failure: str
    detail: str
    resets_at: float | None


def failure_of(error: BaseException, now: float) -> ToldFailure:
    words = str(error)[:SAID_CHARS] or type(error).__name__
    return ToldFailure(_word(error, words).value, words, _resets_at(error, now))


def _word(error: BaseException, words: str) -> Failure:
    status: object = getattr(error, "status_code", None)
    if any(part in words.lower() for part in TOO_LONG) and isinstance(status, int):
        return Failure.CONTEXT_OVERFLOW
    names = {kind.__name__ for kind in type(error).__mro__}
    for name, failure in KINDS:
        if name in names:
            return failure
    if isinstance(status, int):
        usual = Failure.OVERLOADED if status >= SERVER_ERROR else Failure.REFUSED
        return STATUSES.get(status, usual if status >= REFUSED else Failure.CRASHED)
    if "ModelAPIError" in names:
        return Failure.NETWORK
    return Failure.CRASHED


def _resets_at(error: BaseException, now: float) -> float | None:
    headers: object = getattr(error, "headers", None)
    told = cast("dict[str, object]", headers) if isinstance(headers, dict) else {}
    return reset_time(told.get("retry-after"), now)


def reset_time(retry_after: object, now: float) -> float | None:
    """When an exhausted quota is available again, if the provider says so in seconds."""
    try:
        seconds = float(str(retry_after))
    except ValueError:
        return None
    return now + seconds if 0 < seconds < LONGEST_WAIT_SECONDS else None
