"""What came before a turn: findings, other reviewers' verdicts, changes, the author's answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.context.documents.diff import parse_diff
from sparing.context.documents.fix_summary import fix_words
from sparing.context.documents.handoff import before_block
from sparing.context.prompt.brief import QuotedFinding
from sparing.context.prompt.delta import change_delta, document_delta, stat_text
from sparing.context.prompt.review_words import DomainOutcome, open_findings, outcome_block
from sparing.dispatch_policy import Policy
from sparing.finding import Severity
from sparing.flow.flows import builder_of
from sparing.records import findings, ledger
from sparing.review.tracking import Tracked
from sparing.runtime.source import Source
from sparing.session import Session
from sparing.turn import Turn
from sparing.turn_kind import KINDS, Actor, TurnKind

SUGGESTION = Severity.SUGGESTION
SEED_CONTEXT = 3
_IDS = re.compile(r"\bF\d{1,6}\b")


def mentioned_in(
    source: Source, fixes: str, given: Sequence[QuotedFinding]
) -> tuple[QuotedFinding, ...]:
    """Other findings that an author's answers name by id."""
    named = set(_IDS.findall(fixes)) - {one.id for one in given}
    return tuple(_open(one) for one in _tracked(source) if one.id in named) if named else ()


def findings_of(source: Source, kind: TurnKind) -> tuple[QuotedFinding, ...]:
    """An author's to settle, by the ids they are known by; a reviewer's own that are open."""
    if KINDS[kind].settles:
        asked = source.job.settles
        if asked:
            return tuple(_open(one) for one in _tracked(source) if one.id in asked)
        return open_findings(source.open_verdicts())
    if kind is TurnKind.JUDGE:
        return _judged_before(source)
    if KINDS[kind].actor is not Actor.REVIEWER:
        return ()
    return _own_findings(source)


def _judged_before(source: Source) -> tuple[QuotedFinding, ...]:
    """Findings with which a tier's judge sent the work back, for a session that doesn't know
    them."""
    own = [row for row in source.verdicts() if row.verdict.role == source.job.role]
    if source.inside or is_seed(source) or not own or own[-1].passed:
        return ()
    role = source.job.role
    followed = [one for one in _tracked(source) if one.open and role in one.roles]
    told = tuple(_open(one) for one in followed if one.finding.severity is not SUGGESTION)
    return told or open_findings([own[-1].verdict])


def _own_findings(source: Source) -> tuple[QuotedFinding, ...]:
    """Open findings of a reviewer that reviewed before; from its verdict if they are not
    tracked."""
    job = source.job
    if job.iteration < 2 and not job.final:
        return ()
    followed = _tracked(source)
    if followed:
        return tuple(
            _open(one)
            for one in followed
            if one.open and job.role in one.roles and one.finding.severity is not SUGGESTION
        )
    own = [row for row in source.verdicts() if row.verdict.role == job.role]
    last = [row.verdict for row in own if row.iteration == job.iteration - 1]
    return open_findings(last[-1:])


def _tracked(source: Source) -> list[Tracked]:
    with source.around.database.read() as connection:
        rows = findings.findings_of(connection, source.row.feature.key, source.job.stage)
    return [Tracked.load(json.loads(row.body)) for row in rows]


def _open(one: Tracked) -> QuotedFinding:
    found = one.finding
    return QuotedFinding(
        id=one.id,
        severity=found.severity.value,
        role=", ".join(one.roles),
        category=found.category,
        location=found.location,
        text=found.text,
        suggestion=found.suggestion,
        quote=found.quote,
    )


def outcome_of(source: Source) -> str:
    """How earlier reviewers ended; the original doesn't tell those who decide on a PRD."""
    if is_seed(source) and source.stage.writes is ArtifactName.PRD:
        return ""
    before: list[str] = []
    for group in source.stage.reviewers:
        if source.job.role in group:
            break
        before.extend(group)
    rows = {row.verdict.role: row for row in source.verdicts()}
    looked = [rows[role] for role in before if role in rows]
    ended = {role: (passed, iteration) for role, passed, iteration in source.job.ended}
    return outcome_block(
        [
            DomainOutcome(
                row.verdict,
                *ended.get(row.verdict.role, (row.passed, row.iteration)),
                source.cap,
            )
            for row in looked
        ]
    )


def delta_of(source: Source, session: Session) -> str:
    """The exact changes since this role last reviewed."""
    writes = source.stage.writes
    if is_seed(source):
        return _plain_delta(source, session.commit)
    if writes is not None:
        path = source.path(writes)
        if source.job.refined.since:  # it has not seen what changed above its document either
            return _documents_delta(source, session.commit, path)
        raw = source.diff(session.commit, (path,))
        return document_delta(raw, path, source.text(path) or "").text if raw else ""
    return changes_of(source, session.commit, 0)


def _documents_delta(source: Source, since: str, path: str) -> str:
    paths = (*(source.path(name) for name in source.stage.reads), path)
    raw = source.diff(since, paths)
    return change_delta(raw, {one: source.text(one) or "" for one in paths}).text if raw else ""


def is_seed(source: Source) -> bool:
    """Whether the original's rules are asked for."""
    return source.around.settings(source.row).review.policy is Policy.SEED


def _plain_delta(source: Source, since: str) -> str:
    """The delta as in the original: git's own diff with context, and for code the list of files."""
    writes = source.stage.writes
    if writes is not None:
        return source.diff(since, (source.path(writes),), SEED_CONTEXT)
    raw = source.diff(since, tuple(one.path for one in source.changed(since)), SEED_CONTEXT)
    return f"{stat_text(parse_diff(raw))}\n{raw}" if raw else ""


def changes_of(source: Source, since: str, context: int) -> str:
    """Stat and hunks of all files; of one too big to send, which lines to read."""
    paths = tuple(change.path for change in source.changed(since))
    texts = {path: source.text(path) or "" for path in paths if path.endswith(".md")}
    return change_delta(source.diff(since, paths, context), texts).text


def refreshed(source: Source, session: Session) -> tuple[FileChange, ...]:
    """Files to read again: changed by its own last fixes, or by others since."""
    seen = [row.commit for row in source.verdicts() if row.commit != source.job.head]
    since = next((one for one in reversed(seen) if source.knows(one)), session.commit)
    return source.changed(since)


def hears_author(source: Source, kind: TurnKind, found: Sequence[QuotedFinding]) -> bool:
    """Whether a role that judges again gets the author's answers; the original never gives them."""
    if kind is TurnKind.JUDGE:
        return bool(found)
    again = KINDS[kind].actor is Actor.REVIEWER and (source.job.iteration > 1 or source.final)
    return again and not is_seed(source)


def fixes_of(source: Source) -> str:
    """What the author says about its changes: the last, or all since this role reviewed."""
    judges = source.job.turn is Turn.JUDGE
    if not source.final and not judges:
        return fix_words(source.fetch(source.job.note))
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, source.row.feature.key)
    if judges:
        return _builders_words(source, rows)
    here = [row for row in rows if row.attempt.stage == source.job.stage]
    looks = [n for n, row in enumerate(here) if row.attempt.role == source.job.role and row.result]
    told = [
        fix_words(source.recall(row.result.reply))
        for row in here[looks[-1] + 1 if looks else 0 :]
        if row.result is not None and row.attempt.role == source.stage.author
    ]
    return "\n\n".join(dict.fromkeys(text for text in told if text))


def _builders_words(source: Source, rows: Sequence[ledger.LedgerRow]) -> str:
    """What the builder of a tier said when it settled what the judge had found."""
    looks = [n for n, row in enumerate(rows) if row.attempt.role == source.job.role and row.result]
    builder = builder_of(source.row.feature.flow)
    told = [
        row.result.reply
        for row in rows[looks[-1] + 1 if looks else len(rows) :]
        if row.result is not None and row.is_good and row.attempt.role == builder
    ]
    return fix_words(before_block(source.recall(told[-1]))) if told else ""
