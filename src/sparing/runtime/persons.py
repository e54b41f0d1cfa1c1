"""What persons have said at a feature's gates: answers to questions, and reasons for rejections.

The author is given each in its own turn; a handoff, and whoever reviews afterwards, the last few.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.flow.state import GO_ON_HERE
from sparing.records import events
from sparing.runtime.source import Source

SAYS = ("reject", "answer")
MOST_FEEDBACK, FEEDBACK_CHARS = 5, 1_000


class PersonWord(NamedTuple):
    stage: str
    text: str
    at: float


def persons_words(source: Source, *kinds: str, stage: str = "") -> list[PersonWord]:
    """The last things that persons said at gates."""
    with source.around.database.read() as connection:
        past = events.since(connection, 0, source.row.feature.key)
    told = (one for one in past if one.kind == "answered" and one.data.get("answer") in kinds)
    here = (
        one for one in told if stage in ("", one.stage) and not (stage and one.data.get("about"))
    )
    said = [PersonWord(one.stage, one.text[:FEEDBACK_CHARS], one.at) for one in here]
    return [one for one in said if one.text.strip() and one.text != GO_ON_HERE][-MOST_FEEDBACK:]
