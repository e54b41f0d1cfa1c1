"""How a feature ended, for people: its hand-over summary and what became of its lessons.

Shows which knowledge bank entries were given to whom and how the retrospective judged each, so that
one can tell whether they are useful.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.desk.office import Office
from sparing.event import HandoverEvent, LearnedEvent
from sparing.records import events
from sparing.records.features import FeatureRow
from sparing.turn_event import LessonsGivenEvent

NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class GivenLesson:
    title: str
    to: tuple[str, ...]
    """Roles and stages it was given to, without duplicates."""
    judged: str
    """`confirmed`, `contradicted` and so on; `not judged` if the retrospective is silent on it."""


@dataclass(frozen=True, slots=True)
class FeatureEnding:
    body: str = ""
    """Text of the merge commit or the pull request."""
    retro: str = ""
    """Result of the retrospective, in a few words."""
    given: tuple[GivenLesson, ...] = ()
    changes: tuple[tuple[str, str, str], ...] = ()
    """Judgement, kind and title of every entry that was changed."""
    faults: tuple[str, ...] = ()
    """Parts of the knowledge bank that could not be read."""


def ending(office: Office, row: FeatureRow) -> FeatureEnding:
    key = row.feature.key
    with office.database.read() as connection:
        told = events.since(connection, 0, key)
        retro = events.last(connection, key, LearnedEvent.kind)
        learned = events.last_what(connection, key, LearnedEvent) or LearnedEvent()
        home = events.last_what(connection, key, HandoverEvent) or HandoverEvent()
    return FeatureEnding(
        home.body,
        retro.text if retro else "",
        _given(told, {title: judged for judged, _, title in learned.changes}),
        learned.changes,
        learned.faults,
    )


def _given(told: list[events.Event], judged: dict[str, str]) -> tuple[GivenLesson, ...]:
    readers: dict[str, dict[str, None]] = {}
    for one in told:
        for title in one.what.entries if isinstance(one.what, LessonsGivenEvent) else ():
            readers.setdefault(title, {})[f"{one.role} ({one.stage})"] = None
    return tuple(
        GivenLesson(title, tuple(to), judged.get(title, NOT_JUDGED))
        for title, to in readers.items()
    )
