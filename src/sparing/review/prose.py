"""Whether the words around an approving object leave it a verdict.

An approval may have a short lead-in and a short close around it, no more than that is known to be
harmless. It is not taken where it is quoted or called an example, where the words after it take
something back, and where any sentence of the reply refuses. The check is by lists of English words
and errs towards a question: the reviewer is asked once to send the object alone. Words in other
languages are not understood, so what follows the object has to be short in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

CLOSE_CHARS = 300
"""Characters that may follow an approval: a line about which files were read, or a closing."""
LEAD_CHARS = 400
"""Characters before it that are searched for whose object it is."""

_MARKUP = re.compile(
    r"</?[A-Za-z][\w-]{0,40}>|(?:```|~~~)(?:[ \t]*(?:json[5c]?|text)\b)?[ \t]*$", re.M
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_SENTENCE = re.compile(r"[.!?;]\s|\n\s*\n|\n\s*[-*#>|]")
_NEGATED_AFTER = re.compile(r"\bapprov\w{0,5}\W{1,4}(?:no|not|never|false|denied)\b")
_OWN_REFUSAL = re.compile(
    r"\b(?:i|we)\b[^.!?]{0,40}(?:\bnot\b|\bcannot\b|\bnever\b|n't\b)[^.!?]{0,20}\bapprov"
    r"|^\W*not approved\b|\bi (?:must |have to )?reject\b"
)

NEGATIONS = frozenset({"not", "never", "cannot", "nor", "neither", "unable"})
APPROVALS = (
    "approv",
    "accept",
    "pass",
    "merg",
    "ship",
    "satisf",
    "agree",
    "endors",
    "sign",
    "lgtm",
)
REFUSALS = ("reject", "disapprov", "refus", "declin", "veto", "unapprov", "unaccept", "withh")
BLOCKS = ("blocker", "blockers", "blocking", "blocks", "blocked")
CALMED = frozenset(
    {"no", "none", "zero", "without", "nothing", "earlier", "previous", "former", "was", "were"}
    | {"resolved", "fixed", "settled", "addressed", "answered", "closed", "gone"}
)
TAKEN_BACK = frozenset(
    {"but", "however", "instead", "unless", "until", "although", "though", "except", "yet"}
    | {"wrong", "ignore", "disregard", "retract", "withdraw", "example", "quote", "quoted"}
)
ANOTHERS = frozenset(
    {"example", "examples", "instance", "sample", "template", "placeholder", "quote", "quoted"}
    | {"quotes", "says", "said", "tells", "told", "wants", "claims", "would", "could", "if"}
    | {"instead", "unlike", "ignore"}
)
FORMER = frozenset({"earlier", "previous", "previously", "former", "old", "last", "first"})


def retraction(before: str, after: str) -> str:
    """What is wrong with an approving object between these words; empty if nothing is."""
    lead, close = _plain(before), _plain(after)
    if _is_quoted(before, after, lead + close):
        return "the approving object is quoted inside other text"
    if _is_anothers(_lead_in(before)):
        return "the words before the object call it an example, or somebody else's"
    if len(close.strip()) > CLOSE_CHARS or _takes_back(close):
        return "the words after the object continue, or take something back"
    if any(_refuses(sentence) for text in (lead, close) for sentence in _sentences(text)):
        return "the object approves, and the words around it do not"
    return ""


def refuses_itself(summary: str) -> bool:
    """Whether an approving object's own summary plainly says that its author does not approve."""
    return _OWN_REFUSAL.search(_straight(summary)) is not None


def _is_quoted(before: str, after: str, around: str) -> bool:
    """In quotation marks, inline code or a comment, struck out, or in the middle of a sentence."""
    line = _MARKUP.sub("", before[before.rfind("\n") + 1 :]).strip()
    if "<!--" in before[-LEAD_CHARS:] or line.endswith(("~~", '"', "'", "“", "‘", "«", "`")):
        return True
    if line.endswith(">"):
        return any(one.isalnum() for one in around)
    return any(one.isalnum() for one in line) and not line.endswith(":")


def _lead_in(before: str) -> list[str]:
    """The last two lines before the object that hold something; a fence's own line is one."""
    return [line.strip() for line in before[-LEAD_CHARS:].splitlines() if line.strip()][-2:]


def _is_anothers(lines: Sequence[str]) -> bool:
    """Whether it is introduced as an example, a quotation, or an earlier verdict."""
    return any(
        ANOTHERS.intersection(words) or (line.endswith(":") and FORMER.intersection(words))
        for line in lines
        for words in [_words(line)]
    )


def _takes_back(close: str) -> bool:
    words = _words(close)
    return any(_negates(word) or word in TAKEN_BACK for word in words)


def _refuses(sentence: str) -> bool:
    words = _words(sentence)
    if _NEGATED_AFTER.search(sentence) or any(word.startswith(REFUSALS) for word in words):
        return True
    if any(word in BLOCKS for word in words) and not CALMED.intersection(words):
        return not any(map(_negates, words))
    approves = [word.startswith(APPROVALS) for word in words]
    none = any(
        word in ("no", "without") and yes for word, yes in zip(words, approves[1:], strict=False)
    )
    return none or (any(approves) and any(map(_negates, words)))


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


def _sentences(text: str) -> Iterator[str]:
    return (one for one in _SENTENCE.split(text) if one)


def _words(text: str) -> list[str]:
    return _WORD.findall(_straight(text))


def _plain(text: str) -> str:
    """In small letters, without fences and tags."""
    return _straight(_MARKUP.sub("", text))


def _straight(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'").lower()
