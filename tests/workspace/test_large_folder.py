"""A folder that is too large for a stamp is tried again after a while. Covers: H1."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sparing.workspace.git.direct import folder_stamp


def test_it_gets_a_stamp_once_it_is_small_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / str(number)).write_text("")
    time.sleep(3 * folder_stamp.MOMENT_NS / 1e9)
    monkeypatch.setattr(folder_stamp, "MOST_ENTRIES", 3)
    assert folder_stamp.folder_stamp(tmp_path) is None
    monkeypatch.setattr(folder_stamp, "MOST_ENTRIES", 4)
    found = [folder_stamp.folder_stamp(tmp_path) for _ in range(folder_stamp.PATIENCE + 2)]
    assert found[: folder_stamp.PATIENCE] == [None] * folder_stamp.PATIENCE
    assert found[-1] is not None
    assert found[-2] == found[-1]
