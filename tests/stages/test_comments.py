"""A person's comments are answered one by one; those that are passed over are put again, once.

Covers: A6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.document_check import AGAIN, unanswered
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.job import JobKind, JobResult
from sparing.records.folder import StateFolder, open_folder
from sparing.stages.moves import Happened, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

SAID = (
    "Too long.\n\nC1, line 3 of spec.md:\n> a\nwhy?\n\nand how?\n\n"
    "C2, line 4 of spec.md:\n> b\nby whom?"
)
BOTH = "Changed.\n- `C1`: changed, it says why\n- C2: answered — nobody has to"
ONE = "Changed.\n- C2: changed"


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return open_folder(tmp_path, "r")


def place(folder: StateFolder, said: str = SAID, turn: Turn = Turn.REDO) -> Place:
    state = begin("feature", "specify", frozenset(ArtifactName))
    return Place(state, "c1", StageStep.AUTHOR, turn=2, asked=turn, feedback=folder.keep(said))


def replied(folder: StateFolder, words: str) -> tuple[JobResult, ...]:
    return (JobResult(commit="c2", reply=folder.keep(words), changed=True),)


def test_nothing_is_put_again_that_was_answered(folder: StateFolder) -> None:
    assert unanswered(folder, place(folder), replied(folder, BOTH)) == ""
    assert unanswered(folder, place(folder, "Shorter."), replied(folder, "It is.")) == ""


def test_what_was_passed_over_is_put_again_in_the_person_s_words(folder: StateFolder) -> None:
    found = folder.fetch(unanswered(folder, place(folder), replied(folder, ONE)))
    assert found == f"{AGAIN}\n\nC1, line 3 of spec.md:\n> a\nwhy?\n\nand how?"


def test_once_and_not_for_ever(folder: StateFolder) -> None:
    again = folder.fetch(unanswered(folder, place(folder), replied(folder, "Changed.")))
    assert unanswered(folder, place(folder, again), replied(folder, "Changed again.")) == ""


def test_only_of_a_turn_that_had_them(folder: StateFolder) -> None:
    for turn in (Turn.WRITE, Turn.REVISE):
        assert unanswered(folder, place(folder, turn=turn), replied(folder, ONE)) == ""
    assert unanswered(folder, place(folder), ()) == ""


def test_the_author_is_asked_before_anybody_looks(folder: StateFolder) -> None:
    """The same turn again, with what is left; then the stage goes on."""
    rules = StageRules(cap=3, gates=frozenset(FEATURE.names), headless=False)
    here, results = place(folder), replied(folder, ONE)
    left = unanswered(folder, here, results)
    found = next_move(here, Happened(results, unanswered=left), rules, 100.0)
    (job,) = found.jobs
    assert (job.role, job.turn, job.feedback, job.head) == ("spec-author", Turn.REDO, left, "c2")
    found = next_move(found.place, Happened(results), rules, 100.0)
    assert [one.kind for one in found.jobs] == [JobKind.CLOSE]
