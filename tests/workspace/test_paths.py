"""What agents name stays inside their folder: every class of escape, many attempts each.

Covers: H4
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.project.paths import PathRefused, check_id, check_path, is_id
from tests.workspace.escapes import CLASSES, Tally, tally, tally_ids, tally_race


@pytest.mark.parametrize("name", CLASSES)
def test_nothing_is_read_or_written_outside(tmp_path: Path, name: str) -> None:
    """H4: at least 20 names a class, each for writing and for reading, all refused."""
    found = tally(tmp_path, name)
    assert found.attempts >= 2 * 20
    assert found == Tally(name, found.attempts, refused=found.attempts, outside=0)


def test_an_id_is_a_name_not_a_path(tmp_path: Path) -> None:
    """H4: ids come from `.meta.json`, which a model may have written."""
    found = tally_ids(tmp_path)
    assert found.attempts >= 20
    assert found.refused == found.attempts
    assert check_id("001-rate-limits") == "001-rate-limits"
    assert [value for value in ("001-a", "P001", 7, None, "a/b") if is_id(value)] == [
        "001-a",
        "P001",
    ]


def test_a_link_swapped_in_while_we_look_leads_nowhere(tmp_path: Path) -> None:
    """H4: both happened, so there was a race: some were refused, some found the folder."""
    found = tally_race(tmp_path, 6000)
    assert found.outside == 0
    assert 0 < found.refused < found.attempts


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["..", ".", "/", "a", ".git", "\\"])).map("".join)
)
def test_whatever_is_let_through_stays_inside(path: str) -> None:
    """H4"""
    try:
        names = check_path(path)
    except PathRefused:
        return
    wanted = "/folder/" + "/".join(names)
    place = os.path.normpath(wanted)
    assert place == wanted
    assert ".git" not in place.casefold().split("/")
