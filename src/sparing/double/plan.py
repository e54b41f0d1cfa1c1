"""What the double does next, when a test says so: a list of steps, taken one a request.

A step says what is answered, or that the model's own rules answer, and what goes wrong on the
way: an error, a cut, a stall, a drip. Steps come from JSON, so they are checked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sparing.double.answer import ModelWords, ToolCall
from sparing.double.refusal import Refusal


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("a header is one printable line")
    return text


HeaderText = Annotated[str, AfterValidator(_one_line)]


class ToolUse(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    input: dict[str, Any] = {}


class PlannedReply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str = ""
    """Only for a request that says this in its newest message."""
    tag: str = ""
    """Only for a request with this `x-plan-tag` header, to select one of several parallel turns."""
    times: int = Field(default=1, ge=1)

    text: str = ""
    thinking: str = ""
    tool_use: tuple[ToolUse, ...] = ()
    stop_reason: str = ""
    output_tokens: int | None = Field(default=None, ge=0)
    """Billed instead of the actual output tokens."""

    error: int | None = Field(default=None, ge=400, le=599)
    kind: str = ""
    message: str = "scripted"
    headers: dict[HeaderText, HeaderText] = {}
    """Headers of the response, for example `retry-after`."""

    hold: bool = False
    """The answer begins only when the control says `release`."""
    hang: bool = False
    """The answer never begins."""
    cut: int | None = Field(default=None, ge=0)
    """Bytes of the body after which the connection is closed."""
    stall: int | None = Field(default=None, ge=0)
    """Bytes of the body after which nothing more is sent."""
    drip_bytes: int | None = Field(default=None, ge=1)
    drip_seconds: float = Field(default=0.01, ge=0, le=60)
    """The body comes in pieces of `drip_bytes` with this much real time between them."""
    sse_error: str = ""
    """A stream ends with an error event of this kind."""
    sse_events: int = Field(default=4, ge=0)
    """How many events come before it."""

    first_token_seconds: float = Field(default=0.0, ge=0)
    answer_seconds: float = Field(default=0.0, ge=0)
    """Duration of the answer by the double's own clock."""

    @property
    def said(self) -> ModelWords | None:
        """The planned answer; None if the model's rules answer."""
        if not (self.text or self.thinking or self.tool_use or self.stop_reason):
            return None
        calls = tuple(ToolCall(use.name, use.input) for use in self.tool_use)
        return ModelWords(self.text, calls, self.thinking, self.stop_reason)


STEPS = TypeAdapter(tuple[PlannedReply, ...])
USUAL = PlannedReply()


class RequestPlan:
    def __init__(self, steps: Iterable[PlannedReply] = ()) -> None:
        self._steps = [step for step in steps for _ in range(step.times)]

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, steps: Iterable[PlannedReply]) -> None:
        """Append steps after those that are left."""
        self._steps += [step for step in steps for _ in range(step.times)]

    def take(self, newest: str, tag: str = "") -> PlannedReply:
        """The first step that fits; the usual one if none does."""
        for number, step in enumerate(self._steps):
            if step.when in newest and step.tag in ("", tag):
                return self._steps.pop(number)
        return USUAL


def read_steps(value: object) -> tuple[PlannedReply, ...]:
    try:
        return STEPS.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refusal(400, f"plan.{where}: {first['msg']}") from None
