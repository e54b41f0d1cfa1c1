"""What a retrospective says, and the bank after it.

The facilitator judges, the program writes: counts, provenance and marks are set here, and a
judgement about an entry that was not asked about, or that does not exist, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, TypeVar, assert_never, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sparing.knowledge import changes
from sparing.knowledge.age import Made, features_since, is_old
from sparing.knowledge.changes import Lesson
from sparing.knowledge.page import BankEntry, EntryKind, Page, title_key

NEW_ENTRIES = 3
"""The most lessons taken from one feature; more would be noise."""
JUDGED_KINDS = (EntryKind.ANTI_PATTERN, EntryKind.HEURISTIC)
TAUGHT_KINDS = (EntryKind.PATTERN, EntryKind.ANTI_PATTERN, EntryKind.HEURISTIC)
"""Principles are for people to write."""
Bank = Mapping[EntryKind, Page]


class Judgement(StrEnum):
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNTOUCHED = "untouched"
    KEEP = "keep"
    UPDATE = "update"
    RETIRE = "retire"


NEW, REWRITTEN, RETIRED = "new", "rewritten", "retired"
SHOWN = (NEW, REWRITTEN, RETIRED)
"""Changes of the bank's own words, which a person sees before they are merged."""
DONE = {
    **{one: one.value for one in Judgement},
    Judgement.KEEP: "kept",
    Judgement.UPDATE: REWRITTEN,
    Judgement.RETIRE: RETIRED,
}
"""What becomes of an entry with each judgement."""


def _words(value: object) -> object:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


_Words = Annotated[str, BeforeValidator(_words)]


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


_Model = TypeVar("_Model", bound=_Loose)


def _taught(kind: EntryKind) -> EntryKind:
    if kind not in TAUGHT_KINDS:
        raise ValueError(f"a {kind} is not for a retrospective to write")
    return kind


class NewEntry(_Loose):
    kind: Annotated[EntryKind, AfterValidator(_taught)]
    name: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=4_000)
    provenance: _Words = ""
    confidence: _Words = ""
    keywords: Annotated[list[Any], BeforeValidator(_list)] = []


class JudgedEntry(_Loose):
    name: str
    judgement: Judgement
    words: _Words = ""


@dataclass(frozen=True, slots=True)
class Retro:
    page: str
    """The text of retro.md."""
    lessons: tuple[NewEntry, ...] = ()
    judged: tuple[JudgedEntry, ...] = ()
    left_out: tuple[str, ...] = ()
    """What could not be read, for people."""


class BankChange(NamedTuple):
    kind: EntryKind
    title: str
    judgement: str
    words: str


@dataclass(frozen=True, slots=True)
class Learned:
    bank: Bank
    changes: tuple[BankChange, ...] = field(default=())


def _words_of(*names: str) -> dict[str, object]:
    return {name: {"type": "string"} for name in names}


def _objects(required: list[str], properties: dict[str, object]) -> dict[str, object]:
    form = {"type": "object", "properties": properties, "required": required}
    return {"type": "array", "items": {**form, "additionalProperties": False}}


SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "retro_md": {"type": "string"},
        "entries": _objects(
            ["kind", "name", "text", "provenance", "confidence"],
            {
                "kind": {"enum": [kind.value for kind in TAUGHT_KINDS]},
                **_words_of("name", "text", "provenance"),
                "confidence": {"enum": ["high", "medium", "low"]},
                "keywords": {"type": "array", "items": {"type": "string"}},
                "reasoning": {"type": "string"},
            },
        ),
        "judgements": _objects(
            ["name", "judgement", "words"],
            {
                **_words_of("name", "words"),
                "judgement": {"enum": [one.value for one in Judgement]},
            },
        ),
    },
    "required": ["retro_md", "entries", "judgements"],
    "additionalProperties": False,
}
"""The schema for clients that support one; `read_retro` accepts less."""


def read_retro(reply: Mapping[str, Any]) -> Retro:
    """Read a reply; a broken entry is left out without affecting the others."""
    page = reply.get("retro_md")
    complaints: list[str] = []
    lessons = tuple(_each(NewEntry, reply.get("entries"), "entry", complaints))
    judged = tuple(_each(JudgedEntry, reply.get("judgements"), "judgement", complaints))
    if len(lessons) > NEW_ENTRIES:
        complaints += [f"more than {NEW_ENTRIES} lessons: {one.name}" for one in lessons[3:]]
    text = page if isinstance(page, str) else ""
    return Retro(text, lessons[:NEW_ENTRIES], judged, tuple(complaints))


def learn(bank: Bank, asked: Sequence[BankEntry], retro: Retro, feature: str) -> Learned:
    """The bank after this feature; `asked` are the entries that the facilitator was given."""
    pages, done = dict(bank), list[BankChange]()
    known = {(entry.kind, entry.key) for entry in asked}
    for one in retro.judged:
        found = _find(pages, known, one.name)
        if found is None or one.judgement is Judgement.UNTOUCHED:
            continue
        page, entry = found
        pages[page.kind] = _judged(page, entry, one, feature)
        if pages[page.kind] != page:  # one that is not stale is neither rewritten nor retired
            done.append(BankChange(page.kind, entry.title, DONE[one.judgement], one.words))
    for lesson in retro.lessons:
        page = pages[lesson.kind]
        pages[lesson.kind] = changes.added(page, _lesson(lesson), feature)
        done.append(BankChange(lesson.kind, lesson.name, NEW, lesson.text))
    return Learned(pages, tuple(done))


def with_marks(bank: Bank, made: Sequence[Made]) -> Learned:
    """Entries that nothing has confirmed for long are marked, for a person or a retro to judge."""
    pages, done = dict(bank), list[BankChange]()
    for kind in JUDGED_KINDS:
        old = [entry for entry in bank[kind].entries if is_old(entry, made)]
        for entry in reversed(old):
            # From the end, so that the lines of the others stay where they are.
            since = features_since(entry, made) or 0
            if not entry.is_stale:
                pages[kind] = changes.marked_stale(pages[kind], entry, since)
                done.append(BankChange(kind, entry.title, "stale", f"{since} features since"))
    return Learned(pages, tuple(reversed(done)))


def _find(
    pages: Bank, known: set[tuple[EntryKind, str]], name: str
) -> tuple[Page, BankEntry] | None:
    key = title_key(name)
    for page in pages.values():
        for entry in page.entries:
            if entry.key == key and (page.kind, key) in known:
                return page, entry
    return None


OF_STALE = frozenset({Judgement.KEEP, Judgement.UPDATE, Judgement.RETIRE})
"""Judgements that apply only to an entry marked stale."""


def _judged(page: Page, entry: BankEntry, said: JudgedEntry, feature: str) -> Page:
    if said.judgement in OF_STALE and not entry.is_stale:
        return page
    match said.judgement:
        case Judgement.CONFIRMED:
            return changes.confirmed(page, entry, feature)
        case Judgement.CONTRADICTED:
            return changes.challenged(page, entry, feature, said.words)
        case Judgement.KEEP:
            return changes.kept(page, entry, feature)
        case Judgement.UPDATE:
            return changes.rewritten(page, entry, feature, said.words) if said.words else page
        case Judgement.RETIRE:
            return changes.retired(page, entry)
        case Judgement.UNTOUCHED:
            return page
        case _:
            assert_never(said.judgement)


def _lesson(entry: NewEntry) -> Lesson:
    keywords = tuple(word for word in entry.keywords if isinstance(word, str))
    return Lesson(entry.name, entry.text, entry.provenance, entry.confidence, keywords)


def _each(model: type[_Model], found: object, name: str, complaints: list[str]) -> Iterator[_Model]:
    for number, one in enumerate(_list(found), 1):
        try:
            yield model.model_validate(one)
        except ValidationError as error:
            complaints.append(f"{name} {number}: {error.errors()[0]['msg']}")
