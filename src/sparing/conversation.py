"""What a feature records of its dialogue with people: questions, answers and refusals.

Small JSON, part of a `Place`. The user interfaces read `questions` from the stored row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sparing.codec import Stored


@dataclass(frozen=True, slots=True)
class Conversation(Stored):
    questions: tuple[str, ...] = ()
    """What the author is asking now."""
    settled: tuple[str, ...] = ()
    """Keys of questions that were answered, so that none is asked twice."""
    assumed: tuple[str, ...] = ()
    """Questions that nobody was asked, each with its stage before it and its author's default
    after it."""
    rejected: tuple[str, ...] = ()
    """Stages that a person has rejected and not approved since."""
    green: str = ""
    """The commit at which the checks were last green; empty if code came after it."""
    rewind: str = ""
    """The name under which commits of stages that a person undid are to be kept; else empty."""
    changed: tuple[str, ...] = ()
    """Changes to checks that a person is being asked about, by key."""
    agreed: tuple[str, ...] = ()
    """Changes to checks that a person has agreed to, by key."""
    unread: str = ""
    """The stage whose handoff block was missing or could not be parsed, and was requested again."""
    block_due: bool = False
    """True once an author of a tier was asked by a version that requests a missing block again: a
    reply that an earlier version recorded is taken as it is."""


def agreed_to_changes(talk: Conversation) -> Conversation:
    """Record that a person has seen the changes to the checks and agrees to them."""
    agreed = tuple(dict.fromkeys((*talk.agreed, *talk.changed)))
    return replace(talk, changed=(), agreed=agreed)


def question_key(question: str) -> str:
    """A key that is equal for a question repeated in the same wording, whatever its punctuation."""
    return " ".join(re.findall(r"\w+", question.lower()))[:200]
