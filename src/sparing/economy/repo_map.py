"""A map of the repository: its most used files and what they define, in at most 1,000 tokens.

An agent that has it need not explore first. Files are ranked by how much the others use what they
define (a few rounds of the well-known random walk along links), and the walk starts more often at
files that the turn is about. Names are found by simple patterns for common languages: a map may be
wrong about a name, but must never be long.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from sparing.segment import CHARS_PER_TOKEN

LIMIT_TOKENS = 1_000
ROUNDS = 12
DAMPING = 0.85
MOST_NAMES = 8
LEAST_NAME = 4
LARGEST_CHARS = 200_000
_DEFINED = re.compile(
    r"^[ \t]*(?:export\s+|default\s+|pub(?:\([^)\n]{0,20}\))?\s+|public\s+|static\s+|async\s+"
    r"|abstract\s+|final\s+)*(?:def|class|func|fn|function|struct|enum|trait|interface|type|const)"
    r"\s+(?:\([^)\n]{0,60}\)\s*)?(?P<name>[A-Za-z_]\w*)",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_]\w*")


def repository_map(
    texts: Mapping[str, str], about: Collection[str] = (), limit_tokens: int = LIMIT_TOKENS
) -> str:
    """One line per file with path and names, the most used first; as many as fit."""
    defined = {path: names_of(text) for path, text in sorted(texts.items())}
    ranks = ranked(texts, defined, about)
    room, lines = limit_tokens * CHARS_PER_TOKEN, list[str]()
    for path in ranks:
        line = _line(path, defined[path])
        if len(line) + 1 > room:
            break
        lines.append(line)
        room -= len(line) + 1
    return "".join(f"{line}\n" for line in lines)


def names_of(text: str) -> tuple[str, ...]:
    """The names that a file defines, in order, without those that begin with an underscore."""
    found = (match["name"] for match in _DEFINED.finditer(text[:LARGEST_CHARS]))
    return tuple(dict.fromkeys(name for name in found if not name.startswith("_")))


def ranked(
    texts: Mapping[str, str], defined: Mapping[str, Sequence[str]], about: Collection[str] = ()
) -> list[str]:
    """Paths, the most used first; equal ones by name."""
    paths = list(defined)
    if not paths:
        return []
    links = _links(texts, defined)
    start = {path: 1.0 for path in paths if path in about} or dict.fromkeys(paths, 1.0)
    total = sum(start.values())
    rank = {path: start.get(path, 0.0) / total for path in paths}
    for _ in range(ROUNDS):
        rank = _step(rank, links, {path: start.get(path, 0.0) / total for path in paths})
    return sorted(paths, key=lambda path: (-rank[path], path))


def _links(
    texts: Mapping[str, str], defined: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Which files use which, and how much; a name that many files define is ignored."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path, names in defined.items():
        for name in names:
            if len(name) >= LEAST_NAME:
                homes[name].append(path)
    links: dict[str, dict[str, float]] = {}
    for path in defined:
        used: Counter[str] = Counter()
        for word in set(_WORD.findall(texts[path][:LARGEST_CHARS])):
            for home in homes.get(word, ()) if len(homes.get(word, ())) <= 3 else ():
                used[home] += home != path
        links[path] = {home: float(count) for home, count in used.items() if count}
    return links


def _step(
    rank: Mapping[str, float], links: Mapping[str, Mapping[str, float]], start: Mapping[str, float]
) -> dict[str, float]:
    """One step of the walk: follow a link or start over; without links always start over."""
    lost = sum(rank[path] for path in rank if not links[path])
    following = {path: (1 - DAMPING + DAMPING * lost) * start[path] for path in rank}
    for path, targets in links.items():
        weight = sum(targets.values())
        for target, count in targets.items():
            following[target] += DAMPING * rank[path] * count / weight
    return following


def _line(path: str, names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    more = f" +{len(names) - MOST_NAMES}" if len(names) > MOST_NAMES else ""
    return f"{PurePosixPath(path)}: {shown}{more}" if shown else str(PurePosixPath(path))
