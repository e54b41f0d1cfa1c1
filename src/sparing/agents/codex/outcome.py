"""Maps a failed turn of Codex to a word of the closed set, from the client's own fields."""

from __future__ import annotations

from typing import cast

from sparing.agents.backend import TurnOutcome
from sparing.codec import JsonObject
from sparing.failure import Failure

KINDS = {
    "badRequest": Failure.REFUSED,
    "contextWindowExceeded": Failure.CONTEXT_OVERFLOW,
    "cyberPolicy": Failure.REFUSED,
    "internalServerError": Failure.OVERLOADED,
    "misalignmentPolicyViolation": Failure.REFUSED,
    "modelNotFound": Failure.REFUSED,
    "rateLimitExceeded": Failure.QUOTA,
    "serverOverloaded": Failure.OVERLOADED,
    "sessionBudgetExceeded": Failure.BUDGET,
    "unauthorized": Failure.AUTH,
    "usageLimitExceeded": Failure.QUOTA,
}
STATUSES = {
    400: Failure.REFUSED,
    401: Failure.AUTH,
    402: Failure.QUOTA,
    403: Failure.AUTH,
    404: Failure.REFUSED,
    413: Failure.CONTEXT_OVERFLOW,
    429: Failure.QUOTA,
}
SERVER_ERROR = 500
WORDS = (
    ("content_filter", Failure.REFUSED),
    ("prompt is too long", Failure.CONTEXT_OVERFLOW),
    ("context window", Failure.CONTEXT_OVERFLOW),
    ("stream disconnected", Failure.NETWORK),
    ("error sending request", Failure.NETWORK),
)
"""Texts of the provider's errors, which the client passes on; what a model says is ignored."""


def outcome(error: JsonObject, *, resumed: bool) -> TurnOutcome:
    words = str(error.get("message") or "the turn failed").strip()
    said = next((failure for part, failure in WORDS if part in words), None)
    failure = said or _by_info(error.get("codexErrorInfo"))
    if failure is Failure.REFUSED and resumed and said is None:
        # A transcript that can't be sent again is refused as such.
        failure = Failure.INVALID_SESSION
    return TurnOutcome(failure, words)


def _by_info(info: object) -> Failure:
    if isinstance(info, str):
        return KINDS.get(info, Failure.CRASHED)
    if not isinstance(info, dict):
        return Failure.CRASHED
    told = cast("JsonObject", info)
    for fields in told.values():
        status = cast("JsonObject", fields).get("httpStatusCode") if isinstance(fields, dict) else 0
        if isinstance(status, int) and status:
            server = Failure.OVERLOADED if status >= SERVER_ERROR else Failure.REFUSED
            return STATUSES.get(status, server)
    return Failure.NETWORK
