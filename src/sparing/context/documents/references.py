"""A task's references to its sources: `Plan Step 1.1 / Design C9`, `Design I1, I5; Spec R2.1`.

A word for a document (`plan`, `design`, `spec`) sets the kind, a label (`Step`, `Component`) may
follow, and both carry over `, ; / + &` and "and" to the identifiers after them. Any other word ends
that, and text in brackets is an aside with a state of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sparing.context.documents.ids import END, LABELS, LETTER, TO, TOKEN, ident
from sparing.task import Reference, ReferenceKind

_NAME = r"(?-i:[A-Z])[\w-]{1,30}"
_SCAN = re.compile(
    rf"(?P<kind>(?<![\w/-])(?:plan|design|spec|prd)(?:\.md)?(?![\w-]))"
    rf"|(?P<label>\b(?:{LABELS})s?\b)"
    rf"|(?P<first>(?<![\w.-])(?:{TOKEN}|{LETTER}))(?:{TO}(?P<last>{TOKEN}))?{END}"
    r'|["“](?P<name>[^"”\n]{3,80})["”]'
    rf"|§ ?(?P<section>(?!(?:{LABELS})s?\b){_NAME}(?: {_NAME}){{0,6}})"
    r"|(?P<joint>[,;/+&|]|\band\b)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<neutral>\b(?:ref|refs|reference|references|implements|see|per)\b)"
    r"|(?P<word>[^\W\d_][\w'./-]*|[—–]|\d[\w.]*)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"plan|design|spec", re.IGNORECASE)
_QUOTED = re.compile(r'`[^`\n]*`|["“][\w.-]{1,12}["”]')
"""Code, and an identifier that is spoken of: `confirm that "C9" is found`."""
_BRACKETS = re.compile(r"\(([^()\n]{1,160})\)")
_NAMES = re.compile(r"\s*[,;/+&]\s*|\s+and\s+")
_NAME_ALONE = re.compile(r"[A-Z][\w-]{1,30}(?: [\w-]{1,30}){0,4}")
_NO_DOCUMENT = "prd"
_LETTER_KINDS = {
    **dict.fromkeys(("c", "i", "td", "if"), ReferenceKind.DESIGN),
    **dict.fromkeys(
        ("fr", "nfr", "ac", "sc", "us", "uc", "ec", "req", "r", "bs", "fs"), ReferenceKind.SPEC
    ),
    "pi": ReferenceKind.PLAN,
}
_NAMED = frozenset({"component", "interface", "section", "module", "decision"})
_LABEL_KINDS = {
    "component": ReferenceKind.DESIGN,
    "interface": ReferenceKind.DESIGN,
    "decision": ReferenceKind.DESIGN,
    "requirement": ReferenceKind.SPEC,
    "step": ReferenceKind.PLAN,
    "phase": ReferenceKind.PLAN,
    "stage": ReferenceKind.PLAN,
    "item": ReferenceKind.PLAN,
}


@dataclass(frozen=True, slots=True)
class _State:
    kind: ReferenceKind | None = None
    label: str = ""
    slot: bool = True
    """True if an identifier may come here: at the start, after a kind, or after a separator."""
    intact: bool = True
    """No other word came since the kind."""
    carried: bool = False
    """The kind was stated for an earlier identifier."""
    letters: str = ""
    """The letters of the last identifier."""
    own_letters: str = ""
    """The letters of the first identifier after the kind: those that surely belong to it."""
    bare: bool = False
    """True if letters or labels can identify the document where no kind was stated."""
    plan_letters: frozenset[str] = frozenset()


def field_references(
    value: str, kind: ReferenceKind | None = None, label: str = ""
) -> tuple[Reference, ...]:
    """References in the value of a field; the field's own name may give kind and label."""
    return _unique(_scan(value, _State(kind=kind, label=label, bare=True)))


def heading_names(value: str) -> tuple[Reference, ...]:
    """Sections of the design given only by name: `Design: Row format, Writers`.

    Whether the design has such sections is checked elsewhere.
    """
    line = value.strip().partition("\n")[0].partition(". ")[0].rstrip(". ")
    names = [name.strip(" *_`§") for name in _NAMES.split(line)]
    if not all(_NAME_ALONE.fullmatch(name) for name in names):
        return ()
    return _unique(Reference(ReferenceKind.DESIGN, name) for name in names)


def prose_references(text: str) -> tuple[Reference, ...]:
    """References in running text, where only a stated kind counts and code does not."""
    if _DOCUMENT.search(text) is None:
        return ()
    found = _scan(_QUOTED.sub(" ", text), _State(slot=False))
    return _unique(item for item in found if not item.id.isdigit())


def design_names(text: str) -> tuple[Reference, ...]:
    """`TD1` or `C2` in running text without a document's name: only the design has such parts.

    `blocks[i-1]` is a formula.
    """
    found = _scan(_QUOTED.sub(" ", text), _State(slot=False, bare=True))
    named = (item for item in found if item.kind is ReferenceKind.DESIGN)
    return _unique(item for item in named if _letters(item.id)[:1].isupper())


def title_references(
    title: str, plan_letters: frozenset[str] = frozenset()
) -> tuple[Reference, ...]:
    """References in a heading: a stated kind, or a list of identifiers in brackets.

    `plan_letters` are further letters that can only mean the plan: `(T1)` where no task is
    called T1.
    """
    found = list(prose_references(title))
    for match in _BRACKETS.finditer(title):
        found.extend(_scan(match[1], _State(bare=True, plan_letters=plan_letters)))
    return _unique(found)


def _unique(references: Iterable[Reference]) -> tuple[Reference, ...]:
    return tuple(dict.fromkeys(references))


def _scan(text: str, state: _State) -> Iterator[Reference]:
    outer: list[_State] = []
    position = 0
    for match in _SCAN.finditer(text):
        touching = match.start() == position
        position = match.end()
        if match["first"]:
            token = match["first"]
            if touching and token.isdigit() and state.letters:
                token = f"{state.letters}-{token}"  # PI-7+8
            kind = _kind(state, token)
            if kind is not None:
                yield Reference(kind, _written(token, match["last"], state.label))
            own = state.own_letters if state.carried else _letters(token)
            state = replace(state, slot=False, letters=_letters(token), own_letters=own)
        elif name := _name(match, state):
            yield name
            state = replace(state, slot=False)
        elif match["open"]:
            outer.append(state)
            state = _State(slot=False, intact=False, bare=state.bare)
        elif match["close"]:
            state = outer.pop() if outer else state
        else:
            state = _advance(match, state)


def _name(match: re.Match[str], state: _State) -> Reference | None:
    """A section by its name: quoted, after §, or as in `Component Auth-Module`."""
    if state.kind is None or not (state.slot and state.intact):
        return None
    name = match["name"] or match["section"]
    word = match["word"] or ""
    if not name and word[:1].isupper() and ident(state.label, "").label in _NAMED:
        name = word
    return Reference(state.kind, name.strip()) if name else None


def _advance(match: re.Match[str], state: _State) -> _State:
    if match["kind"]:
        name = match["kind"].casefold().removesuffix(".md")
        kind = None if name == _NO_DOCUMENT else ReferenceKind(name)
        return _State(kind=kind, bare=state.bare and kind is not None)
    if match["label"]:
        return replace(state, label=match["label"]) if state.slot else state
    if match["joint"]:
        return replace(state, slot=True, carried=True)
    if match["word"]:
        return replace(state, slot=False, intact=False, label="")
    return replace(state, slot=False, intact=False) if match["name"] or match["section"] else state


def _kind(state: _State, token: str) -> ReferenceKind | None:
    letters = _letters(token).casefold()
    plan = ReferenceKind.PLAN if letters in state.plan_letters else None
    by_letters = _LETTER_KINDS.get(letters, plan)
    expected = state.slot and state.intact
    if len(token) == 1 and token.isalpha() and not (expected and state.label):
        return None
    if expected and state.kind is not None:
        other = state.carried and letters not in ("", state.own_letters.casefold())
        return by_letters if other and by_letters is not None else state.kind
    if not state.bare:
        return None
    label = ident(state.label, token).label
    named = expected or (state.slot and label in _NAMED)
    return by_letters or (_LABEL_KINDS.get(label) if named else None)


def _letters(token: str) -> str:
    match = re.match(r"([A-Za-z]{1,5})-?\d", token)
    return match[1] if match else ""


def _written(first: str, last: str | None, label: str) -> str:
    """`Step 1.2` keeps its label, `Component C10` is `C10`, a range stays one."""
    token = f"{first}–{last}" if last else first
    name = ident(label, "").label.capitalize()
    return f"{name} {token}" if name and not _letters(first) else token
