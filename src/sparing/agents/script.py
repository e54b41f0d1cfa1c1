"""Scripts of the scripted agent: which turn is played for which call.

A script is a TOML file written by a person, so every mistake in it gets two lines. Turns are
tried in order; the first whose conditions all fit is played. `{folder}` in a path or a text
stands for the feature's folder.
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparing.agents.backend import AgentCall, Failure
from sparing.errors import ScriptError


class Edit(BaseModel):
    """A change of one file: its whole text, or one passage for another."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(min_length=1)
    text: str | None = None
    find: str = ""
    replace: str = ""


class Turn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str = "*"
    stage: str = "*"
    task: str = "*"
    iteration: int | None = None
    reply: str = ""
    read: tuple[str, ...] = ()
    """Files the agent reads, one tool call each."""
    edit: tuple[Edit, ...] = ()
    seconds: float = 20.0
    """How long the turn takes by the engine's counted clock."""
    delay_seconds: float = Field(default=0.0, ge=0, le=3600)
    """How long it takes for real."""
    fail: Failure | None = None
    detail: str = ""
    exit_code: int | None = None
    """Leave without a result, as a crashed client does."""

    def fits(self, call: AgentCall) -> bool:
        return (
            fnmatchcase(call.role, self.role)
            and fnmatchcase(call.stage, self.stage)
            and fnmatchcase(call.task, self.task)
            and (self.iteration is None or self.iteration == call.iteration)
        )


class Script(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    base_tokens: int = Field(default=2200, ge=0)
    """Tools and system prompt of the client that is played."""
    turn: tuple[Turn, ...] = ()

    def find(self, call: AgentCall) -> Turn | None:
        return next((turn for turn in self.turn if turn.fits(call)), None)


def read_script(path: Path) -> Script:
    repair = f"correct {path}, then run the same command again"
    try:
        return Script.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise ScriptError(
            f"the script {path} can't be read: {error.strerror}",
            "name another one: SPARING_AGENT__SCRIPT=PATH",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScriptError(f"the script {path} is no TOML: {error}", repair) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ScriptError(
            f"the script {path} is wrong at {where}: {first['msg']}", repair
        ) from error
