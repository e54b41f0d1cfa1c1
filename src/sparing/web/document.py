"""A document: rendered or as its source, one version or what changed between two."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.desk.features.versions import DocumentVersion, text_at, versions_of
from sparing.desk.features.view import waiting_gate
from sparing.desk.gates.line_comments import AnsweredComment, last_comments
from sparing.desk.gates.offers import ActionOffer, offers
from sparing.desk.gates.stale_answer import seen_digest
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.desk.reviews.finding_history import FollowedFinding, followed
from sparing.errors import NotFound
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.report.word_diff import DiffLine, word_diff
from sparing.web.visit import Visit


@dataclass(frozen=True)
class DocumentPage:
    id: str
    title: str
    name: str
    path: str
    text: str
    source: bool
    """True if shown as source, line by line."""
    version: int
    against: int
    """The earlier version that it is compared with; 0 for none."""
    versions: tuple[DocumentVersion, ...]
    diff: tuple[DiffLine, ...]
    comments: tuple[AnsweredComment, ...]
    """Comments of the last rejection, if this is the document that was rejected."""
    findings: tuple[FollowedFinding, ...]
    """Open findings of the stage that writes it."""
    offers: tuple[ActionOffer, ...]
    """What an answer here leads to, and what that costs."""
    waiting: str
    """What it costs to delay the answer; empty if nothing waits."""
    judged: bool
    """True if it waits for an answer: lines can be commented on, and it can be edited."""
    shown: str
    gate_id: str


def document_page(visit: Visit) -> DocumentPage:
    office, row = visit.office, visit.row
    found = versions_of(office, row, visit.path["name"])
    if not found.versions:
        raise NotFound(
            f"feature {row.feature.id} has no {found.name} yet", f"sparing show {row.feature.id}"
        )
    chosen = _chosen(visit, "version", found.versions, len(found.versions))
    against = _chosen(visit, "against", found.versions, 0)
    text = text_at(office, found.versions[chosen - 1].commit, found.path) or ""
    earlier = text_at(office, found.versions[against - 1].commit, found.path) if against else None
    state = FlowState.load(row.place["state"])
    gate = None if row.running else waiting_gate(office, row)
    stage = next((one for one in FLOWS[row.feature.flow].stages if _makes(one, found.name)), None)
    own = stage is not None and stage.name == state.stage
    return DocumentPage(
        id=row.feature.id,
        title=row.feature.title,
        name=found.name,
        path=found.path,
        text=text,
        source=bool(visit.query.get("source")),
        version=chosen,
        against=against,
        versions=found.versions,
        diff=word_diff(earlier, text) if earlier is not None else (),
        comments=last_comments(office, row, state.stage) if own else (),
        findings=tuple(
            one for one in followed(office, row) if one.open and stage and one.stage == stage.name
        ),
        offers=offers(office, row, visit.at) if gate is not None and own else (),
        waiting=waiting_words(price_of_waiting(office, row, visit.at)) if gate and own else "",
        judged=gate is not None and own and chosen == len(found.versions),
        shown=seen_digest(office, row),
        gate_id=gate.id if gate else "",
    )


def _makes(stage: object, name: str) -> bool:
    writes = getattr(stage, "writes", None)
    return writes is not None and writes.filename == name


def _chosen(visit: Visit, name: str, versions: tuple[DocumentVersion, ...], default: int) -> int:
    said = visit.query.get(name, "")
    if not said:
        return default
    if not (said.isascii() and said.isdigit()) or not 1 <= int(said) <= len(versions):
        raise NotFound(f"there is no version {said[:20]}", f"versions: 1 to {len(versions)}")
    return int(said)
