"""Answers for turns that are known in advance, in the form of a scripted agent's script.

With the script of the demo the double plays the demo's story through a real client. Times, delays
and failures in a script are only for the scripted agent and are ignored here.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparing.double.panel import is_panel, joined_text
from sparing.double.recognise import PlayedTurn
from sparing.double.request import JsonObject
from sparing.double.toolbox import FileEdit
from sparing.errors import ScriptError
from sparing.panel import members

FOLDER = "{folder}"


class PlayedEdit(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str = Field(min_length=1)
    text: str | None = None
    find: str = ""
    replace: str = ""


class Played(BaseModel):
    """What is done and said in the turns that fit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: str = "*"
    stage: str = "*"
    task: str = "*"
    iteration: int | None = None
    reply: str = ""
    read: tuple[str, ...] = ()
    edit: tuple[PlayedEdit, ...] = ()

    def fits(self, turn: PlayedTurn) -> bool:
        return (
            fnmatchcase(turn.role, self.role)
            and fnmatchcase(turn.stage, self.stage)
            and fnmatchcase(turn.task, self.task)
            and self.iteration in (None, turn.iteration)
        )

    def placed(self, folder: str) -> Played:
        """With the feature's folder wherever the script says `{folder}`."""
        text = self.model_dump_json()
        if FOLDER in text and not folder:
            raise ScriptError(
                f"the script says {FOLDER} for {self.role}, whose turn names no folder",
                "write the path out",
            )
        return Played.model_validate_json(text.replace(FOLDER, json.dumps(folder)[1:-1]))

    def changes(self) -> Iterator[FileEdit]:
        for edit in self.edit:
            if edit.text is not None:
                yield FileEdit(edit.path, edit.text)
            else:
                yield FileEdit(edit.path, edit.replace, find=edit.find)


class _Script(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    turn: tuple[Played, ...] = ()


Playbook = tuple[Played, ...]


def find(playbook: Playbook, turn: PlayedTurn) -> Played | None:
    if not is_panel(turn.role):
        return next((played for played in playbook if played.fits(turn)), None)
    roles = members(turn.role)
    alone = [replace(turn, role=one, iteration=1) for one in roles[1:]]
    found = [find(playbook, one) for one in (replace(turn, role=roles[0]), *alone)]
    played = [one for one in found if one is not None]
    if len(played) < len(roles):
        return None
    reply = joined_text(roles, [one.reply for one in played])
    read = tuple(path for one in played for path in one.read)
    return played[0].model_copy(update={"reply": reply, "read": tuple(dict.fromkeys(read))})


def read_playbook(path: Path) -> Playbook:
    try:
        return _Script.model_validate(tomllib.loads(path.read_text("utf-8-sig"))).turn
    except (OSError, ValidationError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise ScriptError(
            f"the playbook {path} can't be used: {first}", f"correct {path} or name another one"
        ) from error


def as_object(reply: str) -> JsonObject | None:
    """The reply as a JSON object, such as a verdict; None if it is not one."""
    try:
        value: Any = json.loads(reply)
    except ValueError:
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None
