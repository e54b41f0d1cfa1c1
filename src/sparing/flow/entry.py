"""Where a feature enters its flow when some of its documents are there already."""

from __future__ import annotations

from sparing.artifact import ArtifactName
from sparing.flow.stage import Flow


def entry_stage(flow: Flow, fit: frozenset[ArtifactName], expected: frozenset[ArtifactName]) -> str:
    """The first stage whose document is wanted and not fit.

    A document that the existing ones' author has no notion of is not wanted, if a later one exists
    that would have been made from it.
    """
    for at, stage in enumerate(flow.stages):
        if stage.writes is None:
            return stage.name
        later = {one.writes for one in flow.stages[at + 1 :]}
        stands_in = stage.writes not in expected and bool(fit & expected & later)
        if stage.writes not in fit and not stands_in:
            return stage.name
    return flow.stages[-1].name
