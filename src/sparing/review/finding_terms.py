"""The terms of a finding: its words without their endings, and the places it names.

Words that reviewers use of everything say nothing, and a few families of words mean the same
here. A place is a file or a numbered thing (`Task 2.1`, `AC-3`, `Step 7b`); line numbers are
kept apart, because lines move. Every text is read once, from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sparing.finding import Finding

TEXT_CHARS = 1_500
"""Only this much of a text is read: the beginning says what it is about."""
LISTED = 3
"""From this many places at the beginning on, they also count as words of the finding."""
FILE = "file"
Places = Mapping[str, frozenset[str]]

_STOP_WORDS = """
a an the of to in on for and or but not no is are be by as at it its this that with from if when
than then so into per via vs does do doesn don t s only also still should must may could can will
would which what how who whether has have had was were been being there their they them itself one
two
"""
_SAID_OF_ANYTHING = """
missing absent lack lacks unspecified underspecified specify specified specific specification
undefined define defined unclear clear clarify clarity clarified ambiguous ambiguity vague implicit
explicit explicitly undocumented document documented unstated mention mentioned need
needs note noted add added require required provide provided show shown say says concrete exact
exactly use uses used using incomplete unaddressed address addressed cover covered handle handled
handling without never nothing instead rather already however might enough actual actually exist
exists existing set make makes made get gets give gives given each every all any both other same new
more less most very too acceptable accepted fix fixed informational action
"""
_FAMILIES = """
conflict conflicts contradict contradicts contradiction contradictory inconsistent inconsistency
    inconsistencies mismatch mismatches diverge diverges divergence discrepancy differ differs
    difference deviates deviation disagree
duplicate duplicates duplicated duplication repeat repeated repetition redundant redundancy
verify verified verification verifiable verifies unverified confirm confirmed validate validated
    validation check checks checked
place placement placed insertion insert position location anchor where
count counts number numbers enumerate enumerated enumeration
order ordering ordered sequence sequencing
exceed exceeds exceeding large oversized big budget limit target
minute minutes min
break breaks broken fail fails failure crash crashes
directory directories folder dir
remove removed removal delete deleted deletion drop dropped
fragile brittle fragility
boundary boundaries bound border
name names naming named
persist persistence persisted
detect detection
separate separation split
"""
"""Words on one line, with the indented lines below it, are treated as synonyms."""
_KIND_WORDS = """
task step substep phase item section component appendix stage group test change risk contract
interface story pass part chapter
"""
"""Words that name a place together with the number after them."""
_ENDING_WORDS = "izations ization ations ation ities ity ings ing edly ies ied ed es ly s e"
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = tuple(_ENDING_WORDS.split())
_KINDS = {
    form: kind
    for kind in _KIND_WORDS.split()
    for form in (kind, f"{kind}es" if kind.endswith("s") else f"{kind}s")
}

_JOIN = r"\s?(?:[,/&+–-]|and)\s?"
_NUMBER = r"(?:[A-Za-z]{0,4}-?\d{1,6}[a-z]?(?:\.\d{1,4}[a-z]?){0,4})\b"
_LIST = rf"{_NUMBER}(?:{_JOIN}{_NUMBER}){{0,20}}"
_KIND = rf"(?:{'|'.join(_KINDS)})"
_PLACE = re.compile(rf"\b(?:({_KIND})\s+#?)?({_LIST})", re.IGNORECASE)
_LEAD = re.compile(
    rf"\W{{0,3}}(?:{_KIND}\s+#?)?{_LIST}(?:{_JOIN}(?:{_KIND}\s+#?)?{_LIST}){{0,9}}", re.IGNORECASE
)
_ID = re.compile(r"([A-Za-z]{0,4})-?(\d{1,6}[a-z]?(?:\.\d{1,4}[a-z]?){0,4})\b")
_FILE = re.compile(r"[\w\-./]{0,200}\w\.[a-z]{1,5}\b")
_LINES = re.compile(r"(?:(?<=\w):|\blines?\s+~?)(\d{1,6})(?:\s?[,–-]\s?(\d{1,6})){0,9}")
_TRAILING = re.compile(r"\(([\w\-./]{1,200}\w\.[a-z]{1,5}:\d[\d,\s–-]{0,40})\)\s*$")
_WORD = re.compile(r"\w+(?:[.\-]\w+)*")
_PART = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = re.compile(r"\b\w*[a-z0-9]_\w+|\b_\w+|\b[a-z]+[A-Z]\w*|\b\w+(?=\(\))")
_PLAIN = re.compile(r"\w+")
_WIDE = "\u2e80"
"""First character of the scripts that put no spaces between words."""


def stem(word: str) -> str:
    """Without its ending; roughly, but alike for all forms of a word."""
    short = word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            short = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            break
    doubled = len(short) > 3 and short[-1] == short[-2] and short[-1] not in "sl"
    return short[:-1] if doubled else short


_FAMILY = {
    stem(word): stem(family.split()[0])
    for family in _FAMILIES.replace("\n    ", " ").splitlines()
    for word in family.split()
}
_NOISE = frozenset(stem(word) for word in _SAID_OF_ANYTHING.split())


def special_words() -> frozenset[str]:
    """Words, and stems of words, that are more than words here."""
    forms = frozenset({*_STOP, *_KINDS, "line", "lines", *_FAMILIES.split()})
    return forms | _NOISE | _FAMILY.keys()


@dataclass(frozen=True, slots=True)
class Wording:
    said: tuple[str, ...]
    """Stems in the order of the text, without words that are used about everything."""
    stems: frozenset[str]
    words: frozenset[str]
    """Every word as it is written."""
    names: frozenset[str]
    """Identifiers of code."""
    numbers: frozenset[str]
    places: Places
    """Where it is, by the kind of place."""
    named: Places
    """All places that are mentioned, by kind."""
    lines: tuple[int, ...]


@lru_cache(maxsize=4096)
def wording(finding: Finding) -> Wording:
    text, location = finding.text[:TEXT_CHARS], finding.location[:TEXT_CHARS]
    trailing = _TRAILING.search(text)
    where = location or (trailing[1] if trailing else "")
    lead = _LEAD.match(text)
    led: Places = _places(lead[0]) if lead else {}
    said = text[lead.end() if lead and led else 0 : trailing.start() if trailing else None]
    places = {**_places(where), **_files(where), **led}
    order = tuple(_stems(said))
    listed = frozenset[str]().union(*led.values())
    stems = frozenset(order) | (listed if len(listed) >= LISTED else frozenset[str]())
    return Wording(
        said=order,
        stems=stems,
        words=frozenset(word.lower() for word in _PLAIN.findall(text)),
        names=frozenset(name.lower().strip("_") for name in _NAME.findall(text)),
        numbers=frozenset(one for one in stems if one.isdecimal()),
        places=places,
        named=_union(places, _places(said), _files(said)),
        lines=tuple(int(number) for found in _LINES.findall(where) for number in found if number),
    )


def _places(text: str) -> Places:
    found: dict[str, frozenset[str]] = {}
    for before, numbers in _PLACE.findall(_LINES.sub(" ", text)):
        for prefix, number in _ID.findall(numbers):
            kind = prefix.lower() or _KINDS.get(before.lower(), "")
            if kind or not number.isdecimal():
                one = frozenset({prefix.lower() + number})
                found[kind or "number"] = found.get(kind or "number", frozenset()) | one
    return found


def _files(text: str) -> Places:
    names = frozenset(path.rsplit("/", 1)[-1].lower() for path in _FILE.findall(text))
    return {FILE: names} if names else {}


def _union(*many: Places) -> Places:
    kinds = {kind for places in many for kind in places}
    return {
        kind: frozenset[str]().union(*(places.get(kind, frozenset()) for places in many))
        for kind in sorted(kinds)
    }


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(_PLACE.sub(_numbers, text)):
        if _ID.fullmatch(word):
            yield word.lower().replace("-", "")
            continue
        for part in _PART.findall(_HUMP.sub(" ", word)):
            yield from _part(part.lower())


def _numbers(found: re.Match[str]) -> str:
    """`Task 2.1` says 2.1; without a number `task` is a word."""
    return f" {found[2]} "


def _part(word: str) -> Iterator[str]:
    if word[0] >= _WIDE:
        yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
    elif len(word) > 1 and word not in _STOP:
        short = stem(word)
        if short not in _NOISE:
            yield _FAMILY.get(short, short)
