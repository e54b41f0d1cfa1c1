"""The code of a feature compared with its base branch, file by file."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.desk.features.view import waiting_gate
from sparing.desk.gates.branch import Output, check_outputs, code_of
from sparing.desk.gates.line_comments import AnsweredComment, last_comments
from sparing.desk.gates.offers import ActionOffer, offers
from sparing.desk.gates.stale_answer import seen_digest
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.flow.state import FlowState
from sparing.report.unified_diff import FileDiff, read_diff
from sparing.web.visit import Visit
from sparing.workspace.git.commit import diff

CONTEXT = 3
LONGEST_OUTPUT = 20_000


@dataclass(frozen=True)
class CodePage:
    id: str
    title: str
    base: str
    head: str
    branch: str
    files: tuple[FileDiff, ...]
    checks: tuple[Output, ...]
    """The end of each check's latest output."""
    comments: tuple[AnsweredComment, ...]
    offers: tuple[ActionOffer, ...]
    """What an answer here leads to, and what that costs."""
    waiting: str
    """What it costs to delay the answer; empty if nothing waits."""
    judged: bool
    shown: str
    gate_id: str


def code_page(visit: Visit) -> CodePage:
    office, row = visit.office, visit.row
    paths = sorted(one.path for one in code_of(office, row))
    base, head = row.feature.base_commit, row.head
    text = diff(office.repository, base, head, paths, CONTEXT) if paths else ""
    gate = None if row.running else waiting_gate(office, row)
    outputs = (one._replace(text=one.text[-LONGEST_OUTPUT:]) for one in check_outputs(office, row))
    return CodePage(
        id=row.feature.id,
        title=row.feature.title,
        base=base,
        head=head,
        branch=row.feature.branch,
        files=read_diff(text),
        checks=tuple(outputs),
        comments=last_comments(office, row, FlowState.load(row.place["state"]).stage),
        offers=offers(office, row, visit.at) if gate else (),
        waiting=waiting_words(price_of_waiting(office, row, visit.at)) if gate else "",
        judged=gate is not None,
        shown=seen_digest(office, row),
        gate_id=gate.id if gate else "",
    )
