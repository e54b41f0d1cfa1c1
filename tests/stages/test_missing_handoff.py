"""A reply that should end with a handoff block and has none that can be read. Covers: A2, C1."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.context.documents.handoff import Handoff
from sparing.flow.advance import begin
from sparing.job import JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

RULES = StageRules(3, frozenset(), headless=True)


def after(handoff: Handoff, *, asked_already: bool) -> Next:
    place = Place(begin("L1", "implement", frozenset(ArtifactName)), "base")
    place = replace(place, step=StageStep.AUTHOR, asked=Turn.WRITE)
    if asked_already:
        place = replace(place, talk=replace(place.talk, unread="implement"))
    told = Happened((JobResult(reply="note"),), handoff=handoff, block="what can't be read")
    return next_move(place, told, RULES, 1.0)


@pytest.mark.parametrize("handoff", [Handoff(missing=True), Handoff(unreadable="## HANDOFF ...")])
def test_its_author_is_asked_for_it_once(handoff: Handoff) -> None:
    found = after(handoff, asked_already=False)
    assert [job.turn for job in found.jobs] == [Turn.ANSWER]
    assert (found.place.feedback, found.place.note) == ("what can't be read", "note")
    again = after(handoff, asked_already=True)
    assert Turn.ANSWER not in [job.turn for job in again.jobs]
