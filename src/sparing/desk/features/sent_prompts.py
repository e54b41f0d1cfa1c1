"""A prompt that was sent, block by block, with what its turn read from the cache.

Also which of a stage's prompts a person means.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.features.event_line import WAYS
from sparing.desk.features.history import final_among, ledger_rows
from sparing.desk.office import Office
from sparing.errors import NotFound, StateError
from sparing.flow.stage import Stage
from sparing.money import dollars
from sparing.records import events, ledger, verdicts
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder, TextGone, load_prompt
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.runtime.surroundings import Surroundings
from sparing.segment import Segment
from sparing.usage import Usage


class SentBlock(NamedTuple):
    number: int
    name: str
    chars: int
    tokens: int
    """Estimated number of tokens."""
    volatility: str
    mark: bool
    """True if a cache entry ends here."""
    earlier: bool
    """True if an earlier prompt of this feature contained it verbatim."""
    text: str


class RecordedPrompt(NamedTuple):
    dispatch: str
    attempt: int
    role: str
    stage: str
    iteration: int
    task: str
    way: str
    reason: str
    model: str
    started: float
    chars: int
    tokens: int
    usage: Usage | None
    """What the turn was billed for; None if unknown."""
    origin: str
    cost: str
    blocks: tuple[SentBlock, ...]
    reply: str
    missing: str
    """Why the prompt can't be shown; empty if it can."""


def sent_prompt(office: Office, row: FeatureRow, dispatch: str, attempt: int) -> RecordedPrompt:
    rows = ledger_rows(office, row)
    places = [
        place
        for place, one in enumerate(rows)
        if one.attempt.dispatch == dispatch and attempt in (0, one.number)
    ]
    if not places:
        raise NotFound("there is no such turn", f"sparing show {row.feature.id}")
    at = places[-1]
    segments, missing = _segments(office, rows[at])
    known = {text.digest for one in rows[:at] for text in _segments(office, one)[0]}
    return _sent(office, rows[at], segments, known, missing)


def stored_segments(folder: StateFolder, row: FeatureRow, sent: LedgerRow) -> tuple[Segment, ...]:
    """The segments that were sent; `sparing clean` may have removed them."""
    try:
        return load_prompt(folder, sent.attempt.prompt)
    except TextGone as error:
        role, number = sent.attempt.role, row.feature.id
        raise StateError(
            f"the prompt that {role} was sent is no longer stored",
            "show it as it would be made now: "
            f"sparing show prompt {role} --feature {number} --way compose",
        ) from error


def _segments(office: Office, row: LedgerRow) -> tuple[tuple[Segment, ...], str]:
    try:
        return load_prompt(office.folder, row.attempt.prompt), ""
    except (StateError, ValueError) as error:
        return (), f"the prompt is no longer stored: {str(error).partition(chr(10))[0]}"


def _sent(
    office: Office, row: LedgerRow, segments: tuple[Segment, ...], known: set[str], missing: str
) -> RecordedPrompt:
    attempt, result = row.attempt, row.result
    return RecordedPrompt(
        dispatch=attempt.dispatch,
        attempt=row.number,
        role=attempt.role,
        stage=attempt.stage,
        iteration=attempt.iteration,
        task=attempt.task,
        way=WAYS.get(attempt.way, attempt.way),
        reason=attempt.reason,
        model=attempt.model,
        started=attempt.started,
        chars=attempt.prompt_chars,
        tokens=sum(one.tokens for one in segments),
        usage=result.usage if result else None,
        origin=result.origin.value if result and result.origin else "",
        cost=dollars(result.nano_usd) if result else "unknown",
        blocks=tuple(
            SentBlock(
                number=number,
                name=one.name,
                chars=len(one.text),
                tokens=one.tokens,
                volatility=one.volatility.name.lower(),
                mark=one.mark,
                earlier=one.digest in known,
                text=one.text,
            )
            for number, one in enumerate(segments, 1)
        ),
        reply=_reply(office, row),
        missing=missing,
    )


def _reply(office: Office, row: LedgerRow) -> str:
    if row.result is None or not row.result.reply:
        return ""
    try:
        return office.folder.fetch(row.result.reply)
    except StateError:
        return ""


class StagePast:
    """What was sent and judged in one stage."""

    def __init__(self, around: Surroundings, row: FeatureRow, stage: Stage) -> None:
        self.around, self.row, self.stage = around, row, stage
        with around.database.read() as connection:
            self.looks = verdicts.of_feature(connection, row.feature.key, stage.name)
            found = ledger.of_feature(connection, row.feature.key)
            told = events.since(connection, 0, row.feature.key)
        self.final = final_among(told, self.looks)
        self.attempts = [one for one in found if one.attempt.stage == stage.name]

    def sent(self, role: str, iteration: int, task: str, *, final: bool) -> LedgerRow | None:
        """The last attempt at the requested dispatch, an iteration of 0 being any. A final
        validation has the number of the round before it and is found by its name alone."""
        found = [
            one
            for one in self.attempts
            if one.attempt.role == role
            and iteration in (0, self.iteration_of(one))
            and task in ("", one.attempt.task)
            and (self.is_final(one) is final or not (iteration or final))
        ]
        return found[-1] if found else None

    def is_final(self, sent: LedgerRow) -> bool:
        return sent.attempt.dispatch in self.final

    def iteration_of(self, sent: LedgerRow) -> int:
        """As its verdict counts it: a tier's judge has no loop and is asked anew each time."""
        looks = (one.iteration for one in self.looks if one.dispatch == sent.attempt.dispatch)
        return next(looks, sent.attempt.iteration)

    def look(self, role: str, iteration: int) -> VerdictRow | None:
        found = [
            one for one in self.looks if one.verdict.role == role and one.iteration == iteration
        ]
        return found[-1] if found else None

    def open(self, iteration: int) -> tuple[VerdictRow, ...]:
        return tuple(one for one in self.looks if one.iteration == iteration and not one.passed)

    def note(self, look: VerdictRow | None) -> str:
        """The author's last reply, before `look` if given: rows are in chronological order."""
        asked = [one.attempt.dispatch for one in self.attempts]
        end = asked.index(look.dispatch) if look and look.dispatch in asked else len(asked)
        told = [
            one.result.reply
            for one in self.attempts[:end]
            if one.attempt.role == self.stage.author
            and one.result is not None
            and not one.attempt.task
        ]
        return told[-1] if told else ""
