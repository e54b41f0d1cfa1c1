"""Handoffs between the stages of a tier, read from the stored replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.briefing.handoff_block import block_of
from sparing.context.documents.handoff import Handoff
from sparing.context.prompt.brief import Document
from sparing.context.prompt.compact import SUMMARISED, only_output, summarised
from sparing.flow.flows import FLOWS
from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.turn import Turn


def summaries(source: Source, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Outputs alone, and for those who open the files themselves the handoff's summary of them."""
    told = tuple(
        one if one.text is None else replace(one, text=only_output(one.text)) for one in documents
    )
    wanted = [one.name for one in told if one.name in SUMMARISED.get(source.job.stage, ())]
    return summarised(told, source.job.stage, handoffs_of(source)) if wanted else told


def handoffs_of(source: Source) -> dict[ArtifactName, Handoff]:
    """The last handoff of each stage, by the document the stage made."""
    stages = {stage.name: stage for stage in FLOWS[source.row.feature.flow].stages}
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, source.row.feature.key)
    found: dict[ArtifactName, Handoff] = {}
    for row in rows:
        stage = stages.get(row.attempt.stage)
        if row.result is None or row.result.failure or stage is None or stage.writes is None:
            continue
        if row.attempt.role == stage.author and row.attempt.template != Turn.HAND_OVER:
            found[stage.writes] = block_of(source, row.result.reply)
    return found
