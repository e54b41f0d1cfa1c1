"""Reads `hint_states.toml`: states that a command can cause, each with its hint.

`hint_reasons.toml` has the other hints: tried by a test that needs a run of an engine, or by none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum, auto
from pathlib import Path
from typing import Any, NamedTuple


class World(StrEnum):
    """Where a person stands."""

    EMPTY = auto()
    """A repository without a feature."""
    PLANNED = auto()
    """A feature of tier L3 that has not begun."""
    ABANDONED = auto()
    DETACHED = auto()
    """No branch is checked out, and there is none called main."""
    UNTRUSTED = auto()
    """A git setting that starts a program."""
    ISSUE = auto()
    """A repository whose gh knows an issue without a title."""
    NOT_BEGUN = "not begun"
    """This and the following ones: a feature of tier L1, as an engine leaves it."""
    UNDER_WAY = "under way"
    GATE = "at a gate"
    STUCK = "stuck"
    ACCEPTABLE = "stuck, acceptable"
    TWO_STUCK = "two stuck"


class After(StrEnum):
    """What tells that a hint has helped."""

    GONE = auto()
    """The same words no longer give that complaint."""
    INSTEAD = auto()
    """The hint is what was meant, and it is done."""
    SHOWN = auto()
    """Nothing is to be repaired: the hint shows how things stand."""


class HintState(NamedTuple):
    name: str
    """Where the hint stands in the code: see `tests.hints.Hint.name`."""
    world: World
    cause: str
    """What a person types."""
    hint: str
    """What the message tells a person to type."""
    says: str = ""
    """What is wrong, in the message's words."""
    after: After = After.INSTEAD
    shows: str = ""
    environ: Mapping[str, str] = {}
    then: Mapping[str, str] = {}
    """Variables that a person sets before the hint is typed."""
    filled: Mapping[str, str] = {}
    """What a person puts in place of a word in capitals."""


HERE = Path(__file__).parent


def _read(fields: dict[str, Any]) -> HintState:
    after = After(fields.pop("after", After.INSTEAD))
    return HintState(world=World(fields.pop("world")), after=after, **fields)


STATES = tuple(map(_read, tomllib.loads((HERE / "hint_states.toml").read_text("utf-8"))["state"]))
UNTRIED: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    (HERE / "hint_reasons.toml").read_text("utf-8")
)
