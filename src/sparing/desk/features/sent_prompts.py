"""A prompt that was sent, block by block, with what its turn read from the cache."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.features.event_line import WAYS
from sparing.desk.features.history import ledger_rows
from sparing.desk.office import Office
from sparing.errors import NotFound, StateError
from sparing.money import dollars
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder, TextGone, load_prompt
from sparing.records.ledger import LedgerRow
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
