"""Reading a roadmap back: a project's features, what each depends on, its milestones.

The file is the truth for everyone who works on the project, and people edit it. So it is read
leniently: a feature is a numbered line with its folder's name in bold, a dependency is a folder's
name or its number, and any other line is taken for a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sparing.flow.project import FEATURES_AT_MOST, Milestone, Planned, Project

LONGEST = 400_000
_HEADING = re.compile(r"^(?P<level>#{2,6})\s+(?P<text>.+?)\s*#*\s*$")
_FEATURE = re.compile(
    r"^\s*\d+[.)]\s+\*\*(?P<name>\d{1,6}-[A-Za-z0-9][\w.-]*)\*\*\s*(?:—|–|--|-|:)?\s*(?P<rest>.*)$"
)
_WAITS = re.compile(r"\((?:depends on|needs|after):\s*(?P<names>[^()]*)\)\s*$", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w-])(?P<number>\d{1,6})(?:-[a-z0-9][a-z0-9-]*)?(?![\w])")
_BULLET = re.compile(r"^\s*[-*+]\s+(?P<text>.+)$")
_SHOWS = re.compile(r"^\*At its end:\*\s*(?P<text>.+)$")


def read_roadmap(text: str) -> Project:
    """Read whatever is readable; what is not is listed as faults."""
    sections = list(_sections(text[:LONGEST]))
    faults: list[str] = []
    raw = list(_features(sections, faults))
    names = {_number(name): name for name, _, _ in raw}
    features = tuple(
        Planned(name, about, tuple(_waits(name, waits, names, faults)))
        for name, about, waits in raw
    )
    return Project(features, tuple(_milestones(sections, names)), (), tuple(faults))


def numbers(project: Project) -> frozenset[int]:
    """Numbers that are reserved for the project's features."""
    return frozenset(_number(one.name) for one in project.features)


def _sections(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Headings with the lines below them; the mermaid block is left out."""
    level, heading, lines, fenced = 0, "", list[str](), False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        match = None if fenced else _HEADING.match(line)
        if match is None:
            lines.append("" if fenced else line)
            continue
        yield level, heading, lines
        level, heading, lines = len(match["level"]), match["text"], []
    yield level, heading, lines


def _features(
    sections: Sequence[tuple[int, str, list[str]]], faults: list[str]
) -> Iterator[tuple[str, str, str]]:
    seen: set[int] = set()
    lines = [line for _, heading, listed in sections if _is_order(heading) for line in listed]
    for match in filter(None, map(_FEATURE.match, lines)):
        name, rest = match["name"].lower(), match["rest"].strip()
        waits = _WAITS.search(rest)
        if _number(name) in seen:
            faults.append(f"{name} is listed twice: the first one counts")
        elif len(seen) == FEATURES_AT_MOST:
            faults.append(f"more than {FEATURES_AT_MOST} features: {name} is left out")
        else:
            seen.add(_number(name))
            about = rest[: waits.start()].strip() if waits else rest
            yield name, about, waits["names"] if waits else ""


def _is_order(heading: str) -> bool:
    return "order" in heading.casefold() or heading.casefold() == "features"


def _waits(name: str, waits: str, names: dict[int, str], faults: list[str]) -> Iterator[str]:
    found = list(dict.fromkeys(int(match["number"]) for match in _NAMED.finditer(waits)))
    for number in found:
        if number not in names:
            faults.append(f"{name} waits for {number:03d}, which is not on the roadmap")
        elif names[number] == name:
            faults.append(f"{name} waits for itself")
        else:
            yield names[number]


def _milestones(
    sections: Sequence[tuple[int, str, list[str]]], names: dict[int, str]
) -> Iterator[Milestone]:
    inside = 0
    for level, heading, lines in sections:
        if inside and level > inside:
            listed = [match["text"] for match in filter(None, map(_BULLET.match, lines))]
            found = [int(hit["number"]) for hit in map(_NAMED.search, listed) if hit]
            shows = [match["text"] for match in filter(None, map(_SHOWS.match, lines))]
            known = tuple(dict.fromkeys(names[one] for one in found if one in names))
            if known:
                yield Milestone(heading, known, shows[0] if shows else "")
        else:
            inside = level if heading.casefold().startswith("milestone") else 0


def _number(name: str) -> int:
    return int(name.partition("-")[0])
