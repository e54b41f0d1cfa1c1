"""The synthetic review loop that was measured once by hand: its texts, rows and figures.

Five documents of 15,000 characters are reviewed five times, one of them changed in between. The
texts mean nothing. Of their sizes only a few were written down with the figures (documents, system
prompt, verdict, the prompt by reference, the delta); the others are worked back from the figures,
as is where two prompts begin to differ. So the rows `inline`, `marked` and the layouts agree by
construction in their sizes; what client and double make of them in all the other rows does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

NAMES = ("prd", "spec", "design", "plan", "tasks")
CHANGED = "tasks"
ITERATIONS = 5
ROLES = ("spec-reviewer", "design-reviewer", "security-reviewer")
ARTIFACT_CHARS = 15_000
LINE_CHARS = 93
VERDICT_CHARS = 1_680
LONG_SYSTEM, LAZY_CHARS, DELTA_CHARS = 2_400, 2_100, 1_746
# Worked back from the figures, as is LINE_CHARS.
SHORT_SYSTEM, RUBRIC_CHARS, CLOSING_CHARS, LEAD_CHARS, ASK_CHARS = 700, 1_888, 163, 748, 500
_WORDS = ("limit", "reader", "record", "order", "queue", "window", "answer", "review", "change")


class Figures(NamedTuple):
    """What a row cost, in tokens."""

    calls: int
    sent: int
    write: int
    read: int
    output: int
    equivalents: int
    """Uncached + 1.25 × written for 5 minutes + 2 × written for an hour + 0.1 × read."""


class Row(NamedTuple):
    client: str
    """`lean`: our own options; `stock`: the client as it comes."""
    strategy: str
    gap_seconds: int
    life: str
    known: Figures


_TABLE = """
lean  | fresh, inline          |  60 | 5m |      5 110145 100149   9996   2100 126186
lean  | fresh, inline, marked  |  60 | 5m |      5 110145  38261  71884   2100  55015
lean  | fresh, by reference    |  60 | 5m |     10 130585 104134  26451   2545 132813
lean  | fresh, one read a call |  60 | 5m |     30 393295 104564 288731   2535 159578
lean  | resume, delta          |  60 | 5m |      6 126087  26316  99771   2189  42872
lean  | resume, reads again    |  60 | 5m |     10 289129  42108 247021   2257  77337
lean  | one client, delta      |  60 | 5m |      6 126087  26316  99771   2189  42872
lean  | fresh, inline          | 400 | 5m |      5 110145 110145      0   2100 137681
lean  | fresh, by reference    | 400 | 5m |     10 130585 114130  16455   2545 144308
lean  | resume, delta          | 400 | 5m |      6 126071 122781   3290   2188 153805
lean  | resume, delta          | 400 | 1h |      6 126087  26316  99771   2189  62609
lean  | fresh, by reference    | 400 | 1h |     10 130565 104119  26446   2540 210883
stock | fresh, inline          |  60 | 5m |      5 209353 129733  79620   2100 170128
stock | fresh, by reference    |  60 | 5m |     10 329001 133718 195283   2545 186676
stock | resume, delta          |  60 | 5m |      6 245127  46156 198971   2189  77592
stock | resume, delta          | 400 | 5m |      6 245127 221996  23131   2189 279808
"""


def _row(line: str) -> Row:
    client, strategy, gap, life, known = (part.strip() for part in line.split("|"))
    return Row(client, strategy, int(gap), life, Figures(*map(int, known.split())))


ROWS = tuple(_row(line) for line in _TABLE.strip().splitlines())
LAYOUTS: Mapping[str, Figures] = MappingProxyType(
    {
        "role in the system prompt, inline": Figures(3, 65110, 61312, 3798, 0, 77020),
        "role in the system prompt, by reference": Figures(6, 76180, 63539, 12641, 0, 80688),
        "one system prompt, marked, role last": Figures(3, 66010, 23988, 42022, 0, 34187),
        "one session reads, a fork a role": Figures(5, 92875, 24281, 68594, 0, 37211),
    }
)
"""Three roles on the same documents. Their answers' length was not written down."""


def artifact(name: str, version: int = 0) -> str:
    """Another version differs in its last lines, not in its length."""
    lines = ARTIFACT_CHARS // LINE_CHARS
    body = "".join(_line(name, version if n >= lines - 12 else 0, n) for n in range(lines))
    return body + "\n".rjust(ARTIFACT_CHARS - len(body), ".")


def inline(version: int) -> tuple[str, str]:
    """The prompt in two parts: what stays the same, and what changed."""
    steady = _words(RUBRIC_CHARS, "rubric") + "".join(artifact(n) for n in NAMES if n != CHANGED)
    return steady, artifact(CHANGED, version) + _words(CLOSING_CHARS, "judge")


def by_reference(folder: str, version: int) -> str:
    paths = "".join(f"- {folder}/{name}.md\n" for name in NAMES)
    # The stock client puts a digest of the prompt's 4th, 7th and 20th letter before everything.
    return _words(LAZY_CHARS - len(paths), "what a reviewer looks for, iteration", version) + paths


def delta(version: int) -> str:
    return _words(DELTA_CHARS, "delta", version)


def verdict(version: int) -> str:
    return _words(VERDICT_CHARS, "verdict", version)


def system(chars: int, about: str = "") -> str:
    return _words(chars, "system", about)


def lead(chars: int = LEAD_CHARS) -> str:
    return _words(chars, "lead")


def task_of(role: str) -> str:
    """What a role is told where its words are part of the prompt."""
    return _words(LONG_SYSTEM, "system", role) + _words(ASK_CHARS, "ask", role)


def documents() -> str:
    return "".join(artifact(name) for name in NAMES)


def _line(*about: object) -> str:
    return _words(LINE_CHARS - 1, *about) + "\n"


def _words(chars: int, *about: object) -> str:
    text = " ".join(map(str, about))
    digest = hashlib.sha256(text.encode()).digest() * (chars // 160 + 1)
    return (text + " " + " ".join(_WORDS[byte % len(_WORDS)] for byte in digest))[:chars].ljust(
        chars, "."
    )
