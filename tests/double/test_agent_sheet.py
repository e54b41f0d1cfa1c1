"""Covers: E8. Drawn agents name places, and trust quotes as often as they are drawn to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.context.prompt.inclusion import wrap
from sparing.context.sheet.parts import part_of
from sparing.context.sheet.quotes import quoted
from sparing.context.sheet.source_locations import NamedFact, facts_block
from sparing.dispatch_policy import Order, Way
from sparing.double.agent_draws import TurnIdentity
from sparing.prompts.render import words
from tests.double.agent_session import FORM, READING, WRITING, Session, tools
from tests.double.turns import CASES, TARGET, texts

REVIEWER = TurnIdentity("spec-reviewer", "specify", "", 1)
BOTH = [*tools(READING), *tools(WRITING)]
MODULES = [f"store/part_{number:02d}.py" for number in range(40)]
TEXT = "def load_record() -> int:\n    return 1  # a part of the store\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (*MODULES, TARGET):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT)
    return tmp_path


def sheet() -> str:
    facts = [quoted(NamedFact(name), TEXT, str) for name in MODULES]
    part = part_of([one for one in facts if one], (), "c0ffee", 100_000)
    return wrap(part.text, "0123456789ab", "quoted facts, specify")


def opened(folder: Path, trust: int, *before: str) -> set[str]:
    session = Session(folder, [*tools(READING), FORM], trust=trust)
    session.turn(REVIEWER, *before, *texts(CASES["review a document"], Way.COMPOSE, Order.NESTED))
    return set(session.opened)


def test_quoted_files_are_opened_as_often_as_the_effect_says(folder: Path) -> None:
    """E8: none less at no effect, none at all at full effect, some between."""
    bare = opened(folder, 100)
    assert bare
    assert opened(folder, 0, sheet()) == bare
    half = opened(folder, 50, sheet())
    assert half < bare
    assert half
    assert not opened(folder, 100, sheet()) & set(MODULES)


def test_an_author_names_what_it_opened_only_where_it_is_asked(folder: Path) -> None:
    """E8: in the block that the program reads."""
    told = texts(CASES["write"], Way.COMPOSE, Order.NESTED)
    writer = TurnIdentity("spec-author", "specify", "", 1)
    plain = Session(folder, BOTH)
    assert facts_block(plain.turn(writer, *told)) == ()
    session = Session(folder, BOTH)
    named = facts_block(session.turn(writer, *told, words("blocks", "name_facts")))
    assert named
    assert {one.path for one in named} <= {
        path.removeprefix(f"{folder}/") for path in session.opened
    }
