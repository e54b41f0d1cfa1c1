"""Resume or handoff: what was weighed before each stage of a tier, and how it turned out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from sparing.continuation import SessionStep
from sparing.desk.features.history import events_since, ledger_rows
from sparing.desk.money.figures import repeated_share
from sparing.desk.money.turns import turns_of
from sparing.desk.office import Office
from sparing.event import AnswerEvent
from sparing.flow.flows import TIERS, builder_of
from sparing.money import MILLION, to_usd
from sparing.percent import percent
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.report.continuity import ContinuityReport, Entered, usd
from sparing.report.figures import Figure
from sparing.report.spending import tokens
from sparing.sent import IN_MONEY
from sparing.turn_event import WeighedEvent

ASKED = ".asks."
"""Part of the key of the event that begins an attempt at a dispatch."""
CONTINUE = SessionStep.CONTINUE.value
PREDICTED, MEASURED = "estimated", "measured"


def continuity_of(office: Office, row: FeatureRow) -> ContinuityReport | None:
    """The report; None if the flow's stages share no session, or if nothing was weighed yet."""
    if row.feature.flow not in TIERS:
        return None
    asked = ledger_rows(office, row)
    rows = [one for one in asked if one.result is not None]
    entered = tuple(_entered(office, row, rows))
    if not entered:
        return None
    origins = sorted({str(one.result.origin) for one in rows if one.result and one.result.origin})
    origin = ", ".join(origins) or "unknown"
    repeated = repeated_share(office.folder, asked)
    return ContinuityReport(entered, tuple(_figures(row, asked, entered, repeated, origin)), origin)


def _entered(office: Office, row: FeatureRow, rows: Sequence[LedgerRow]) -> Iterable[Entered]:
    """One entry for each stage weighed and begun; if it waited in between, the last weighing."""
    past = events_since(office, 0, row.feature.key)
    weighed = [one for one in past if one.kind == WeighedEvent.kind]
    asked = {one.key.rpartition(ASKED)[0]: one.n for one in reversed(past) if ASKED in one.key}
    ends = [one.n for one in weighed[1:]]
    for one, until in zip_longest(weighed, ends):
        own = [
            turn
            for turn in rows
            if turn.attempt.stage == one.stage
            and one.n < asked.get(turn.attempt.dispatch, 0)
            and (until is None or asked[turn.attempt.dispatch] < until)
        ]
        if own:
            made = _of(one, own, builder_of(row.feature.flow))
            yield replace(made, go=CONTINUE, refused=True) if _refused(past, one) else made


def _refused(past: Sequence[Event], weighed: Event) -> bool:
    """Whether a person declined the handoff proposed before this."""
    before = [one for one in past if one.n < weighed.n and one.stage == weighed.stage]
    last = before[-1].what if before else None
    return isinstance(last, AnswerEvent) and last.declines_handoff


def _of(event: Event, rows: Sequence[LedgerRow], role: str) -> Entered:
    own = [one for one in rows if one.attempt.role == role] or rows
    what = event.what if isinstance(event.what, WeighedEvent) else WeighedEvent("")
    in_money = what.unit == IN_MONEY
    return Entered(
        stage=event.stage,
        go=what.go,
        reason=event.text,
        warm=bool(what.warm),
        judged=what.judged,
        used_tokens=what.used,
        window_tokens=what.window,
        need_tokens=what.need,
        continued_usd=_usd(what.continued, known=in_money),
        handed_off_usd=_usd(what.handed_off, known=in_money),
        continued_warm_usd=_usd(what.continued_warm, known=in_money),
        continued_cold_usd=_usd(what.continued_cold, known=in_money),
        handed_off_warm_usd=_usd(what.handed_warm, known=in_money),
        handed_off_cold_usd=_usd(what.handed_cold, known=in_money),
        billed_usd=_billed(own),
    )


def _usd(cost: float | None, *, known: bool) -> float | None:
    return None if cost is None or not known else cost / MILLION


def _billed(rows: Sequence[LedgerRow]) -> float | None:
    known = [one.result.nano_usd for one in rows if one.result and one.result.nano_usd is not None]
    return float(to_usd(sum(known))) if known else None


def _figures(
    row: FeatureRow,
    rows: Sequence[LedgerRow],
    entered: Sequence[Entered],
    repeated: float | None,
    origin: str,
) -> Iterable[Figure]:
    builder = builder_of(row.feature.flow)
    kept = [(one.attempt.role, one.result.session) for one in rows if one.result]
    every = {session for _, session in kept if session}
    built = {session for role, session in kept if session and role == builder}
    expected = "two for L3, a handoff before implement" if row.feature.flow == "L3" else "one"
    said = f"{len(built)} of the builder, {len(every)} in all"
    yield Figure("sessions", len(built), said, MEASURED, f"expected: {expected}")
    sent = sum(one.sent_tokens for one in turns_of(rows))
    yield Figure(
        "prompt tokens in all", sent, tokens(sent), PREDICTED, "expected: 45k to 80k without "
        "one session, 50 to 70 % less with it",
    )  # fmt: skip
    share = percent(repeated) or "unknown"
    yield Figure("of these repeated", repeated, share, PREDICTED, "expected without: 40 to 50 %")
    yield from _costs(entered, origin)


def _costs(entered: Sequence[Entered], origin: str) -> Iterable[Figure]:
    """Costs of the stages where both options were open."""
    later = [one for one in entered if one.continued_usd is not None]
    warm = [(one.continued_warm_usd, one.handed_off_warm_usd) for one in later]
    cold = [(one.continued_cold_usd, one.handed_off_cold_usd) for one in later]
    for name, both in (("warm", warm), ("cold", cold)):
        on, off = _sum(one for one, _ in both), _sum(one for _, one in both)
        if on is not None and off is not None:
            said = f"{usd(on)} continued, {usd(off)} handed off"
            yield Figure(f"later stages, {name}", on / off if off else None, said, PREDICTED)
    billed = _sum(one.billed_usd for one in later)
    predicted = _sum(one.predicted_usd for one in later)
    if billed is not None and predicted is not None:
        said = f"{usd(billed)} billed, {usd(predicted)} predicted for the choices that were made"
        ratio = billed / predicted if predicted else None
        yield Figure("later stages, as they went", ratio, said, f"{origin} against {PREDICTED}")


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
