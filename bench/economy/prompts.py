"""Prompts of a feature's dispatches, made by the program's own composer and kept for reuse.

All strategies of a draw are told from the same briefs; a prompt that two of them send is composed
once. Beside the segments stands what follows from them: which files are shown, which documents
have to be opened, and which lines of what a role must know are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

from bench.economy.dispatches import Dispatch
from bench.economy.feature import Feature
from bench.economy.steps import File
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import Brief, Document, Material
from sparing.context.prompt.compose import Composed, compose, naive, role_words
from sparing.dispatch_policy import Order, Way
from sparing.economy.cache_contents import digests, recall
from sparing.economy.predict import PreloadCandidate, preloaded
from sparing.economy.repo_map import repository_map
from sparing.segment import Segment, Volatility
from sparing.turn import TURNS
from sparing.turn_kind import TurnKind


class Variant(NamedTuple):
    """How a brief is told."""

    way: Way = Way.COMPOSE
    order: Order = Order.NESTED
    naive: bool = False
    """One block, the role being the system prompt."""
    grows: bool = True
    """Code under review stays as it was first seen, with later changes behind it."""
    notes: bool = False
    preload: bool = False
    map: bool = False
    handed: bool = False
    """A stage of a tier is told by a handoff what came before."""
    sheet: bool = False
    """With the lines that were quoted in earlier stages."""


@dataclass(frozen=True)
class Prompt:
    key: str
    segments: tuple[Segment, ...]
    trunk: int
    files: frozenset[File]
    """That whoever reads it has seen."""
    papers: tuple[File, ...]
    """Documents that it only names: they have to be opened."""
    named: frozenset[str]
    """By path, for the check of recall."""
    listed: bool
    """It holds a list of the repository's files."""
    quoted: frozenset[str] = frozenset()
    """Files of which it quotes some lines."""

    @cached_property
    def chars(self) -> int:
        return sum(len(segment.text) for segment in self.segments)

    @cached_property
    def tokens(self) -> int:
        return sum(segment.tokens for segment in self.segments)

    @cached_property
    def lines(self) -> frozenset[str]:
        return digests(segment.text for segment in self.segments)


class Composer:
    def __init__(self, feature: Feature) -> None:
        self.feature = feature
        self._kept: dict[tuple[int, Variant, frozenset[File]], Prompt] = {}
        self._missing: dict[tuple[int, str, tuple[str, ...]], int] = {}
        self._by_key: dict[str, Prompt] = {}

    @cached_property
    def _map(self) -> str:
        return repository_map({one.path: self.feature.text(one) for one in self.feature.pool})

    def prompt(
        self, dispatch: Dispatch, variant: Variant, seen: frozenset[File] = frozenset()
    ) -> Prompt:
        """`seen`: files that the session knows, which are not sent to it again."""
        known = seen.intersection(dispatch.named) if variant.preload else frozenset[File]()
        place = (dispatch.number, variant, known)
        if place not in self._kept:
            made = self._made(dispatch, variant, known)
            self._kept[place] = self._by_key[made.key] = made
        return self._kept[place]

    def _made(self, dispatch: Dispatch, variant: Variant, seen: frozenset[File]) -> Prompt:
        brief = self._brief(dispatch, variant)
        fresh = variant.way in (Way.COMPOSE, Way.PLAIN)
        files = dispatch.shown if fresh else frozenset[File]()
        if variant.preload:
            extra = _preloaded(dispatch, files | seen)
            told = [Material(one.path, self.feature.text(one)) for one in extra]
            brief = _with_files(brief, told)
            files |= frozenset(extra)
        composed = self._composed(brief, variant)
        text = "".join(one.text for one in composed.segments if one.name == "references")
        papers = tuple(
            File(one.path, crc32((one.text or "").encode()), -(-len(one.text or "") // 4))
            for one in _papers(brief)
            if f": {one.path}\n" in text
        )
        listed = {one.path for one in brief.code.files} if brief.code else set[str]()
        named = frozenset({*listed, *(paper.path for paper in papers)})
        key = f"{dispatch.number} {variant} {sorted(seen)}"
        has_map = any(one.name == "map" for one in composed.segments)
        quoted = frozenset[str]()
        if any(one.name.startswith("sheet-") for one in composed.segments):
            quoted = dispatch.sheet.paths
        return Prompt(key, composed.segments, composed.trunk, files, papers, named, has_map, quoted)

    def _composed(self, brief: Brief, variant: Variant) -> Composed:
        if not variant.naive:
            return compose(brief, variant.way, variant.order, 0)
        return Composed((naive(brief),), 0)

    def _brief(self, dispatch: Dispatch, variant: Variant) -> Brief:
        brief = dispatch.brief if variant.grows else dispatch.whole
        if not variant.notes:
            brief = replace(brief, notes="")
        if not variant.handed and variant.way is not Way.RESUME and brief.handoff:
            brief = replace(brief, handoff="", documents=brief.full)
        if variant.sheet:
            brief = replace(brief, sheet=dispatch.sheet.parts, names_facts=bool(dispatch.names))
        kind, row = brief.asked.kind, TURNS[dispatch.step.turn]
        sees = row.sees_code and kind is not TurnKind.JUDGE
        sees = sees and not (brief.asked.phase and kind is TurnKind.ASSIST)
        return replace(brief, map=self._map) if variant.map and sees else brief

    def wrote(self, dispatch: Dispatch) -> str:
        """The key of what the agent typed in this turn: it knows that without being told."""
        key = f"{dispatch.number} typed"
        if key not in self._by_key:
            text = Segment("typed", dispatch.wrote or " ", Volatility.ITERATION)
            none = frozenset[File]()
            self._by_key[key] = Prompt(key, (text,), 0, none, (), frozenset(), listed=False)
        return key

    def missing(self, dispatch: Dispatch, prompt: Prompt, before: tuple[str, ...]) -> int:
        """Lines that the agent could not know (C18); `before` are the prompts of its session."""
        place = (dispatch.number, prompt.key, before)
        if place not in self._missing:
            told = [self._by_key[key] for key in before]
            known = frozenset[str]().union(*(one.lines for one in told))
            named = prompt.named.union(*(one.named for one in told))
            self._missing[place] = len(recall(prompt.segments, known, named, dispatch.wanted))
        return self._missing[place]


def role_system(dispatch: Dispatch) -> str:
    """The role as a system prompt, as the naive way has it."""
    return role_words(dispatch.brief)


def neutral_system(dispatch: Dispatch, *, together: bool) -> str:
    return turn_words.system(dispatch.role.role_class.value, together=together)


def _preloaded(dispatch: Dispatch, seen: frozenset[File]) -> list[File]:
    """Files that are named in what the turn is about, as `briefing.preload` picks them."""
    known = {_version(one): one for one in dispatch.named}
    named = [PreloadCandidate(name, one.tokens) for name, one in known.items()]
    return [known[name] for name in preloaded(named, {_version(one) for one in seen})]


def _version(file: File) -> str:
    return f"{file.path} {file.version}"


def _papers(brief: Brief) -> Sequence[Document]:
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    return list({one.path: one for one in listed}.values())


def _with_files(brief: Brief, extra: list[Material]) -> Brief:
    """A task has its sections, every other turn its materials."""
    given = tuple(one.name for one in extra)
    if brief.asked.kind is TurnKind.TASK:
        return replace(brief, sections=(*brief.sections, *extra), given=given)
    return replace(brief, materials=(*brief.materials, *extra), given=given)
