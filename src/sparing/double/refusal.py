"""How the API refuses: a status, a kind, and phrases that clients look for.

Every refusal is sent in the vendor's error format. It must never contain any part of a traceback.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KINDS: Mapping[int, str] = MappingProxyType(
    {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        500: "api_error",
        529: "overloaded_error",
    }
)


class Refusal(Exception):
    """A request that gets no answer but an error."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind or kind_of(status)
        self.headers = headers


def kind_of(status: int) -> str:
    return KINDS.get(status, KINDS[500] if status >= 500 else KINDS[400])


def status_of(kind: str) -> int:
    return next((status for status, known in KINDS.items() if known == kind), 500)


def error_body(kind: str, message: str, request_id: str) -> dict[str, object]:
    return {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": request_id,
    }
