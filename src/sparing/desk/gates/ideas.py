"""Gates whose answer is more than yes or no: an idea is promoted or stopped, a project is split.

A brainstorm may end as a document: it stays on its branch, where anyone can take it up again.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.documents.claims import unmarked_claims
from sparing.desk.features import orders
from sparing.desk.gates import answers
from sparing.desk.gates.actions import IDEAS
from sparing.desk.office import Office
from sparing.errors import FeatureError
from sparing.flow.flows import FLOWS
from sparing.flow.roadmap import read_roadmap
from sparing.flow.stage import Stage
from sparing.flow.state import FlowState, Position
from sparing.records.features import FeatureRow
from sparing.workspace.git.commit import read_file

KEPT = "kept as a document"
SHOWN = 60


class StoppedIdea(NamedTuple):
    path: str
    branch: str
    stage: str

    @property
    def command(self) -> str:
        """The command that shows the document that was kept."""
        return f"git show {self.branch}:{self.path}"


def is_idea(stage: Stage, flow: str) -> bool:
    """Whether the stage's document is useful without the stages that would follow."""
    return stage.writes in IDEAS and FLOWS[flow].stages[0].name == stage.name


def stop(office: Office, row: FeatureRow, sender: str, at: float) -> StoppedIdea:
    """End an idea at its gate; its document stays."""
    state, number = FlowState.load(row.place["state"]), row.feature.id
    stage = FLOWS[state.flow].stage(state.stage)
    if state.position is Position.STUCK and not row.running and not row.status.is_over:
        raise FeatureError(
            f"{state.stage} of feature {number} is not finished, so it can't end as a document",
            f"see what it waits for: sparing show {number}",
        )
    if state.position is not Position.GATE:
        raise answers.no_gate(row)
    if not is_idea(stage, state.flow):
        raise FeatureError(
            f"feature {number} is past its brainstorm: only a brainstorm can end as a document",
            f"to give it up: sparing abandon {number}",
        )
    assert stage.writes is not None
    path = f"{office.loaded.settings.flow.folder_of(row.feature)}/{stage.writes.filename}"
    orders.abandon(office, row, sender, at, KEPT)
    return StoppedIdea(path, row.feature.branch, stage.name)


def gate_notes(office: Office, row: FeatureRow, name: str) -> tuple[str, ...]:
    """What else a person should see at this gate."""
    stage = FLOWS[row.feature.flow].stage(name)
    if stage.writes is ArtifactName.ROADMAP:
        return _proposed(_text(office, row, stage.writes))
    if stage.writes is None or not is_idea(stage, row.feature.flow):
        return ()
    if FlowState.load(row.place["state"]).position is not Position.GATE:
        return ()  # it asks something, or is stuck: neither word would be accepted
    file, number = stage.writes.filename, row.feature.id
    choice = (
        f"approve to build it; to end it here and keep {file} on {row.feature.branch}:"
        f" sparing stop {number}"
    )
    if stage.writes is not ArtifactName.PRD:
        return (choice,)
    return (*claim_words(_text(office, row, stage.writes)), choice)


def claim_words(prd: str) -> tuple[str, ...]:
    found = unmarked_claims(prd)
    if not found:
        return ()
    first = found[0] if len(found[0]) <= SHOWN else f"{found[0][: SHOWN - 1]}…"
    count = "1 claim has" if len(found) == 1 else f"{len(found)} claims have"
    return (f'{count} no evidence or assumption mark: "{first}"',)


def _proposed(text: str) -> tuple[str, ...]:
    project = read_roadmap(text)
    waits = {one.name: ", ".join(other[:3] for other in one.depends_on) for one in project.features}
    lines = [
        f"{one.name}: {one.description}{f' (after {waits[one.name]})' if waits[one.name] else ''}"
        for one in project.features
    ]
    return (f"{len(lines)} features are proposed:", *(f"- {line}" for line in lines))


def _text(office: Office, row: FeatureRow, name: ArtifactName) -> str:
    folder = office.loaded.settings.flow.folder_of(row.feature)
    data = read_file(office.repository, row.head, f"{folder}/{name.filename}") or b""
    return data.decode("utf-8", "replace")
