"""Maps a failed turn of Claude Code to a word of the closed set of failures.

`subtype: success` does not mean success: API errors have it too. What a model said is ignored; only
the client's own fields and its own error messages count.
"""

from __future__ import annotations

from typing import cast

from sparing.agents.backend import TurnOutcome
from sparing.codec import JsonObject
from sparing.failure import Failure

SUBTYPES = {
    "error_max_turns": Failure.BUDGET,
    "error_max_budget_usd": Failure.BUDGET,
    "error_max_structured_output_retries": Failure.GARBAGE,
}
STATUSES = {
    401: Failure.AUTH,
    402: Failure.QUOTA,
    403: Failure.AUTH,
    404: Failure.REFUSED,
    413: Failure.CONTEXT_OVERFLOW,
    429: Failure.QUOTA,
}
WORDS = (
    ("No conversation found", Failure.INVALID_SESSION),
    ("--resume requires", Failure.INVALID_SESSION),
    ("Credit balance is too low", Failure.QUOTA),
    ("Invalid API key", Failure.AUTH),
    ("Please run /login", Failure.AUTH),
    ("Not logged in", Failure.AUTH),
)
"""Texts of the client's own error messages; what a model says is ignored."""
SERVER_ERROR = 500


def outcome(result: JsonObject, *, resumed: bool) -> TurnOutcome:
    if result.get("is_error") is not True and result.get("subtype") == "success":
        return TurnOutcome(None)
    words = _words(result)
    return TurnOutcome(_failure(result, words, resumed=resumed), words)


def _failure(result: JsonObject, words: str, *, resumed: bool) -> Failure:
    reason, status = result.get("terminal_reason"), result.get("api_error_status")
    subtype = str(result.get("subtype"))
    said = next((failure for start, failure in WORDS if start in words), None)
    if said is not None or subtype in SUBTYPES:
        return said or SUBTYPES[subtype]
    if reason == "prompt_too_long":
        return Failure.CONTEXT_OVERFLOW
    if result.get("stop_reason") == "refusal":
        return Failure.REFUSED
    if isinstance(status, int):
        return _by_status(status, resumed=resumed)
    return Failure.NETWORK if reason == "api_error" else Failure.CRASHED


def _by_status(status: int, *, resumed: bool) -> Failure:
    if status in STATUSES:
        return STATUSES[status]
    if status >= SERVER_ERROR:
        return Failure.OVERLOADED
    # A request that is refused as such: a transcript that can't be sent again, or our own.
    return Failure.INVALID_SESSION if resumed else Failure.REFUSED


def _words(result: JsonObject) -> str:
    """The client's most informative error message."""
    listed = result.get("errors")
    errors = cast("list[object]", listed) if isinstance(listed, list) else []
    found = "; ".join(error.strip() for error in errors if isinstance(error, str))
    text = result.get("result")
    return found or (text.strip() if isinstance(text, str) else "") or str(result.get("subtype"))
