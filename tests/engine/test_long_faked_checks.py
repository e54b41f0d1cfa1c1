"""More ways to fake a check. Covers: H7, F9, A7"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.faked_checks import FAKES, MAKE, OFTEN, Played, assert_it_is_not_finished


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({*FAKES} - {*OFTEN}))
def test_broken_code_is_not_finished_by_any_other_fake(tmp_path: Path, name: str) -> None:
    """H7, A7: `run --auto` stops at a person, and says what it is that changed."""
    assert_it_is_not_finished(tmp_path, FAKES[name])


def test_another_target_of_the_same_file_is_nobody_s_business(tmp_path: Path) -> None:
    edit = r"printf '\nclean:\n\trm -rf build\n' >> Makefile"
    assert Played(tmp_path, MAKE, edit).run().code == 0
