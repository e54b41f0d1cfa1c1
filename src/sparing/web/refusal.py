"""A request that is refused: two lines, what is wrong and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import JSONResponse, PlainTextResponse, Response

from sparing.errors import FeatureError, NotFound, SparingError, UsageError
from sparing.printable import printable


class Refusal(NamedTuple):
    status: int
    what: str
    repair: str

    def response(self, *, as_json: bool) -> Response:
        what, repair = printable(self.what), printable(self.repair)
        if as_json:
            error = {"what": what, "repair": repair}
            return JSONResponse({"schema_version": 1, "error": error}, self.status)
        return PlainTextResponse(f"error: {what}\nfix: {repair}\n", self.status)


def refusal_of(error: SparingError) -> Refusal:
    match error:
        case NotFound():
            status = 404
        case UsageError():
            status = 400
        case FeatureError():
            status = 409
        case _:
            status = 500
    return Refusal(status, error.what, error.repair)


def wants_json(method: str, path: str) -> bool:
    """Whether a script reads the response, rather than a person who opened an address."""
    return method == "POST" or path == "/api" or path.startswith("/api/")
