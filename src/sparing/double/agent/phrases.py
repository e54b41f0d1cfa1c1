"""What representative agents say and write: verdicts, reports, code, changed passages.

Lengths are drawn, the words mean nothing. Quoted lines exist: in the files currently in the working
folder, else in what the prompt gave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from sparing.double import writing
from sparing.double.agent_draws import TurnIdentity, loop_rounds, share, whole
from sparing.double.agent_kinds import AGENTS, SEARCHES, AgentKind
from sparing.double.recognise import PlayedTurn
from sparing.double.request import JsonObject
from sparing.double.verdicts import LEVELS, QuotableLine
from sparing.finding import Severity

ACTS = ("load", "store", "check", "merge", "count", "order", "split", "trace", "limit", "close")
NOUNS = ("record", "window", "ticket", "ledger", "signal", "packet")
DRAFT = "a first draft"
_SYLLABLES = tuple(first + second for first in "bdfgklmnprstvz" for second in "aeiou")
SHORTEST = 24
"""Fewest characters of a line that is quoted or changed."""


def search_word(number: int) -> str:
    """A word to search for: a name as it occurs in code."""
    return f"{ACTS[number % SEARCHES % len(ACTS)]}_{NOUNS[number % SEARCHES // len(ACTS)]}"


def verdict(
    kind: AgentKind, seed: int, who: TurnIdentity, turn: PlayedTurn, lines: Sequence[QuotableLine]
) -> JsonObject:
    """Rejects until the drawn last round of this reviewer in this stage."""
    last = loop_rounds(kind, seed, who.role, who.stage)
    rejects = who.iteration < last and who.role != "judge"
    count = _count(kind, seed, who, last) if rejects else 0
    findings = [_finding(kind, seed, who, turn, lines, number) for number in range(count)]
    words = "No external claims." if rejects else "Nothing is left open. No external claims."
    said: JsonObject = {
        "approved": not rejects,
        "findings": findings,
        "summary": f"Round {who.iteration}. {writing.prose(240, seed, *who)}{words}",
    }
    if who.role == "implementation-reviewer":
        said["levels"] = {
            level: {"passed": not rejects or level != LEVELS[0], "issues_count": 0}
            for level in LEVELS
        }
    return said


def _count(kind: AgentKind, seed: int, who: TurnIdentity, last: int) -> int:
    """Number of findings, fewer in every round: without progress the loop would be stopped."""
    loop = who._replace(iteration=1)
    first = max(last - 1, whole(AGENTS[kind].findings, seed, *loop, "findings"))
    return math.ceil(first * (last - who.iteration) / (last - 1))


def _finding(
    kind: AgentKind,
    seed: int,
    who: TurnIdentity,
    turn: PlayedTurn,
    lines: Sequence[QuotableLine],
    number: int,
) -> JsonObject:
    about = (seed, *who, number)
    chars = whole(AGENTS[kind].finding_chars, *about, "chars")
    line = lines[int(share(*about, "line") * len(lines))] if lines else QuotableLine("", "")
    finding: JsonObject = {
        "severity": (Severity.WARNING if number else Severity.BLOCKER).value,
        "category": turn.categories[number % len(turn.categories)] if turn.categories else "",
        "location": line.place,
        "quote": line.text,
        "text": _remark(chars * 2 // 3, *about),
        "suggestion": _remark(chars // 3, *about, "suggestion"),
    }
    if who.role == "implementation-reviewer":
        finding["level"] = LEVELS[number % len(LEVELS)]
    return finding


def _remark(chars: int, *about: object) -> str:
    """Words that occur in no other finding, so that no two are taken for the same."""
    said, number = "", 0
    while len(said) < chars:
        drawn = int(share(*about, "word", number) * len(_SYLLABLES) ** 3)
        word = ""
        for _ in range(3):
            drawn, place = divmod(drawn, len(_SYLLABLES))
            word += _SYLLABLES[place]
        said += f"{word}{'. ' if number % 9 == 8 else ' '}"
        number += 1
    return f"{said.strip().capitalize()}."


def quotable(
    folder: str, feature: str, turn: PlayedTurn, papers: Sequence[str], changed: Sequence[str]
) -> list[QuotableLine]:
    """Current lines of what is judged: changed code, else the newest document."""
    code = [name for name in changed if name.endswith(".py")]
    if turn.stage in ("implement", "code_review") and code:
        paths = [(name, name) for name in code]
    else:
        paths = [(f"{feature}/{name}", name) for name in papers[-1:]]
    return [
        QuotableLine(shown, line)
        for path, shown in paths
        for line in read_lines(folder, path) or turn.documents.get(shown, "").splitlines()
        if len(line.strip()) >= SHORTEST
    ]


def read_lines(folder: str, path: str) -> list[str]:
    """Lines of a file in the working folder; empty if it can't be read."""
    try:
        return (Path(folder) / path).read_text("utf-8").splitlines() if folder else []
    except (OSError, ValueError):
        return []


def module(path: str, lines: int, drafts: int) -> str:
    """A module with passages that are settled one by one later."""
    stem = writing.identifier(PurePosixPath(path).stem)
    if stem.startswith("test_"):
        return writing.code(path)
    body = [f'"""What {stem} is for."""', ""]
    number = 0
    while len(body) < lines or number < drafts:
        name = f"{search_word(number * 7)}_{number}"
        body += ["", f"def {name}(values: list[int]) -> int:"]
        body += [f'    """The {name.replace("_", " ")} of all values, in their order."""']
        body += [f"    total = {number}  # {DRAFT} of step {number} in {stem}"]
        body += ["    for value in values:", f"        total += value * {number + 1}"]
        body += ["    return total", ""]
        number += 1
    return "\n".join(body) + "\n"


def passages(text: str, path: str, who: TurnIdentity, seed: int) -> Iterator[tuple[str, str]]:
    """Lines that occur only once in the text, in drawn order, with their replacements."""
    every = text.splitlines()
    of_code = path.endswith(".py")
    fit = [
        line
        for line in every
        if len(line) >= SHORTEST and every.count(line) == 1 and text.count(line) == 1
        and (("  # " in line) if of_code else line[:1].isalpha())
    ]  # fmt: skip
    for line in sorted(fit, key=lambda one: share(seed, *who, "passage", one)):
        note = f"settled in round {who.iteration}"
        if of_code:
            yield line, f"{line.partition('  # ')[0]}  # {note}: {line.partition('  # ')[2]}"
        else:
            yield (
                line,
                f"{line} {note.capitalize()}: {writing.prose(120, seed, *who, line)}".strip(),
            )
