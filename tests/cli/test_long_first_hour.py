"""The first hour in repositories of other kinds. Covers: K1, K2, A6"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.first_hour import PROJECTS, assert_it_goes_through


@pytest.mark.parametrize("name", sorted({*PROJECTS} - {"make"}))
def test_from_start_to_a_finished_branch_with_a_set_up(tmp_path: Path, name: str) -> None:
    """K2: a test that was red before is known and blocks nothing; nothing of a set-up is kept."""
    assert_it_goes_through(tmp_path, name)
