"""One table of turns: a row a turn, and no cell of it is left open. Covers: A1, B5, C4, E1."""

from __future__ import annotations

from dataclasses import fields

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.trunk_group import form_of
from sparing.config.flow import ASSISTANTS
from sparing.context.prompt.brief import Brief, Document, PromptRole, TurnSubject
from sparing.context.prompt.turn_words import fresh_turn
from sparing.economy.choose import Moment, Template, row_for
from sparing.economy.expected_work import (
    HABITS,
    Memory,
    SeenTurn,
    TurnClass,
    expected_work,
    learned,
    work_of,
)
from sparing.prompts.render import fill, names
from sparing.roles.load import shipped
from sparing.runtime.turn_history import errand_of
from sparing.stages.jobs import PROGRAM_JOBS
from sparing.stages.stage import STEPS
from sparing.turn import TURNS, StageStep, Turn, TurnRow
from sparing.turn_kind import KINDS, Actor, Errand, KindRow, ReplyForm, TurnKind

EVERY_TURN = pytest.mark.parametrize("turn", Turn, ids=lambda turn: turn.name)
NO_SCHEMA = {ReplyForm.TEXT, ReplyForm.HANDOFF}


def test_every_turn_and_every_kind_has_one_row() -> None:
    """A1: whoever adds a turn adds its row."""
    assert list(TURNS) == list(Turn)
    assert list(KINDS) == list(TurnKind)


@pytest.mark.parametrize("row", [TurnRow, KindRow])
def test_no_column_has_a_default(row: type[TurnRow | KindRow]) -> None:
    """A1: a default would hide that nobody has decided."""
    assert row._field_defaults == {}


@EVERY_TURN
def test_the_words_of_a_turn_are_a_file(turn: Turn) -> None:
    """B5: words are files that a person can read."""
    folder, _, name = TURNS[turn].words.partition("/")
    assert name in names(folder)


@pytest.mark.parametrize("turn", [one for one in Turn if one is not Turn.HAND_OVER])
def test_a_fresh_prompt_is_said_with_the_words_of_its_row(turn: Turn) -> None:
    """B5: the column is what is sent. A session that ends is asked with a block of its own."""
    row = TURNS[turn]
    asked = TurnSubject(row.kinds.usual, "s", "t", "d.md", phase=row.phase, words=row.words)
    prd = Document(ArtifactName.PRD, "text")
    said = fresh_turn(Brief("key", PromptRole("role", "text"), asked, documents=(prd,)))
    given = {one.name: getattr(asked, one.name) for one in fields(asked) if one.name != "kind"}
    folder, _, name = row.words.partition("/")
    assert said.startswith(fill(folder, name, **given))


@EVERY_TURN
def test_the_form_of_a_reply_has_its_schema(turn: Turn) -> None:
    """C4: what is answered in a form is checked by it; what is judged is answered in a form."""
    form, kinds = TURNS[turn].form, TURNS[turn].kinds
    assert (form_of(turn) is None) == (form in NO_SCHEMA)
    assert (form is ReplyForm.VERDICT) == KINDS[kinds.usual].judges
    assert form in NO_SCHEMA or all(KINDS[kind].formed for kind in kinds)


@EVERY_TURN
def test_the_errands_of_a_turn_have_priors(turn: Turn) -> None:
    """E1: something is expected of every turn before the ledger knows better."""
    row = TURNS[turn]
    for errand in (row.errand, row.code_errand):
        assert all((errand, memory) in HABITS for memory in Memory)
    assert errand_of(turn.value, "specify") is row.errand
    assert errand_of(turn.value, "implement") is row.code_errand


def test_no_errand_is_idle_and_a_mended_reply_has_none() -> None:
    """E1"""
    rows = TURNS.values()
    assert {row.errand for row in rows} | {row.code_errand for row in rows} == set(Errand)
    assert errand_of("repair_reply", "specify") is None


@EVERY_TURN
def test_a_stage_knows_what_follows_a_turn(turn: Turn) -> None:
    """A1: a turn is at a step with an agent's jobs, and something follows it."""
    assert TURNS[turn].step in STEPS
    assert TURNS[turn].step not in PROGRAM_JOBS


def test_every_step_is_a_turn_s_or_the_program_s() -> None:
    """A1: a wave is its tasks side by side, and weighing looks at the turn ahead."""
    turns = {row.step for row in TURNS.values()}
    assert turns | set(PROGRAM_JOBS) | {StageStep.WAVE, StageStep.WEIGH} == set(StageStep)


@EVERY_TURN
def test_the_roles_of_a_turn_are_shipped_and_can_be_left_out(turn: Turn) -> None:
    """A1: who writes is of a class that may."""
    for role in TURNS[turn].roles:
        assert role in ASSISTANTS
        assert shipped(role).role_class.writes or not TURNS[turn].writes


@pytest.mark.parametrize("kind", TurnKind)
def test_the_matrix_has_a_template_for_the_first_time_and_for_the_next(kind: TurnKind) -> None:
    """C4: the actor is the turn's column, the templates are the matrix's."""
    actor = KINDS[kind].actor
    first = row_for(Moment(actor, first=True), guarded=False).template
    again = row_for(Moment(actor, first=False, session=True), guarded=False).template
    assert (first, again) == {
        Actor.REVIEWER: (Template.FULL, Template.DELTA),
        Actor.FIXER: (Template.FIX, Template.FIX_DELTA),
        Actor.LONE: (Template.FULL, Template.FULL),
    }[actor]


def test_where_a_turn_is_asked_sharpens_its_kind() -> None:
    """C4: a look at everything since, findings in code, a tier's stage; nothing else."""
    nowhere = {"on_code": False, "in_tier": False, "final": False}
    sharper = [
        (turn, place, kind)
        for turn in Turn
        for place in nowhere
        if (kind := TURNS[turn].kinds.here(**{**nowhere, place: True}))
        is not TURNS[turn].kinds.usual
    ]
    assert sharper == [
        (Turn.WRITE, "in_tier", TurnKind.STAGE),
        (Turn.REVISE, "on_code", TurnKind.FIX),
        (Turn.REVIEW, "final", TurnKind.VALIDATE),
    ]
    review = TURNS[Turn.REVIEW].kinds
    assert review.here(on_code=True, in_tier=True, final=True) is TurnKind.VALIDATE


@pytest.mark.parametrize("turn", [Turn.RETRO, Turn.HAND_OVER])
def test_what_ends_a_feature_or_a_session_is_learned_from(turn: Turn) -> None:
    """E1: and of nobody else is more expected for it."""
    errand = TURNS[turn].errand
    seen = TurnClass("somebody", errand, Memory.TRANSCRIPT)
    known = learned([SeenTurn(seen, [(0, 5_000), (9_000, 5_000)])] * 3)
    usual = work_of(HABITS[errand, Memory.TRANSCRIPT])
    for memory in Memory:
        expected = expected_work(TurnClass("another", errand, memory), known)
        assert expected.output > usual.output
        assert expected.growth > usual.growth
    alone = TurnClass("another", Errand.LONE, Memory.NONE)
    assert expected_work(alone, known) == expected_work(alone, {})
