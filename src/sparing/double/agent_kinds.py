"""How much work agents do: three kinds of them, as frozen distributions that a seed draws from.

`light` agents answer after a look or two, `typical` ones work as public traces of coding agents
say (8 to 15 calls a review, 20 to 45 an implementation, 1.2 tools a step), `heavy` ones look at
most of the repository. The model double behind a real client and the benches without one both draw
from here, so that they do the same work. Like a real agent:

- It looks before it judges: it lists files, searches, opens files one after another and seldom
  several at once (parallel calls in 0 to 25 % of the steps of a turn).
- Every agent opens certain files, and 40 modules are few: most of what a turn opens was opened
  before. An agent that looks again, in another round, needs mostly the same files as last time.
- What it knows it does not open again: text that the prompt gives, and files that it read earlier
  in the same conversation, unless they have changed since.
- Commands are run again: no memory tells whether the tests pass now.
- An implementer goes to and fro between reading, changing and running; its steps are small.
- A reviewer that rejects quotes lines that exist; how many rounds a loop has depends on the work.
- It says a sentence or two with each step, and writes documents and reports of real length.
- Half of its turns are quick, others take minutes; a person at a gate takes longer.

**An agent never knows the policy.** All is drawn from a seed and the turn's identity: who is asked,
in which stage, for which task, and how often before. So the same turn needs the same knowledge
however it is sent. The ranges are those of the traces and not those which the chooser assumes
(`economy/expected_work.py`); the shapes are other ones too: log-normal, not uniform. A test holds
the digest, so that no figure can be improved from here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

from sparing.turn_kind import Errand

REPOSITORY_FILES = 40
"""Modules of the repository that they work in."""
FILE_TOKENS = (1_200, 3_000)
"""Tokens of one of these modules: uniform between these."""
SEARCHES = 60
"""Different things that agents search for in it."""
LIST_TRUST = 0.5
"""Probability that a list of files in the prompt replaces the agent's own listing."""


class AgentKind(StrEnum):
    LIGHT = "light"
    TYPICAL = "typical"
    HEAVY = "heavy"


class Around(NamedTuple):
    """Log-normal distribution around a median, clipped to bounds."""

    median: float
    spread: float
    """Standard deviation of the logarithm."""
    least: float
    most: float

    def at(self, share: float) -> float:
        """The value below which this share lies."""
        inner = min(max(share, 1e-9), 1 - 1e-9)
        value = self.median * math.exp(self.spread * NormalDist().inv_cdf(inner))
        return min(self.most, max(self.least, value))


class Toolwork(NamedTuple):
    """Shares of a turn's tool calls; the rest reads files."""

    searches: float
    changes: float = 0.0
    commands: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentHabits:
    """One kind of agent."""

    calls: Mapping[Errand, Around]
    """Model calls of a turn without any memory, the answer among them."""
    parallel: tuple[float, float]
    """Share of a turn's steps with several tool calls: uniform between these."""
    together: Around
    """Tool calls of such a step."""
    steady_files: float
    """Share of a later round's files that the rounds before needed as well."""
    step_chars: Around
    """Characters said with a step."""
    search_lines: Around
    """Lines of a search result."""
    document_chars: Around
    tasks: Around
    rounds: tuple[float, ...]
    """How likely a review loop ends with round 1, 2, …"""
    findings: Around
    """Findings of a verdict that rejects."""
    finding_chars: Around
    """Characters of a finding's text and suggestion."""
    report_chars: Around
    """Characters of the final answer of an agent that changed something."""
    module_lines: Around
    """Lines of a file that an implementer writes."""
    quick_share: float
    """Share of the turns that take `quick_seconds`."""
    quick_seconds: float
    slow_seconds: tuple[float, float]
    """Duration of the other turns: uniform between these."""
    human_seconds: Around
    """Seconds until a person answers at a gate."""


_DOCUMENT_WORK = Toolwork(searches=0.30)
_CODE_WORK = Toolwork(searches=0.18, changes=0.26, commands=0.18)
TOOLWORK: Mapping[Errand, Toolwork] = MappingProxyType(
    {
        Errand.WRITE: _DOCUMENT_WORK,
        Errand.REVISE: Toolwork(searches=0.20, changes=0.35),
        Errand.REVIEW: _DOCUMENT_WORK,
        Errand.IMPLEMENT: _CODE_WORK,
        Errand.FIX: _CODE_WORK,
        Errand.LONE: Toolwork(searches=0.35),
        Errand.RETRO: Toolwork(searches=0.50),
        Errand.HAND_OVER: Toolwork(searches=0.0),
    }
)
_ONCE = Around(1, 0.0, 1, 1)
AGENTS: Mapping[AgentKind, AgentHabits] = MappingProxyType(
    {
        AgentKind.LIGHT: AgentHabits(
            calls={
                Errand.WRITE: Around(4, 0.30, 2, 8),
                Errand.REVISE: Around(3, 0.30, 2, 6),
                Errand.REVIEW: Around(3, 0.35, 1, 6),
                Errand.IMPLEMENT: Around(9, 0.30, 5, 15),
                Errand.FIX: Around(6, 0.30, 3, 10),
                Errand.LONE: Around(4, 0.35, 2, 8),
                Errand.RETRO: Around(2, 0.30, 1, 4),
                Errand.HAND_OVER: _ONCE,
            },
            parallel=(0.0, 0.25),
            together=Around(2.4, 0.25, 2, 4),
            steady_files=0.75,
            step_chars=Around(160, 0.5, 40, 600),
            search_lines=Around(12, 0.6, 3, 40),
            document_chars=Around(8_000, 0.25, 5_000, 13_000),
            tasks=Around(4, 0.25, 3, 6),
            rounds=(0.50, 0.35, 0.15),
            findings=Around(2, 0.4, 1, 4),
            finding_chars=Around(300, 0.4, 120, 800),
            report_chars=Around(1_000, 0.3, 500, 2_000),
            module_lines=Around(50, 0.3, 25, 100),
            quick_share=0.85,
            quick_seconds=20.0,
            slow_seconds=(120.0, 600.0),
            human_seconds=Around(240, 1.0, 30, 3_600),
        ),
        AgentKind.TYPICAL: AgentHabits(
            calls={
                Errand.WRITE: Around(14, 0.25, 9, 22),
                Errand.REVISE: Around(9, 0.25, 6, 14),
                Errand.REVIEW: Around(11, 0.22, 8, 15),
                Errand.IMPLEMENT: Around(29, 0.25, 20, 45),
                Errand.FIX: Around(17, 0.25, 11, 27),
                Errand.LONE: Around(12, 0.30, 7, 20),
                Errand.RETRO: Around(8, 0.25, 5, 12),
                Errand.HAND_OVER: _ONCE,
            },
            parallel=(0.0, 0.25),
            together=Around(2.4, 0.25, 2, 4),
            steady_files=0.75,
            step_chars=Around(220, 0.5, 40, 900),
            search_lines=Around(18, 0.6, 3, 60),
            document_chars=Around(15_000, 0.22, 10_000, 23_000),
            tasks=Around(8, 0.15, 6, 11),
            rounds=(0.20, 0.45, 0.25, 0.10),
            findings=Around(3, 0.4, 1, 7),
            finding_chars=Around(420, 0.4, 150, 1_200),
            report_chars=Around(1_800, 0.3, 900, 3_600),
            module_lines=Around(90, 0.3, 45, 180),
            quick_share=0.55,
            quick_seconds=25.0,
            slow_seconds=(120.0, 600.0),
            human_seconds=Around(480, 1.0, 60, 7_200),
        ),
        AgentKind.HEAVY: AgentHabits(
            calls={
                Errand.WRITE: Around(24, 0.25, 15, 38),
                Errand.REVISE: Around(15, 0.25, 9, 24),
                Errand.REVIEW: Around(20, 0.25, 13, 30),
                Errand.IMPLEMENT: Around(44, 0.18, 32, 55),
                Errand.FIX: Around(28, 0.25, 18, 42),
                Errand.LONE: Around(20, 0.30, 12, 32),
                Errand.RETRO: Around(14, 0.25, 9, 22),
                Errand.HAND_OVER: _ONCE,
            },
            parallel=(0.0, 0.25),
            together=Around(2.4, 0.25, 2, 4),
            steady_files=0.75,
            step_chars=Around(320, 0.5, 60, 1_400),
            search_lines=Around(26, 0.6, 4, 90),
            document_chars=Around(24_000, 0.22, 16_000, 36_000),
            tasks=Around(13, 0.15, 10, 17),
            rounds=(0.10, 0.30, 0.30, 0.20, 0.10),
            findings=Around(4, 0.4, 1, 9),
            finding_chars=Around(560, 0.4, 200, 1_500),
            report_chars=Around(2_800, 0.3, 1_400, 5_600),
            module_lines=Around(140, 0.3, 70, 260),
            quick_share=0.35,
            quick_seconds=30.0,
            slow_seconds=(150.0, 900.0),
            human_seconds=Around(900, 1.0, 120, 14_400),
        ),
    }
)


def digest() -> str:
    """Digest of every distribution above."""
    known = {kind.value: asdict(habits) for kind, habits in AGENTS.items()}
    others = [TOOLWORK, REPOSITORY_FILES, FILE_TOKENS, SEARCHES, LIST_TRUST]
    text = json.dumps([known, *others], sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest()
