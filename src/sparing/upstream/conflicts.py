"""A merge's conflicts with both sides: for an agent to read, and to tell if they are resolved.

Reads only the merged tree, in which git has left its markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sparing.context.prompt.check_output import CONFLICT
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import Repository

OURS, MIDDLE, THEIRS = "<<<<<<< ", "=======", ">>>>>>> "
AROUND = 6
"""Lines shown before and after a conflict."""
MOST_LINES = 400
"""Most lines shown of one file."""
_MARKERS = re.compile(r"(?m)^(?:<{7} |>{7} )")


def conflict_rows(
    repo: Repository, merged: str, sides: tuple[str, str], paths: Iterable[str]
) -> list[list[str]]:
    """A row for each file: its name, no command, and its conflicts with both sides."""
    return [[f"{CONFLICT}{path}", "", _shown(repo, merged, sides, path)] for path in paths]


def unsettled(repo: Repository, commit: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the files that still contain git's conflict markers."""
    return tuple(path for path in paths if _MARKERS.search(_text(repo, commit, path) or ""))


def _shown(repo: Repository, merged: str, sides: tuple[str, str], path: str) -> str:
    ours, theirs = (_text(repo, side, path) for side in sides)
    if ours is None or theirs is None:
        gone, kept = ("the feature", "base branch") if ours is None else ("base branch", "feature")
        return f"{path}: removed by {gone}, changed by the {kept}; decide whether it stays"
    text = _text(repo, merged, path)
    if text is None or "\0" in text or not _MARKERS.search(text):
        return f"{path}: changed by both, and git can't put the two together"
    # The name of a document can't hold every path; its text does.
    return "\n".join((f"{path}:", *_places(text.splitlines())))


def _places(lines: list[str]) -> list[str]:
    """The lines of each conflict and those around it, numbered as in the file."""
    inside, wanted = False, set[int]()
    for number, line in enumerate(lines):
        inside = inside or line.startswith(OURS)
        if inside:
            wanted |= {*range(max(0, number - AROUND), min(len(lines), number + AROUND + 1))}
        inside = inside and not line.startswith(THEIRS)
    shown = sorted(wanted)
    gaps = {number for number in shown if number and number - 1 not in wanted}
    told = [
        part
        for number in shown[:MOST_LINES]
        for part in (*(["…"] if number in gaps else []), f"{number + 1}: {lines[number]}")
    ]
    more = len(shown) - MOST_LINES
    return [*told, f"… and {more} more lines"] if more > 0 else told


def _text(repo: Repository, commit: str, path: str) -> str | None:
    data = read_file(repo, commit, path)
    return None if data is None else data.decode("utf-8", "replace")
