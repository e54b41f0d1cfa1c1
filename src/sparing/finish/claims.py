"""Unsupported claims of a PRD: mentioned when the stage that wrote it closes, never enforced."""

from __future__ import annotations

from sparing.artifact import ArtifactName
from sparing.context.documents.claims import unmarked_claims
from sparing.event import WarningEvent
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source


def tell_unmarked(source: Source, teller: Teller) -> None:
    if source.stage.writes is not ArtifactName.PRD:
        return
    prd = source.artifact(ArtifactName.PRD)
    found = unmarked_claims(prd.text) if prd else ()
    if not found:
        return
    many = "1 claim has" if len(found) == 1 else f"{len(found)} claims have"
    text = f"{many} no mark of evidence or assumption"
    with source.around.database.write() as tx:
        told = WarningEvent(claims=tuple(found))
        tell(tx, teller, source.job, told, text=text, name="warning.unmarked")
