"""What a person needs to decide at a gate: what came of the stage, in five lines, and the rest.

The same for every door. Nothing here asks or writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.change import FileChange
from sparing.context.comments import comment_ids
from sparing.desk.cost import By, feature_costs
from sparing.desk.edits import draft
from sparing.desk.history import events_since, ledger_rows, verdict_rows
from sparing.desk.office import Office
from sparing.desk.outlook import outlook, outlook_brief
from sparing.desk.waiting import waiting, waiting_words
from sparing.errors import FeatureError
from sparing.finding import Finding, Severity
from sparing.flow.flows import FLOWS
from sparing.money import dollars
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.records.verdicts import VerdictRow
from sparing.review.answers import read_answers
from sparing.workspace.commit import changed_files, diff

RECORDS = (".meta.json", ".review-history.md")
ORDER = (Severity.BLOCKER, Severity.WARNING, Severity.SUGGESTION)


class Open(NamedTuple):
    role: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class GateView:
    id: str
    stage: str
    lines: tuple[str, ...]
    """Five of them."""
    findings: tuple[Open, ...]
    answers: tuple[str, ...]
    """What the author said to each comment of the last rejection."""
    since: str
    """The commit before the stage's work, or before what came after the last answer."""
    head: str
    files: tuple[str, ...]
    """What changed between the two, without the records that we keep ourselves."""


def gate_view(office: Office, row: FeatureRow, gate: Gate, at: float) -> GateView:
    past = [one for one in events_since(office, 0, row.feature.key) if one.stage == gate.stage]
    found = _findings(_last_looks(office, row, gate.stage))
    since = _since(row, past)
    changed = _changed(office, row, since)
    lines = (
        _outcome(office, row, gate),
        _made(office, row, changed),
        _open_words(found),
        _money(office, row, at),
        waiting_words(waiting(office, row), at),
    )
    answers = _answers(office, row, past)
    paths = tuple(one.path for one in changed)
    return GateView(row.feature.id, gate.stage, lines, found, answers, since, row.head, paths)


def gate_diff(office: Office, view: GateView) -> str:
    return diff(office.repository, view.since, view.head, view.files, 3) if view.files else ""


def _last_looks(office: Office, row: FeatureRow, stage: str) -> list[VerdictRow]:
    """The latest verdict of each role."""
    rows = [one for one in verdict_rows(office, row) if one.stage == stage]
    return list({one.verdict.role: one for one in rows}.values())


def _findings(looks: list[VerdictRow]) -> tuple[Open, ...]:
    found = [Open(one.verdict.role, finding) for one in looks for finding in one.verdict.findings]
    return tuple(sorted(found, key=lambda one: ORDER.index(one.finding.severity)))


def _outcome(office: Office, row: FeatureRow, gate: Gate) -> str:
    if gate.reason:
        return gate.reason
    looks = _last_looks(office, row, gate.stage)
    passed = [one.verdict.role for one in looks if one.passed]
    if not looks:
        return "done; this stage has no reviewers"
    rounds = max(one.iteration for one in looks)
    who = ", ".join(passed) if len(passed) < 3 else f"all {len(passed)} reviewers"
    return f"done; satisfied in iteration {rounds}: {who or 'nobody'}"


def _changed(office: Office, row: FeatureRow, since: str) -> tuple[FileChange, ...]:
    found = changed_files(office.repository, since, row.head)
    folder = f"{office.loaded.settings.flow.features_folder}/{row.feature.name}/"
    ours = [folder + name for name in RECORDS]
    return tuple(one for one in found if one.path not in ours)


def _made(office: Office, row: FeatureRow, files: tuple[FileChange, ...]) -> str:
    try:
        made = draft(office, row)
    except FeatureError:
        made = None
    plus, minus = sum(one.added for one in files), sum(one.removed for one in files)
    changed = f"{_counted(len(files), 'file')} changed, +{plus} -{minus}"
    if made is None:
        return changed
    return f"{made.name.filename}, {_counted(len(made.text.splitlines()), 'line')}; {changed}"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _open_words(found: tuple[Open, ...]) -> str:
    counts = [(sum(one.finding.severity is kind for one in found), kind.value) for kind in ORDER]
    said = ", ".join(_counted(n, word) for n, word in counts if n)
    return f"open: {said}" if said else "no finding is open"


def _money(office: Office, row: FeatureRow, at: float) -> str:
    costs = feature_costs(office, row, By.FEATURE, at)
    cap = next(one for one in costs.caps if one.scope == "feature")
    origin = f" ({costs.total.origin})" if costs.total.origin else ""
    spent = f"spent {costs.total.cost} of {dollars(cap.limit.nano_usd)}{origin}"
    return f"{spent}; to come: {outlook_brief(outlook(office, row))}"


def _since(row: FeatureRow, past: list[Event]) -> str:
    """Before the first commit of the stage, or of what followed the last answer in it."""
    answered = [one.n for one in past if one.kind == "answered"]
    after = answered[-1] if answered else 0
    commits = [one.data["commit"] for one in past if one.kind == "commit" and one.n > after]
    return f"{commits[0]}^" if commits else row.feature.base_commit


def _answers(office: Office, row: FeatureRow, past: list[Event]) -> tuple[str, ...]:
    said = [one for one in past if one.kind == "answered" and one.data.get("answer") == "reject"]
    asked = comment_ids(said[-1].text) if said else ()
    if not asked:
        return ()
    author = FLOWS[row.feature.flow].stage(said[-1].stage).author
    replies = [
        one.result.reply
        for one in ledger_rows(office, row)
        if one.attempt.role == author and one.result and one.attempt.stage == said[-1].stage
    ]
    reply = office.folder.fetch(replies[-1]) if replies else ""
    told = {one.id: f"{one.kind}: {one.words}" for one in read_answers(reply, asked)}
    return tuple(f"{name} {told.get(name, 'got no answer')}" for name in asked)


def next_stage(row: FeatureRow, stage: str) -> str:
    following = FLOWS[row.feature.flow].after(stage)
    return following.name if following else "the hand-over"
