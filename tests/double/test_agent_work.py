"""Covers: E4. Drawn agents work like real ones, and never know the policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.dispatch_policy import Order, Way
from sparing.double.agent.phrases import search_word
from sparing.double.agent_draws import TurnIdentity, loop_rounds, needed_files, turn_needs
from sparing.double.agent_kinds import AgentKind
from sparing.turn_kind import Errand
from tests.double.agent_session import FORM, LOOK, READING, WRITING, Session, tools
from tests.double.turns import CASES, FOLDER, SPEC, TARGET, texts

REVIEWER = TurnIdentity("spec-reviewer", "specify", "", 1)
AGAIN = REVIEWER._replace(iteration=2)
FIRST = texts(CASES["review a document"], Way.COMPOSE, Order.NESTED)
LATER = texts(CASES["review it again"], Way.RESUME, Order.NESTED)
MODULES = [f"store/part_{number:02d}.py" for number in range(40)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(MODULES):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"def {search_word(number)}() -> int:\n    return {number}  # part {number}\n"
        )
    spec = tmp_path / TARGET
    spec.parent.mkdir(parents=True)
    spec.write_text(SPEC + "".join(f"The reader number {n} keeps its record.\n" for n in range(40)))
    return tmp_path


def reviewer(folder: Path, seed: int = 1) -> Session:
    return Session(folder, [*tools(READING), FORM], seed)


def needed(turn: TurnIdentity, seed: int = 1) -> set[str]:
    needs = turn_needs(AgentKind.TYPICAL, seed, Errand.REVIEW, turn)
    return set(needed_files(seed, turn, needs, MODULES))


def test_a_reviewer_opens_what_it_has_to_have_seen_step_by_step(folder: Path) -> None:
    """E4: 8 to 15 calls, not one; the files follow from the turn alone."""
    session = reviewer(folder)
    session.turn(REVIEWER, *FIRST)
    assert 7 <= session.steps <= 17
    assert set(session.opened) == needed(REVIEWER)
    assert session.used("Glob") == 1
    assert session.used("Grep") > 0


def test_another_order_of_the_prompt_needs_the_same_files(folder: Path) -> None:
    """E4: an agent never knows the policy."""
    nested, seed = reviewer(folder), reviewer(folder)
    nested.turn(REVIEWER, *FIRST)
    seed.turn(REVIEWER, *texts(CASES["review a document"], Way.REFERENCE, Order.SEED))
    assert set(seed.opened) - {f"/w/{FOLDER}/prd.md"} == set(nested.opened)


def test_who_remembers_opens_only_what_it_has_not_seen(folder: Path) -> None:
    """E4: that is how a session that goes on saves."""
    session, fresh = reviewer(folder), reviewer(folder)
    session.turn(REVIEWER, *FIRST)
    session.turn(AGAIN, *LATER)
    fresh.turn(AGAIN, *FIRST)
    assert set(session.opened) == needed(AGAIN) - needed(REVIEWER)
    assert set(fresh.opened) == needed(AGAIN)
    assert session.steps < fresh.steps


def test_a_file_that_the_prompt_gives_is_not_opened(folder: Path) -> None:
    """E4: that is how sending a file along saves."""
    given = sorted(needed(REVIEWER))[0]
    block = f'<document key="k" name="{given}">\nits text\n</document>\n'
    session = reviewer(folder)
    session.turn(REVIEWER, block, *FIRST)
    assert set(session.opened) == needed(REVIEWER) - {given}


def test_a_tool_that_takes_a_list_gets_several_files(folder: Path) -> None:
    """E4: agents use whatever tools the request offers."""
    single, listed = reviewer(folder), Session(folder, [LOOK, FORM])
    single.turn(REVIEWER, *FIRST)
    listed.turn(REVIEWER, *FIRST)
    assert set(listed.opened) == set(single.opened)
    assert listed.steps < single.steps
    few = Session(folder, [LOOK, FORM], files=1)
    few.turn(REVIEWER, *FIRST)
    assert (set(few.opened), few.steps) == (set(single.opened), single.steps)


def test_it_rejects_until_its_last_round_and_quotes_lines_that_exist(folder: Path) -> None:
    """E4: rounds are drawn, and what is quoted stands there now."""
    lines = (folder / TARGET).read_text().splitlines()
    seed = next(n for n in range(99) if loop_rounds(AgentKind.TYPICAL, n, *REVIEWER[:2]) == 2)
    session = reviewer(folder, seed)
    said = json.loads(session.turn(REVIEWER, *FIRST))
    assert not said["approved"]
    assert all(one["quote"] in lines for one in said["findings"])
    assert json.loads(session.turn(AGAIN, *LATER))["approved"]


def test_an_implementer_reads_writes_changes_and_runs(folder: Path) -> None:
    """E4: 20 to 45 calls, and the code is code."""
    (folder / "src").mkdir()
    (folder / "src/words.py").write_text("total = 0  # where the words are counted\n")
    session = Session(folder, tools(READING, WRITING))
    who = TurnIdentity("implementer", "implement", "1.2", 1)
    said = session.turn(who, *texts(CASES["a task"], Way.COMPOSE, Order.NESTED))
    assert 18 <= session.steps <= 48
    assert "## Implemented" in said
    assert session.used("Bash") > 1
    assert "settled" in (folder / "src/words.py").read_text()
    compile((folder / "tests/test_words.py").read_text(), "test_words.py", "exec")


def test_an_author_writes_a_document_of_real_length_and_settles_findings(folder: Path) -> None:
    """E4: about 15,000 characters; a revision changes passages, not the whole."""
    (folder / TARGET).unlink()
    session = Session(folder, tools(READING, WRITING))
    who = TurnIdentity("spec-author", "specify", "", 1)
    session.turn(who, *texts(CASES["write"], Way.COMPOSE, Order.NESTED))
    before = (folder / TARGET).read_text()
    assert 9_000 < len(before) < 26_000
    session.turn(who._replace(iteration=2), *texts(CASES["revise again"], Way.RESUME, Order.NESTED))
    after = (folder / TARGET).read_text()
    changed = sum(line not in before for line in after.splitlines())
    assert 1 <= changed < 30
    assert session.used("Write") == 0
    assert TARGET not in session.opened


def test_who_looks_around_without_a_form_ends_with_words(folder: Path) -> None:
    """E4: an object is only said where the client has a form for it."""
    session = Session(folder, tools(READING))
    who = TurnIdentity("test-deepener", "implement", "A", 1)
    said = session.turn(who, *texts(CASES["deeper tests"], Way.COMPOSE, Order.NESTED))
    assert len(said) > 800
    assert not said.startswith("{")
