"""What a person needs to decide at a gate: the stage's outcome in five lines, then the details.

The same for every interface. Nothing here asks or writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparing.change import FileChange
from sparing.context.documents.handoff import before_block
from sparing.desk.approvals.unseen_changes import changed_around
from sparing.desk.features.history import events_since, verdict_rows
from sparing.desk.gates.actions import leads_on
from sparing.desk.gates.branch import Red, code_of, red_checks
from sparing.desk.gates.edits import draft
from sparing.desk.gates.ideas import gate_notes
from sparing.desk.gates.last_gate import approved_commit, is_last_gate, last_gate_notes
from sparing.desk.gates.line_comments import comments_in
from sparing.desk.gates.open_questions import without_questions
from sparing.desk.gates.rulings import open_findings
from sparing.desk.money.cost import By, feature_costs
from sparing.desk.money.forecast import outlook, outlook_brief
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import UNREAD, decision
from sparing.errors import FeatureError
from sparing.event import AnswerEvent
from sparing.finding import Finding
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState, OutcomeKind, Position
from sparing.money import dollars
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.records.verdicts import VerdictRow
from sparing.review.merge import STRICTEST_FIRST
from sparing.turn_event import CommitEvent
from sparing.workspace.git.commit import changed_files, diff

REFUSAL_CHARS = 4_000
RECORDS = (".meta.json", ".review-history.md")


class Open(NamedTuple):
    role: str
    finding: Finding
    answer: str = ""
    """What the author said to it; empty if nothing."""


@dataclass(frozen=True, slots=True)
class GateView:
    id: str
    stage: str
    lines: tuple[str, ...]
    """The summary, five lines."""
    findings: tuple[Open, ...]
    answers: tuple[str, ...]
    """What the author said to each comment of the last rejection."""
    since: str
    """The commit before the stage's work, or before the work after the last answer; at the last
    gate, the last approved commit."""
    head: str
    files: tuple[str, ...]
    """Files changed between the two, without Sparing's own records."""
    again: bool = False
    """True if an answer was given in this stage before, or at the last gate."""
    base: str = ""
    code: tuple[FileChange, ...] = ()
    """All changes outside the feature's own folder, once there is code."""
    red: tuple[Red, ...] = ()
    following: str = ""
    """What an approval leads to; empty if there is nothing to approve, or if `notes` say it."""
    notes: tuple[str, ...] = ()
    """What else there is to see or to decide here."""


def gate_view(office: Office, row: FeatureRow, gate: Gate, at: float) -> GateView:
    told = events_since(office, 0, row.feature.key)
    past = [one for one in told if one.stage == gate.stage]
    found = _findings(office, row, gate.stage)
    last = is_last_gate(row)
    since = approved_commit(office, row, told) if last else _since(row, past)
    changed, code = _changed(office, row, since), code_of(office, row)
    lines = (
        _outcome(office, row, gate),
        _made(office, row, changed, code),
        _open_words(found),
        _money(office, row, at),
        waiting_words(price_of_waiting(office, row, at)),
    )
    state = FlowState.load(row.place["state"])
    approvable = leads_on(state, OutcomeKind.APPROVE)
    goes_back = state.position is Position.STUCK and state.held is not None
    following = gate.stage if goes_back else next_stage(row, gate.stage)
    return GateView(
        id=row.feature.id,
        stage=gate.stage,
        lines=lines,
        findings=found,
        answers=_answers(office, row, past),
        since=since,
        head=row.head,
        files=tuple(one.path for one in changed),
        again=last or any(isinstance(one.what, AnswerEvent) for one in past),
        base=row.feature.base_commit,
        code=code,
        red=red_checks(past),
        following=following if approvable and not last else "",
        notes=(
            *_refusal(office, row, state),
            *gate_notes(office, row, gate.stage),
            *_last(office, row, since, changed),
            *changed_around(office, row),
        ),
    )


def _refusal(office: Office, row: FeatureRow, state: FlowState) -> tuple[str, ...]:
    """Why the author made no change, in its own words."""
    note = str(row.place.get("note", ""))
    if state.position is not Position.STUCK or state.cause is not Cause.DECLINED or not note:
        return ()
    return refusal_words(state.reason, office.folder.fetch(note))


def refusal_words(reason: str, reply: str) -> tuple[str, ...]:
    """None if the reason, which is the gate's first line, has all that the author said."""
    said = before_block(reply).strip()
    if reason.endswith(f"says: {' '.join(said.split())}"):
        return ()
    short = said if len(said) <= REFUSAL_CHARS else f"{said[:REFUSAL_CHARS]}…"
    return ("you asked for a change, but the author changed nothing:", *_paragraphs(short))


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _last(
    office: Office, row: FeatureRow, since: str, changed: Sequence[FileChange]
) -> tuple[str, ...]:
    notes = last_gate_notes(office, row)
    seen = f"since your last approval, {since[:10]}: {sizes(changed)}"
    return (seen, *notes) if notes else ()


def gate_diff(office: Office, view: GateView) -> str:
    """Diff of all code against its base, and of the other files the stage changed."""
    code = {one.path for one in view.code}
    documents = tuple(path for path in view.files if path not in code)
    return _diff(office, view.base, view.head, tuple(code)) + _diff(
        office, view.since, view.head, documents
    )


def since_diff(office: Office, view: GateView) -> str:
    """Diff of what came after the last answer in this stage."""
    return _diff(office, view.since, view.head, view.files)


def _diff(office: Office, old: str, new: str, paths: tuple[str, ...]) -> str:
    return diff(office.repository, old, new, sorted(paths), 3) if paths else ""


def _last_looks(office: Office, row: FeatureRow, stage: str) -> list[VerdictRow]:
    """The latest verdict of each role; an unreadable reply doesn't replace a verdict."""
    rows = [
        one for one in verdict_rows(office, row) if one.stage == stage and decision(one) != UNREAD
    ]
    return list({one.verdict.role: one for one in rows}.values())


def _findings(office: Office, row: FeatureRow, stage: str) -> tuple[Open, ...]:
    said = {one.text: one.answer for one in open_findings(office, row, stage)}
    found = [
        Open(one.verdict.role, finding, said.get(finding.text, ""))
        for one in _last_looks(office, row, stage)
        for finding in one.verdict.findings
    ]
    return tuple(sorted(found, key=lambda one: STRICTEST_FIRST.index(one.finding.severity)))


def _outcome(office: Office, row: FeatureRow, gate: Gate) -> str:
    if gate.reason:
        return without_questions(gate.reason)
    looks = _last_looks(office, row, gate.stage)
    passed = [one.verdict.role for one in looks if one.passed]
    if not looks:
        return "you are this stage's only reviewer"
    rounds = max(one.iteration for one in looks)
    every = len(passed) > 2 and len(passed) == len(looks)
    who = f"all {len(passed)} reviewers" if every else ", ".join(passed) or "nobody"
    return f"passed in iteration {rounds}: {who}"


def _changed(office: Office, row: FeatureRow, since: str) -> tuple[FileChange, ...]:
    found = changed_files(office.repository, since, row.head)
    folder = f"{office.loaded.settings.flow.folder_of(row.feature)}/"
    ours = [folder + name for name in RECORDS]
    return tuple(one for one in found if one.path not in ours)


def _made(
    office: Office, row: FeatureRow, files: tuple[FileChange, ...], code: tuple[FileChange, ...]
) -> str:
    try:
        made = draft(office, row)
    except FeatureError:
        made = None
    parts = (
        f"{made.name.filename}, {counted(len(made.text.splitlines()), 'line')}" if made else "",
        f"against {row.feature.base_branch}: {sizes(code)}" if code else sizes(files),
    )
    return "; ".join(filter(None, parts))


def sizes(files: Sequence[FileChange]) -> str:
    if not files:
        return "nothing changed"
    plus, minus = sum(one.added for one in files), sum(one.removed for one in files)
    return f"{counted(len(files), 'file')} changed, +{plus} -{minus}"


def counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _open_words(found: tuple[Open, ...]) -> str:
    counts = [
        (sum(one.finding.severity is kind for one in found), kind.value) for kind in STRICTEST_FIRST
    ]
    said = ", ".join(counted(n, word) for n, word in counts if n)
    return f"open: {said}" if said else "no open findings"


def _money(office: Office, row: FeatureRow, at: float) -> str:
    costs = feature_costs(office, row, By.FEATURE, at)
    cap = next(one for one in costs.caps if one.scope == "feature")
    origin = f" ({costs.total.origin})" if costs.total.origin else ""
    spent = f"spent {costs.total.cost} of {dollars(cap.limit.nano_usd)}{origin}"
    return f"{spent}; to come: {outlook_brief(outlook(office, row))}"


def _since(row: FeatureRow, past: list[Event]) -> str:
    """The commit before the stage's first one, or before the first after its last answer."""
    answered = [one.n for one in past if isinstance(one.what, AnswerEvent)]
    after = answered[-1] if answered else 0
    later = [one.what for one in past if one.n > after]
    commits = [what.commit for what in later if isinstance(what, CommitEvent)]
    return f"{commits[0]}^" if commits else row.feature.base_commit


def _answers(office: Office, row: FeatureRow, past: list[Event]) -> tuple[str, ...]:
    found = comments_in(office, row, past)
    return tuple(f"{one.id} {one.answer or one.unanswered}" for one in found)


def next_stage(row: FeatureRow, stage: str) -> str:
    following = FLOWS[row.feature.flow].after(stage)
    return following.name if following else "the hand-over"
