"""A representative agent at work: what it wants to do in a turn, and the next step of it.

Nothing is kept between requests: which wishes are still open is seen from the conversation, so the
agent does not ask for what it already knows from the prompt or from earlier turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from pathlib import Path

from sparing.double.agent.memory import AgentMemory, ToolUsed
from sparing.double.agent.phrases import passages, search_word
from sparing.double.agent.tools import LOOKING, AgentTools, Wish, WishKind
from sparing.double.agent_draws import (
    TurnIdentity,
    TurnNeeds,
    needed_files,
    share,
    step_sizes,
    whole,
)
from sparing.double.agent_kinds import AGENTS, AgentKind

MOST_STEPS = 55
"""A client allows 60 turns; an agent that comes near ends with what it has."""
FIRST_LOOKS = 0.6
"""Share of an implementer's reads and searches before its first change."""
TRIES = 2


class AgentWork:
    """The wishes of one turn, in order."""

    def __init__(
        self,
        kind: AgentKind,
        seed: int,
        who: TurnIdentity,
        needs: TurnNeeds,
        memory: AgentMemory,
        trust: int = 0,
    ) -> None:
        self._kind = kind
        self._seed = seed
        self._who = who
        self._needs = needs
        self._memory = memory
        self._trust = trust

    def next_step(self, wishes: Sequence[Wish], tools: AgentTools) -> tuple[Wish, ...]:
        """What to do now, in one step; empty if nothing is left."""
        if self._memory.steps >= MOST_STEPS:
            return ()
        sizes = step_sizes(self._seed, self._who, self._kind, self._needs.parallel)
        size = next(islice(sizes, self._memory.steps, None))
        left: list[Wish] = []
        commands = sum("command" in one.input for one in self._memory.turn)
        for wish in wishes:
            if wish.kind is WishKind.RUN:
                commands -= 1
                still: Wish | None = wish if commands < 0 else None
            else:
                still = self._open(wish)
            if still is not None and still not in left and tools.can(still.kind):
                left.append(still)
        return _together(left, size, tools.looks_at_once)

    def looks(self, references: Sequence[str], names: Sequence[str]) -> list[Wish]:
        """The listing, then mandatory files, then files and searches in mixed order."""
        searches = [search_word(number) for number in self._needs.searches[1:]]
        lines = AGENTS[self._kind].search_lines
        found = [Wish(WishKind.LIST, "")] if self._needs.searches else []
        found += [Wish(WishKind.READ, path) for path in references]
        files = needed_files(self._seed, self._who, self._needs, names)
        mixed = [Wish(WishKind.READ, path) for path in files]
        for word in searches:
            place = int(share(self._seed, *self._who, "when", word) * (len(mixed) + 1))
            count = whole(lines, self._seed, word, "lines")
            mixed.insert(place, Wish(WishKind.SEARCH, word, lines=count))
        return [*found, *mixed]

    def changes(self, files: dict[str, str], targets: Sequence[str]) -> list[Wish]:
        """Files that are written, then passages that are changed in them or in the targets."""
        written = [Wish(WishKind.WRITE, path, new=text) for path, text in files.items()]
        places = list(targets) or [path for path in files if not path.endswith(".md")]
        ways = [
            [Wish(WishKind.EDIT, path, old, new) for old, new in self._passages(path, files)]
            for path in places
        ]
        edits = [wish for some in zip(*ways, strict=False) for wish in some] if ways else []
        edits += [wish for some in ways for wish in some if wish not in edits]
        most = max(self._needs.changes, 1 if targets else 0)
        return [*written, *edits[:most]]

    def commands(self, tests: Sequence[str]) -> list[Wish]:
        checks = [f"python3 -m unittest -q {one} 2>&1 | tail -5" for one in tests]
        usual = [*checks, "git status --short", "git diff --stat"]
        return [
            Wish(WishKind.RUN, usual[number % len(usual)]) for number in range(self._needs.commands)
        ]

    def to_and_fro(self, looks: list[Wish], changes: list[Wish], runs: list[Wish]) -> list[Wish]:
        """An implementer's order: most reads first, then everything mixed, a command last."""
        first = int(len(looks) * FIRST_LOOKS)
        steps = [one for one in changes if one.kind is WishKind.WRITE]
        later = [one for one in changes if one.kind is not WishKind.WRITE]
        places: list[tuple[float, Wish]] = []
        for some in (looks[first:], later, runs[:-1]):
            places += [((n + 0.5) / len(some), one) for n, one in enumerate(some)]
        mixed = [one for _, one in sorted(places, key=lambda pair: pair[0])]
        return [*looks[:first], *steps, *mixed, *runs[-1:]]

    def _passages(self, path: str, files: dict[str, str]) -> Iterator[tuple[str, str]]:
        text = files.get(path) or self._memory.text(path) or ""
        return islice(passages(text, path, self._who, self._seed), max(1, self._needs.changes))

    def _open(self, wish: Wish) -> Wish | None:
        """What to do for a wish now; None if it is done, known or impossible."""
        memory = self._memory
        match wish.kind:
            case WishKind.LIST:
                return None if memory.has_list(maps_do=self._needs.trusts_lists) else wish
            case WishKind.SEARCH:
                return None if memory.searched(wish.about) else wish
            case WishKind.READ:
                known = memory.text(wish.about) is not None if wish.new else False
                return None if known or self._looked_at(wish) else wish
            case _:
                return self._try(wish)

    def _looked_at(self, wish: Wish) -> bool:
        """Whether a file is known; one that will be changed must have been opened in this turn."""
        if wish.new:
            return any(self._is_of(one, wish.about) and one.reads for one in self._memory.turn)
        return self._memory.knows(wish.about) or self._trusts(wish.about)

    def _trusts(self, path: str) -> bool:
        """Whether what a fact sheet quotes of the file is enough for it."""
        wanted = self._memory.relative(path)
        drawn = 100 * share(self._seed, *self._who, "trusts", wanted)
        return wanted in self._memory.quoted and drawn < self._trust

    def _try(self, wish: Wish) -> Wish | None:
        key = "content" if wish.kind is WishKind.WRITE else "old_string"
        value = wish.new if wish.kind is WishKind.WRITE else wish.old
        turn = self._memory.turn
        tries = [
            n for n, one in enumerate(turn)
            if one.input.get(key) == value and self._is_of(one, wish.about)
        ]  # fmt: skip
        if not tries:
            return wish
        if not turn[tries[-1]].failed or len(tries) >= TRIES:
            return None
        # Clients refuse to change a file that they have not opened before.
        again = any(one.reads and self._is_of(one, wish.about) for one in turn[tries[-1] :])
        return wish if again else Wish(WishKind.READ, wish.about)

    def _is_of(self, used: ToolUsed, path: str) -> bool:
        wanted = self._memory.relative(path)
        return any(self._memory.relative(one) == wanted for one in used.files)


def opened(path: str) -> Wish:
    """Wish to open a file that will be changed, unless the session knows its text."""
    return Wish(WishKind.READ, path, new=path)


def modules(folder: str) -> list[str]:
    """The files an agent may have to open: existing modules, without tests."""
    if not folder:
        return []
    root = Path(folder)
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return sorted(
        path.as_posix()
        for path in found
        if not any(part.startswith((".", "test", "__")) for part in path.parts)
    )


def _together(left: Sequence[Wish], size: int, looks: int) -> tuple[Wish, ...]:
    """The first wishes, as many as can be requested at once."""
    if not left:
        return ()
    first = left[0].kind
    alike = takewhile(lambda one: _goes_with(one.kind, first), left)
    return tuple(islice(alike, size * looks if first in LOOKING else size))


def _goes_with(kind: WishKind, first: WishKind) -> bool:
    return kind is first or (kind in LOOKING and first in LOOKING)
