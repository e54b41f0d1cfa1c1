"""Where the reviews of a stage began again, and why: a rejection, a rerun, a fix round.

A loop begins again where a reviewer's iteration is no later than that of its last review. The run
stores no number of it: it follows from the reviews alone, and the reason from the last answer of a
person before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.context.documents.comments import in_one_line
from sparing.desk.features.event_line import VERBS
from sparing.desk.features.history import events_since, final_looks
from sparing.desk.office import Office
from sparing.event import AnswerEvent, LookEvent
from sparing.flow.state import OutcomeKind
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow

UNKNOWN = "began again"
MOST_CHARS = 200
GOES_ON = (OutcomeKind.APPROVE.value, OutcomeKind.CONTINUE.value, OutcomeKind.ANSWER.value)


class LoopStart(NamedTuple):
    loop: int
    """Number of the review loop within its stage, from 0."""
    again: str = ""
    """For the first review of a later loop: why it began."""


class _Counter:
    """Counts the loops of one stage, review by review."""

    def __init__(self) -> None:
        self.loop = 0
        self._seen = dict[str, tuple[int, bool]]()

    def begins(self, roles: Iterable[str], iteration: int, *, final: bool) -> bool:
        now = (iteration, final)
        again = any(now <= self._seen[role] for role in roles if role in self._seen)
        if again:
            self.loop += 1
            self._seen.clear()
        self._seen.update(dict.fromkeys(roles, now))
        return again


def loops_of_looks(told: Iterable[Event]) -> dict[str, list[LoopStart]]:
    """By stage, for each decision after a review, in order."""
    counters, found = dict[str, _Counter](), dict[str, list[LoopStart]]()
    last = ""
    for one in told:
        what = one.what
        if isinstance(what, AnswerEvent) and what.answer not in GOES_ON and not what.about:
            last = _reason(what, one.text)
        if isinstance(what, LookEvent):
            counter = counters.setdefault(one.stage, _Counter())
            roles = [role for role, _ in what.judged]
            again = counter.begins(roles, what.iteration, final=what.final)
            why = (last or UNKNOWN) if again else ""
            found.setdefault(one.stage, []).append(LoopStart(counter.loop, why))
            last = ""
    return found


def _reason(answer: AnswerEvent, text: str) -> str:
    words = " ".join(in_one_line(text).split())
    said = words if len(words) <= MOST_CHARS else f"{words[: MOST_CHARS - 1]}…"
    verb = VERBS.get(answer.answer, answer.answer)
    return f"again, {verb} ({answer.by})" + (f": {said}" if said else "")


def loops_of_verdicts(
    office: Office, row: FeatureRow, found: Sequence[VerdictRow]
) -> dict[str, LoopStart]:
    """The same for each verdict, by dispatch."""
    why: dict[str, list[str]] = {}
    for stage, starts in loops_of_looks(events_since(office, 0, row.feature.key)).items():
        why[stage] = [one.again for one in starts if one.again]
    final = final_looks(office, row, found)
    counters, starts_of = dict[str, _Counter](), dict[str, LoopStart]()
    for one in found:
        counter = counters.setdefault(one.stage, _Counter())
        begins = counter.begins((one.verdict.role,), one.iteration, final=one.dispatch in final)
        known = dict(enumerate(why.get(one.stage, []), 1))
        again = known.get(counter.loop, UNKNOWN) if begins else ""
        starts_of[one.dispatch] = LoopStart(counter.loop, again)
    return starts_of
