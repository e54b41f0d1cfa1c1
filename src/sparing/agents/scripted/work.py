"""What a scripted agent does besides its script: it explores and iterates as much as a simulated
agent of a kind does, so that a scripted run has as many calls as a real one.

Files and searches are real, and so are commands; which they are is drawn from the turn's identity
(`double/agent_kinds.py`). It does not reopen what is in the prompt or in the session.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from sparing.agents.backend import AgentCall
from sparing.codec import JsonObject
from sparing.double.agent.explored_files import LISTING, Looks, looks_of, steps_of
from sparing.double.agent.memory import given_in
from sparing.double.agent.tools import MOST_FILES
from sparing.double.agent.work import modules
from sparing.double.agent_draws import TurnIdentity
from sparing.double.agent_kinds import AgentKind

READ, SEARCH, LIST = "read", "search", "list"
COMMANDS = ("git status --short", "git diff --stat")
Look = tuple[str, str, int]
"""Kind, path or search term, and lines of a search's result."""


class Work(NamedTuple):
    """What is added to a scripted turn."""

    steps: list[list[Look]]
    """What it opens or searches, grouped by step."""
    parts: int
    """The number of changes into which its writing is split."""
    commands: list[str]
    seconds: float
    learned: frozenset[str]
    """What the session has seen after it."""


class DrawnHabits(NamedTuple):
    kind: AgentKind
    seed: int
    lists: bool = False
    """True if one call of its tools takes a list."""

    def work(self, call: AgentCall, played: JsonObject, known: frozenset[str]) -> Work:
        """What to add to a turn; `played` is the turn as the script has it."""
        given = known | given_in("".join(segment.text for segment in call.prompt))
        who = TurnIdentity(call.role, call.stage, call.task, call.iteration)
        found = looks_of(self.kind, self.seed, who, modules(str(call.cwd)), given)
        wishes = [*_own(played["read"]), *_mixed(found)]
        times = MOST_FILES if self.lists else 1
        count = -(-len(wishes) // times)
        sizes = steps_of(self.kind, self.seed, who, count, found.needs.parallel)
        rest = iter(wishes)
        opened = (about for kind, about, _ in wishes if kind != LIST)
        runs = max(0, found.needs.commands - len(played["run"])) if call.access.writes else 0
        return Work(
            [list(islice(rest, times * size)) for size in sizes],
            1 + (found.needs.changes if call.access.writes else 0),
            [COMMANDS[number % len(COMMANDS)] for number in range(runs)],
            found.needs.seconds,
            frozenset(chain(given, opened, [LISTING] if found.lists else ())),
        )


def _own(paths: list[str]) -> Iterator[Look]:
    return ((READ, path, 0) for path in paths)


def _mixed(found: Looks) -> Iterator[Look]:
    """The listing first, then files and searches in turn."""
    if found.lists:
        yield (LIST, "", 0)
    files, searches = list(found.files), list(found.searches)
    while files or searches:
        if files:
            yield (READ, files.pop(0), 0)
        if searches and len(searches) >= len(files):
            yield (SEARCH, *searches.pop(0))
