"""The fact sheet of a drawn feature: what its turns name, quoted and cut by the program's own code.

Whoever looks around names the places that it has opened, at a line; whoever writes a document
names the files that it rests on, with a question, as the agents behind the real client do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from bench.economy.steps import File, Step
from sparing.artifact import ArtifactName
from sparing.context.prompt.brief import SheetText
from sparing.context.sheet.parts import SheetPart, SheetQuote, part_of, room_for
from sparing.context.sheet.quotes import QuotedFact, quoted, with_uses
from sparing.context.sheet.source_locations import NamedFact
from sparing.double.agent_draws import share
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import StageWork
from sparing.segment import CHARS_PER_TOKEN
from sparing.turn import Turn

COMMIT = "0123456789"
FOUND, NAMED = 6, 8
"""Files that whoever looks around names at most, and whoever writes."""
NAMED_LINE = 40


class Shown(NamedTuple):
    """The sheet as a turn finds it."""

    parts: tuple[SheetText, ...] = ()
    paths: frozenset[str] = frozenset()
    """Files of which it quotes something."""


class Sheet:
    def __init__(self, flow: str, text_of: Callable[[File], str], pool: Mapping[str, File]) -> None:
        stages = () if flow in TIERS else FLOWS[flow].stages  # a tier's share one session
        self._stages = [one for one in stages if one.work is StageWork.DOCUMENT]
        self._text_of, self._pool = text_of, pool
        self._facts: list[QuotedFact] = []
        self._parts: dict[str, SheetPart] = {}

    def shown(self, documents: frozenset[str], *, all_parts: bool) -> Shown:
        """Parts of the stages whose documents are told, or all of them where code is written."""
        told: list[SheetText] = []
        paths: set[str] = set()
        for stage in self._stages:
            part, name = self._parts.get(stage.name), stage.writes
            if part and part.text and name and (all_parts or name.value in documents):
                told.append(SheetText(ArtifactName(name), stage.name, part.text))
                paths.update(quote.path for quote in part.quotes)
        return Shown(tuple(told), frozenset(paths))

    def happen(self, step: Step, files: tuple[File, ...]) -> int:
        """What the turn names; returns the tokens that it says for that."""
        names = [stage.name for stage in self._stages]
        if step.stage not in names or step.turn not in (Turn.RESEARCH, Turn.WRITE, Turn.PART):
            return 0
        writes = step.turn is not Turn.RESEARCH
        named = [_place(one, writes=writes) for one in files[: NAMED if writes else FOUND]]
        self._facts += [fact for one in named if (fact := self._quoted(one)) is not None]
        if step.turn is Turn.WRITE:
            self._parts[step.stage] = self._part(names.index(step.stage))
        words = sum(len(one.path) + len(one.question) + 6 for one in named)
        return words // CHARS_PER_TOKEN if writes else 0

    def _part(self, number: int) -> SheetPart:
        shown: set[SheetQuote] = {q for part in self._parts.values() for q in part.quotes}
        used = sum(len(part.text) for part in self._parts.values())
        return part_of(self._facts, shown, COMMIT, room_for(number, len(self._stages), used))

    def _quoted(self, fact: NamedFact) -> QuotedFact | None:
        file = self._pool.get(fact.path)
        found = quoted(fact, self._text_of(file), str) if file else None
        texts = {path: self._text_of(one) for path, one in self._pool.items()}
        return with_uses(found, texts) if found else None


def _place(file: File, *, writes: bool) -> NamedFact:
    if writes:
        asks = f"What does {PurePosixPath(file.path).stem} define?"
        return NamedFact(file.path, question=asks)
    line = 1 + int(NAMED_LINE * share(file.path))
    return NamedFact(file.path, line, line)
