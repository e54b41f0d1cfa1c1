"""Broken code does not end with green checks, whatever an agent puts beside it.

Each feature is run by `sparing run --auto` in a repository whose one test the agent breaks.

Covers: H7, F9, A7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.faked_checks import FAKES, MAKE, OFTEN, Played, assert_it_is_not_finished
from tests.repositories import git


@pytest.mark.parametrize("name", OFTEN)
def test_broken_code_is_not_finished_by_a_fake(tmp_path: Path, name: str) -> None:
    """H7, A7: `run --auto` stops at a person, and says what it is that changed."""
    assert_it_is_not_finished(tmp_path, FAKES[name])


@pytest.mark.long
def test_a_person_agrees_once_to_exactly_what_changed(tmp_path: Path) -> None:
    """A7: then the checks run as they are now, and no later gate asks again."""
    edit = r"printf 'test:\n\tpython3 -m unittest discover -v -s tests\n' > Makefile"
    played = Played(tmp_path, MAKE, edit)
    assert "test: Makefile, target test changed" in played.run().err
    assert played.sparing("approve", "001").code == 0
    said = played.sparing("run", "--auto")
    assert said.code == 0, said.out + said.err
    assert git(played.repository, "show", "feature/001-break-it:Makefile").count("-v") == 1


@pytest.mark.long
def test_a_check_that_is_changed_after_the_last_run_is_told_at_the_last_gate(
    tmp_path: Path,
) -> None:
    """H7, A7: where no check runs any more, a person is told by name; no rule and no answer given
    in advance passes over it."""
    played = Played(tmp_path, MAKE, last=r"printf 'test:\n\techo fine\n' > Makefile")
    told = "checks were changed after their last run: test: Makefile, target test changed"
    auto = played.run()
    shown = " ".join((auto.err + played.sparing("show", "001").out).split())
    assert (auto.code, told in shown) == (2, True)
    assert "not passed by rule: checks were changed after their last run" in shown
    assert played.sparing("run", "--yes").code == 2
    assert told in " ".join(played.sparing("show", "001").out.split())
    assert played.sparing("approve", "001").code == 0
    assert played.sparing("run", "--no-input").code == 0
