"""What is assumed beside the work itself: prices, the client, the clock, the size of small things.

How much work agents do is drawn from `sparing.double.agent_kinds`, the same distributions from
which the model double behind a real client draws. Here stand only figures that follow from the
client: what a tool's request and its result weigh. A test holds the digest of both.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import NamedTuple

MODEL = "claude-sonnet-5-5"
PRICES = f"{MODEL} 2 10 0.20 2.50 4"
"""US dollars per million tokens, as the setting `models.prices` has them. One model for all
roles: which role deserves which is no question of caching."""
MINIMUM_TOKENS = 1_024
"""Shorter prompts are not cached."""


@dataclass(frozen=True, slots=True)
class ToolSizes:
    """Tokens of what agents ask their tools for, and of what they get."""

    ask: int = 30
    """Of a request: the tool's name, a path or a pattern."""
    listed_path: int = 10
    """Of each further file in a request for several."""
    read_factor: float = 1.14
    """A file that is read carries line numbers; lines of code are short."""
    paper_factor: float = 1.04
    """The same of a document: its lines are long."""
    own_read_factor: float = 1.056
    own_paper_factor: float = 1.008
    """The same from Sparing's tools, which number one line in five: of the modules that agents
    work in, 1.021 characters for each of theirs instead of 1.102."""
    search_line: int = 19
    listed_file: int = 12
    passage: int = 45
    """Of an edit: the old lines; the new ones are as many and a few more."""
    changed: int = 45
    """What a tool says of an edit or of a file that it wrote."""
    command: int = 60
    """What a command prints: the end of a test run, the state of the worktree."""
    verdict: int = 100
    finding: int = 45
    """Of a verdict beside the words of its findings, and of each of them: its place, a quote."""
    handoff: int = 120
    """The block with which a stage of a tier ends."""
    code_line: int = 11
    test: int = 45
    """Of a line of code, and of the tests that come with a module."""


SIZES = ToolSizes()
FIRST_TOKEN_SECONDS = 0.5
"""Until an answer begins: from then on others can read what the request wrote."""
AT_ONCE_SECONDS = 5.0
"""Between the end of a turn and the next one, where nobody waits for anything."""
WINDOW_TOKENS = 200_000
RESERVE_TOKENS = 33_000


class Pause(NamedTuple):
    """How long it takes until a loop goes on, and until a person answers at a gate."""

    least: float
    most: float
    quick: bool = False
    """No turn takes longer than a minute either."""


class PauseName(StrEnum):
    SECONDS = "< 1 min"
    MINUTES = "2-10 min"
    LONGER = "6-15 min"
    HOURS = "1-2 h"
    DRAWN = "as drawn"
    """Turns as long as the agents' kind draws them, people as slow, nothing else: as the real
    client is measured."""


PAUSES = {
    PauseName.SECONDS: Pause(10, 50, quick=True),
    PauseName.MINUTES: Pause(120, 600),
    PauseName.LONGER: Pause(360, 900),
    PauseName.HOURS: Pause(3_700, 7_200),
}


def digest() -> str:
    """Of what is assumed here."""
    pauses = {name.value: list(pause) for name, pause in PAUSES.items()}
    known = [PRICES, MINIMUM_TOKENS, asdict(SIZES), FIRST_TOKEN_SECONDS, AT_ONCE_SECONDS, pauses]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
