"""What a drawn agent opens and searches in a turn, for agents with a script and no model.

The same draws as those of the agent behind a real client: which files, which searches, how many
passages and commands, how many of them at once. It does not open what it already knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sparing.double.agent.memory import names_file
from sparing.double.agent.panel_turn import needs_of
from sparing.double.agent.phrases import search_word
from sparing.double.agent_draws import TurnIdentity, TurnNeeds, needed_files, step_sizes, whole
from sparing.double.agent_kinds import AGENTS, AgentKind

LISTING = "list of files"


class Looks(NamedTuple):
    """Files and searches of a turn, in order, and what else it takes."""

    files: tuple[str, ...]
    searches: tuple[tuple[str, int], ...]
    """Each word with the number of result lines wanted."""
    lists: bool
    needs: TurnNeeds


def looks_of(
    kind: AgentKind,
    seed: int,
    who: TurnIdentity,
    files: Sequence[str],
    known: Collection[str],
) -> Looks:
    """What a turn opens; `files` are the repository's, `known` names what the session has seen."""
    needs, lines = needs_of(kind, seed, who), AGENTS[kind].search_lines
    words = dict.fromkeys(search_word(number) for number in needs.searches[1:])
    wanted = needed_files(seed, who, needs, files)
    return Looks(
        tuple(path for path in wanted if not any(names_file(one, path) for one in known)),
        tuple((word, whole(lines, seed, word, "lines")) for word in words if word not in known),
        bool(needs.searches) and LISTING not in known,
        needs,
    )


def steps_of(
    kind: AgentKind, seed: int, who: TurnIdentity, wishes: int, parallel: float
) -> Iterator[int]:
    """How many of the `wishes` each step takes."""
    for size in islice(step_sizes(seed, who, kind, parallel), wishes):
        if wishes <= 0:
            return
        yield min(size, wishes)
        wishes -= size
