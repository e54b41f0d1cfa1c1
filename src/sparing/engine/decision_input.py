"""What is known when a move is decided, and what is recorded of a review.

Everything is read from records and commits: the verdicts with their checked quotes, what the author
answered, what a person ruled, and what each reviewer would review now.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import NamedTuple

from sparing.approval.auto_approval import code_since_green, redefined, wants_rule
from sparing.artifact import ArtifactName
from sparing.briefing.document_check import problems_of_turn, unanswered
from sparing.briefing.fit_documents import unfit_documents
from sparing.briefing.handoff_block import AUTHORING, handoff_of, questions_of
from sparing.codec import load
from sparing.commits.review_history import look_data
from sparing.connection import Connection
from sparing.context.prompt.turn_words import block_again
from sparing.engine.unfinished_leg import Said
from sparing.event import ChangesEvent, FeatureEvent, LookEvent, RunEvent, WarningEvent, kind_of
from sparing.flow.advance import BREAKER, needed
from sparing.flow.stage import StageWork
from sparing.flow.state import ANSWERS, Do, Outcome, OutcomeKind
from sparing.job import Job, JobKind, JobResult
from sparing.records import findings, verdicts
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.review.answers import AuthorAnswer, read_answers
from sparing.review.governor import GovernorRuling, ReviewState, SeenVerdict, SinceLastLook
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import Ruling, RulingKind
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import Happened, Next
from sparing.stages.place import Place, is_last, stage_of


def happened(
    around: Surroundings, row: FeatureRow, place: Place, said: Said, *, ruled: bool
) -> Happened:
    """Collect it; jobs that finished before an interruption count with those that followed."""
    results = (*place.done, *said.results) if said.results else ()
    with around.database.read() as connection:
        rows = [verdicts.get(connection, one.dispatch) for one in results if one.dispatch]
        second = [verdicts.get(connection, one.second) for one in results if one.second]
        rulings = _rulings(connection, row, place) if ruled else ()
    seen = tuple(_seen(one) for one in rows if one is not None)
    answers = _answers(around, place, results)
    answer = _outcome(said.answer, said.reason)
    if answer is not None:
        answer = replace(answer, unfit=_unfit(around, row, place))
    inputs = _inputs(around, row, place) if seen or answer else {}
    handoff = handoff_of(around.folder, place, results)
    recoded = wants_rule(around, row) and code_since_green(around, row, place)
    return Happened(
        results=results,
        seen=seen,
        said=SinceLastLook(answers, rulings, inputs),
        answer=answer,
        feedback=said.feedback,
        handoff=handoff,
        asked=questions_of(around.folder, place, results),
        block=around.folder.keep(block_again(missing=handoff.missing, last=is_last(place)))
        if handoff.lacks_block
        else "",
        recoded=recoded,
        redefined=redefined(around, row, place),
        unanswered=unanswered(around.folder, place, results),
        document=problems_of_turn(around, row, place, results),
        second=next((_seen(one) for one in second if one is not None), None),
    )


def _unfit(
    around: Surroundings, row: FeatureRow, place: Place
) -> tuple[tuple[ArtifactName, str], ...]:
    """Documents unfit to build on: a person may have changed one since it was last checked."""
    names, settings = needed(place.state), around.settings(row)
    return unfit_documents(around.repository, row, place.head, names, settings)


def _outcome(answer: str, words: str) -> Outcome | None:
    """A person's answer; if it names a stage or commit, `words` is that name."""
    if not answer:
        return None
    kind = OutcomeKind(answer)
    if kind in ANSWERS and ANSWERS[kind].targeted:
        return Outcome(kind, target=words)
    return Outcome(kind, reason=words)


def _seen(row: verdicts.VerdictRow) -> SeenVerdict:
    return SeenVerdict(row.verdict, tuple(QuoteCheck(one) for one in row.quotes))


def _rulings(connection: Connection, row: FeatureRow, place: Place) -> tuple[Ruling, ...]:
    found = findings.rulings_of(connection, row.feature.key, place.state.stage)
    known = [one for one in found if one.ruling in list(RulingKind)]
    return tuple(Ruling(one.finding, RulingKind(one.ruling), one.words) for one in known)


def _answers(
    around: Surroundings, place: Place, results: tuple[JobResult, ...]
) -> tuple[AuthorAnswer, ...]:
    """What an author says to the findings it was given."""
    if place.step not in AUTHORING or place.review is None or not results:
        return ()
    asked = [one.id for one in place.review.tracked if one.open]
    reply = results[0].reply
    return read_answers(around.folder.fetch(reply), asked) if asked and reply else ()


def _inputs(around: Surroundings, row: FeatureRow, place: Place) -> dict[str, str]:
    """For each reviewer of the code, a hash of everything it would review now."""
    stage = stage_of(place)
    if stage.work is not StageWork.IMPLEMENT or place.loop is None or not place.loop.validate:
        return {}
    job = Job(JobKind.DISPATCH, stage.name, place.head, "inputs")
    source = Source(around, row, job, None)
    changed = source.changed(row.feature.base_commit)
    code = source.diff(row.feature.base_commit, tuple(one.path for one in changed))
    return {role: _key(source, role, code) for role in place.loop.roles}


def _key(source: Source, role: str, code: str) -> str:
    names = source.catalog.role(role).artifacts
    texts = [source.text(source.path(name)) or "" for name in names]
    return hashlib.sha256(json.dumps([*texts, code]).encode()).hexdigest()


class DecidedMove(NamedTuple):
    """A move that is about to be recorded."""

    row: FeatureRow
    before: Place
    found: Next
    happened: Happened
    at: float


def record(tx: Connection, told: DecidedMove, changes: list[str]) -> list[Event]:
    """Record a review and what was decided on it; returns what is to be told of it, or of an
    author's turn and what it changed."""
    before, found, happened = told.before, told.found, told.happened
    events = list[Event]()
    if found.before is not None and happened.second is not None:
        events += _record_look(tx, told, before, happened.seen, found.before)
        between = replace(before, review=found.before.state)
        assert found.ruled is not None
        events += _record_look(tx, told, between, (happened.second,), found.ruled, ".second")
    elif found.ruled is not None:
        events += _record_look(tx, told, before, happened.seen, found.ruled)
    if changes:
        events.append(_event(told, ChangesEvent(tuple(changes))))
    if found.by_rule:
        events.append(_event(told, FeatureEvent.PASSED, found.by_rule))
    if happened.answer is None and found.place.state.rejects != before.state.rejects:
        events.append(_event(told, FeatureEvent.SENT_BACK, _sent_back(before, found)))
    return [*events, *(_event(told, WarningEvent(role), text) for role, text in found.notes)]


def _record_look(
    tx: Connection,
    told: DecidedMove,
    before: Place,
    seen: tuple[SeenVerdict, ...],
    ruled: GovernorRuling,
    name: str = "",
) -> list[Event]:
    if ruled.state.tracked:
        findings.put_findings(tx, _rows(tx, told.row, before, ruled.state))
    if not seen:
        return []
    looked = load(LookEvent, look_data(before, seen, ruled))
    return [_event(told, looked, "; ".join(ruled.reasons), name)]


def _sent_back(before: Place, found: Next) -> str:
    """What follows a negative verdict, and how often that may happen."""
    counts = dict(found.place.state.rejects)
    breaker = stage_of(before).breaker or before.state.stage
    times = f"{counts[breaker]} of {BREAKER}"
    if found.do is not Do.RUN:
        return f"a person decides: {times} times"
    return f"back to {found.place.state.stage} with what was found ({times})"


def _event(told: DecidedMove, what: RunEvent, text: str = "", name: str = "") -> Event:
    feature, stage = told.row.feature.key, told.before.state.stage
    key = f"{feature}.{told.found.place.moves}.{kind_of(what)}{name}"
    return Event.of(what, key=key, feature=feature, at=told.at, stage=stage, text=text)


def _rows(
    tx: Connection, row: FeatureRow, before: Place, after: ReviewState
) -> list[findings.FindingRow]:
    """A row for every finding in its current state; a repeated step writes the same rows."""
    assert before.loop is not None
    key, stage, iteration = row.feature.key, before.state.stage, before.loop.iteration
    known = {one.id: one for one in findings.findings_of(tx, key, stage)}
    raised = {one.id: one.times for one in before.review.tracked} if before.review else {}
    rows: list[findings.FindingRow] = []
    for one in after.tracked:
        old = known.get(one.id)
        said = one.times != raised.get(one.id, 0)
        last = iteration if said or old is None else old.last
        first = iteration if old is None else old.first
        roles = ", ".join(one.roles) or (old.role if old else "")
        body = json.dumps(one.dump())
        rows.append(
            findings.FindingRow(key, stage, one.id, roles, first, last, one.status.value, body)
        )
    return rows
