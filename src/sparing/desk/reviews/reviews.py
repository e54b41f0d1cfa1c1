"""Reviews of a feature, from the verdicts, the ledger and the prompts that were kept.

Which findings are new and which were there before is not stored for every review: it follows from
the verdicts alone and is derived again here, by the same rules as during the run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple, cast

from sparing.desk.features.history import events_since, ledger_rows, looks_told, verdict_rows
from sparing.desk.office import Office
from sparing.desk.reviews.loops import loops_of_looks, loops_of_verdicts
from sparing.errors import StateError
from sparing.event import LookEvent
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.report.reviews import DecidedRow, ReviewRow
from sparing.review.merge import merge
from sparing.review.tracking import FindingStatus, Tracked, follow, owned
from sparing.sent import REPAIR

DELTA = "delta"
UNREAD = "no verdict"
SAME_TURN = "same turn"
"""How a reviewer was dispatched who shared the turn of the one before."""
NO_VERDICT = f"{UNREAD}:"


def unreviewed(row: FeatureRow) -> str:
    """What is said of a feature without reviews."""
    name, flow = row.feature.id, FLOWS[row.feature.flow]
    if any(stage.reviewers or stage.work is StageWork.JUDGE for stage in flow.stages):
        return f"No reviewer has looked at feature {name} yet."
    return f"Feature {name} is not reviewed: the flow {row.feature.flow} has no reviewers."


def reviews(office: Office, row: FeatureRow) -> tuple[ReviewRow, ...]:
    """Reviews in chronological order, stage by stage."""
    attempts: dict[str, list[LedgerRow]] = {}
    for one in ledger_rows(office, row):
        attempts.setdefault(one.attempt.dispatch, []).append(one)
    found = verdict_rows(office, row)
    stages = dict.fromkeys(one.stage for one in found)
    told = looks_told(events_since(office, 0, row.feature.key), found)
    loops = loops_of_verdicts(office, row, found)
    held = {dispatch: _contested(look) for dispatch, look in told.items()}
    return tuple(
        replace(
            _review(office.folder, look, attempts.get(look.turn, []), classes),
            final=look.dispatch in told and told[look.dispatch].final,
            loop=loops[look.dispatch].loop,
            again=loops[look.dispatch].again,
        )
        for stage in stages
        for look, classes in classified([one for one in found if one.stage == stage], held)
    )


def decided(office: Office, row: FeatureRow) -> tuple[DecidedRow, ...]:
    """The decision after each review, as the run recorded it."""
    told = events_since(office, 0, row.feature.key)
    loops = {stage: iter(starts) for stage, starts in loops_of_looks(told).items()}
    return tuple(
        DecidedRow(
            stage=one.stage,
            iteration=what.iteration,
            roles=tuple(role for role, _ in what.judged),
            decision=what.decision,
            reasons=tuple(one.text.split("; ")),
            final=what.final,
            loop=next(loops[one.stage]).loop,
        )
        for one in told
        if isinstance(what := one.what, LookEvent)
    )


def _together(rows: Sequence[VerdictRow]) -> Iterator[list[VerdictRow]]:
    """Verdicts on one commit in one round; who looks again begins another look."""
    for _, group in groupby(rows, lambda one: (one.iteration, one.commit)):
        look: list[VerdictRow] = []
        for one in group:
            if any(one.verdict.role == other.verdict.role for other in look):
                yield look
                look = []
            look.append(one)
        yield look


class ReviewLook(NamedTuple):
    """Verdicts that were given together, and the known findings before and after."""

    verdicts: list[VerdictRow]
    before: tuple[Tracked, ...]
    after: tuple[Tracked, ...]


def looks_of(rows: Sequence[VerdictRow]) -> Iterator[ReviewLook]:
    """Reviews of one stage of one feature, in order."""
    tracked: tuple[Tracked, ...] = ()
    for together in _together(rows):
        raised = merge([owned(one.verdict, tracked) for one in together])
        looked = [one.verdict.role for one in together]
        after = follow(tracked, raised, [False] * len(raised), looked)
        yield ReviewLook(together, tracked, after)
        tracked = after


def classified(
    rows: Sequence[VerdictRow], contested: Mapping[str, frozenset[str]]
) -> Iterator[tuple[VerdictRow, Counter[str]]]:
    """Each verdict of a stage, with counts of what became of its findings. `contested`: by
    dispatch, ids that the run called so, which takes the author's answers to know."""
    for look in looks_of(rows):
        before = {one.id: one for one in look.before}
        for one in look.verdicts:
            held = contested.get(one.dispatch, frozenset())
            yield one, _classes(one.verdict.role, before, look.after, held)


def _classes(
    role: str, before: dict[str, Tracked], after: Sequence[Tracked], contested: frozenset[str]
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in after:
        was = before.get(one.id)
        held = was is not None and was.open and role in was.roles
        if one.open and role in one.roles and (was is None or one.times > was.times):
            status = FindingStatus.CONTESTED if one.id in contested else one.status
            counts[status.value] += 1
        elif held and one.status is FindingStatus.RESOLVED:
            counts[FindingStatus.RESOLVED.value] += 1
    return counts


def _contested(look: LookEvent) -> frozenset[str]:
    """Ids of the findings to which a reviewer held against the author's reason."""
    states = (str(one.get("state", "")).split(", ") for one in look.findings)
    return frozenset(id for id, *rest in states if FindingStatus.CONTESTED.value in rest)


def _review(
    folder: StateFolder, look: VerdictRow, attempts: Sequence[LedgerRow], classes: Counter[str]
) -> ReviewRow:
    verdict = look.verdict
    bills = [one.result.nano_usd for one in attempts if one.result]
    known = [bill for bill in bills if bill is not None]
    origins = {one.result.origin.value for one in attempts if one.result and one.result.origin}
    asked = [one.attempt for one in attempts if one.attempt.template != REPAIR]
    if look.merged:  # the bill stands with the first verdict of the turn
        known, origins = [0], set[str]()
    return ReviewRow(
        stage=look.stage,
        iteration=look.iteration,
        role=verdict.role,
        decision=decision(look),
        severities=dict(Counter(finding.severity.value for finding in verdict.findings)),
        classes=dict(classes),
        ways=(SAME_TURN,) if look.merged else tuple(one.way for one in asked),
        prompt_chars=asked[0].prompt_chars if asked else 0,
        delta_chars=delta_chars(folder, asked[-1].prompt) if asked else None,
        nano_usd=sum(known) if known else None,
        partial=len(known) < len(attempts) and not look.merged,
        origin=" and ".join(sorted(origins)),
        commit=look.commit,
    )


def decision(look: VerdictRow) -> str:
    if look.passed:
        return "passed"
    if look.verdict.summary.startswith(NO_VERDICT):
        return UNREAD
    return "overruled" if look.verdict.approved else "refused"


def delta_chars(folder: StateFolder, prompt: str) -> int | None:
    """Size of the delta as sent; None for a prompt without one, or one no longer stored."""
    try:
        segments = cast("list[list[object]]", json.loads(folder.fetch(prompt)))
    except (StateError, ValueError):
        return None
    sizes = [len(str(one[1])) for one in segments if one[0] == DELTA]
    return sum(sizes) if sizes else None
