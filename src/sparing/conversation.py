"""What a feature remembers of its talk with people: what is asked, answered and refused.

Small JSON, a part of the place. The doors read `questions` out of the stored row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sparing.codec import Stored


@dataclass(frozen=True, slots=True)
class Conversation(Stored):
    questions: tuple[str, ...] = ()
    """What the author asks now."""
    settled: tuple[str, ...] = ()
    """What was asked and answered before, as keys: nobody is asked twice."""
    rejected: tuple[str, ...] = ()
    """Stages that a person has rejected and not approved since."""
    green: str = ""
    """The commit at which the checks were last green; empty if code came after it."""
    rewind: str = ""
    """A person has taken stages back: the name under which their commits are to be kept."""
    changed: tuple[str, ...] = ()
    """Changes of checks that a person is asked about now, by key."""
    agreed: tuple[str, ...] = ()
    """Changes of checks that a person has agreed to, by key."""
    unread: str = ""
    """The stage whose handoff block could not be read, and was asked for once more."""


def agreed_to_changes(talk: Conversation) -> Conversation:
    """A person has seen what changed in the checks, and wants it so."""
    agreed = tuple(dict.fromkeys((*talk.agreed, *talk.changed)))
    return replace(talk, changed=(), agreed=agreed)


def question_key(question: str) -> str:
    """Equal for a question that is put again in the same words, whatever its marks."""
    return " ".join(re.findall(r"\w+", question.lower()))[:200]
