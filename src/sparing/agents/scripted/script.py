"""Scripts of the scripted agent: which turn is played for which call.

A script is a TOML file written by a person, so every mistake in it gets a two-line error. Turns are
tried in order; the first whose conditions all match is played. `{folder}` in a path or a text
stands for the feature's folder.
"""

from __future__ import annotations

import time
import tomllib
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparing.agents.backend import AgentCall
from sparing.double.agent_kinds import AgentKind
from sparing.double.panel import joined_text
from sparing.errors import ScriptError
from sparing.failure import Failure
from sparing.panel import members

SIZE_LIMIT = 512 * 1024
DOTS_LIMIT = 100


class Edit(BaseModel):
    """A change of one file: its whole text, or one passage replaced by another."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(min_length=1)
    text: str | None = None
    find: str = ""
    replace: str = ""


class ScriptedTurn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str = "*"
    stage: str = "*"
    task: str = "*"
    iteration: int | None = None
    prompt: str = ""
    """Text that the prompt must contain."""
    reply: str = ""
    read: tuple[str, ...] = ()
    """Files the agent reads, one tool call each."""
    looks: bool = True
    """Whether it explores the repository, if the script's agents do."""
    run: tuple[str, ...] = ()
    """Commands it runs in its shell, after the edits."""
    edit: tuple[Edit, ...] = ()
    seconds: float = 20.0
    """Seconds that the turn takes by the engine's simulated clock."""
    delay_seconds: float = Field(default=0.0, ge=0, le=3600)
    """Seconds that it takes in real time."""
    fail: Failure | None = None
    detail: str = ""
    resets_at: float | None = None
    """For a used-up quota: when it is available again; the turn is played only until then."""
    exit_code: int | None = None
    """Exit with this code and no result, as a crashed client does."""

    def fits(self, call: AgentCall) -> bool:
        return (
            fnmatchcase(call.role, self.role)
            and fnmatchcase(call.stage, self.stage)
            and fnmatchcase(call.task, self.task)
            and (self.iteration is None or self.iteration == call.iteration)
            and (self.resets_at is None or time.time() < self.resets_at)
            and (not self.prompt or any(self.prompt in one.text for one in call.prompt))
        )


class Script(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    base_tokens: int = Field(default=2200, ge=0)
    """Tokens of the tools and system prompt of the simulated client."""
    searches: bool = False
    """True if the simulated client's provider can search the web."""
    look_tokens: int = Field(default=0, ge=0)
    """The same for readers with our tools, which take lists; 0 if the client has none of them."""
    agents: AgentKind | None = None
    """The kind of agent whose exploring is simulated in addition to the script."""
    seed: int = 1
    """The random seed for what such agents do."""
    turn: tuple[ScriptedTurn, ...] = ()

    def find(self, call: AgentCall) -> ScriptedTurn | None:
        """The turn to play; for several reviewers in one turn, their separate replies combined."""
        roles = members(call.role)
        if len(roles) == 1:
            return next((turn for turn in self.turn if turn.fits(call)), None)
        alone = [replace(call, role=one, iteration=1) for one in roles[1:]]
        found = [self.find(one) for one in (replace(call, role=roles[0]), *alone)]
        turns = [turn for turn in found if turn is not None]
        if len(turns) < len(roles):
            return None
        reply = joined_text(roles, [turn.reply for turn in turns])
        read = dict.fromkeys(path for turn in turns for path in turn.read)
        return turns[0].model_copy(update={"reply": reply, "read": tuple(read)})


def read_script(path: Path) -> Script:
    try:
        return Script.model_validate(tomllib.loads(_text(path)))
    except OSError as error:
        raise _unreadable(path, error.strerror or "unknown reason") from error
    except RecursionError:
        raise _wrong(path, "is nested too deeply") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _wrong(path, f"is wrong at {where}: {first['msg']}") from error
    except ValueError as error:  # also a byte that is not UTF-8, a number of 10,000 digits
        raise _wrong(path, f"is not TOML: {error}") from error


def _text(path: Path) -> str:
    """A file's text, up to the limit; only a regular file, as a pipe would block forever."""
    if path.exists() and not path.is_file():
        raise _unreadable(path, "it is not a file")
    with path.open("rb") as file:
        data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise _unreadable(path, f"it has more than {SIZE_LIMIT // 1024} KiB")
    text = data.decode("utf-8-sig")
    # The parser's memory grows with the square of a dotted key's parts.
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > DOTS_LIMIT:
            raise _wrong(path, f"has more than {DOTS_LIMIT} dots on line {number}")
    return text


def _unreadable(path: Path, why: str) -> ScriptError:
    return ScriptError(
        _line(f"the script {path} can't be read: {why}"),
        "name another one: SPARING_AGENT__SCRIPT=PATH",
    )


def _wrong(path: Path, why: str) -> ScriptError:
    return ScriptError(
        _line(f"the script {path} {why}"), _line(f"correct {path}, then run the same command again")
    )


def _line(text: str) -> str:
    """Text made printable, on one line, whatever a key or a path contains."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
