"""Daily copies of the records, and the way back from lost ones.

Covers: I3
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import StateError
from sparing.records import features
from sparing.records.daily_backup import KEPT, RESTORE, copies, copy_daily, is_lost, restore
from sparing.records.folder import StateFolder, TextGone, open_folder
from tests.records.rows import feature_row

DAY = 86_400.0


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    made = open_folder(tmp_path, "key")
    add(made, 1)
    made.engine_database.write_bytes(b"")
    return made


def add(folder: StateFolder, number: int) -> None:
    with folder.database().write() as tx:
        features.create(tx, feature_row(number, f"Feature {number}"))


def numbers(folder: StateFolder) -> list[int]:
    with folder.database().read() as connection:
        return [row.feature.number for row in features.list_all(connection)]


def test_there_is_one_copy_a_day_and_old_ones_go(folder: StateFolder) -> None:
    made = [copy_daily(folder.path, day * DAY) for day in range(KEPT + 2)]
    assert copy_daily(folder.path, 0.5 * DAY + (KEPT + 1) * DAY) is None
    assert copies(folder.path) == list(reversed([one for one in made if one]))[:KEPT]


def test_a_copy_is_whole_while_somebody_writes(folder: StateFolder) -> None:
    with folder.database().write() as tx:
        features.create(tx, feature_row(2, "Not committed"))
        assert copy_daily(folder.path, 0.0)
    restore(folder.path)
    assert numbers(folder) == [1]


@pytest.mark.parametrize("how", ["emptied", "deleted", "damaged"])
def test_lost_records_are_told_with_the_command_that_brings_them_back(
    folder: StateFolder, how: str
) -> None:
    """I3: never as if nobody had begun anything."""
    copy_daily(folder.path, 0.0)
    add(folder, 2)
    path = folder.path / "sparing.db"
    if how == "deleted":
        path.unlink()
    else:
        path.write_bytes(b"" if how == "emptied" else b"no database at all" * 100)
    with pytest.raises(StateError) as caught:
        numbers(folder)
    assert caught.value.repair.endswith(RESTORE)
    copy, aside = restore(folder.path)
    assert (copy.stem, numbers(folder)) == ("1970-01-01", [1])
    assert [one.name for one in aside][-2:] == (
        [] if how == "deleted" else ["sparing.db.aside-1"]
    ) + ["engine.db.aside-1"]


def test_without_a_copy_it_is_said_too(folder: StateFolder) -> None:
    (folder.path / "sparing.db").write_bytes(b"")
    with pytest.raises(StateError, match="are lost") as caught:
        folder.database()
    assert caught.value.repair.startswith("there is no backup; to start over: mv ")
    with pytest.raises(StateError, match=r"no intact backup to restore \(copies: none\)"):
        restore(folder.path)


def test_an_empty_file_in_a_new_folder_is_a_beginning(tmp_path: Path) -> None:
    """A process that died right after it had opened it."""
    made = open_folder(tmp_path, "key")
    (made.path / "sparing.db").write_bytes(b"")
    assert not is_lost(made.path)
    assert numbers(made) == []


def test_a_damaged_copy_is_passed_over(folder: StateFolder) -> None:
    copy_daily(folder.path, 0.0)
    copy_daily(folder.path, DAY)
    copies(folder.path)[0].write_bytes(b"half a copy")
    assert restore(folder.path)[0].stem == "1970-01-01"
    with pytest.raises(StateError, match="no intact backup of 1970-01-02"):
        restore(folder.path, "1970-01-02")


def test_a_copy_that_can_t_be_made_stops_nobody(folder: StateFolder) -> None:
    (folder.path / "copies").write_text("a file where the folder should be")
    assert copy_daily(folder.path, 0.0) is None


def test_a_deleted_text_is_told_as_that(folder: StateFolder) -> None:
    """I3"""
    digest = folder.keep("gone soon")
    folder.blob(digest).unlink()
    with pytest.raises(TextGone, match="a stored text is gone") as caught:
        folder.fetch(digest)
    assert "sparing rerun" in caught.value.repair
