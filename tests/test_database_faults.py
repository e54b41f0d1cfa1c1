"""What goes wrong with the file of a database is said in two lines, and nothing is lost by it.

Covers: I3, K1
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.database import Database, open_database
from tests.disks import closed, on_a_small_disk, read_only_folder
from tests.notes import NOTES, add, complaint, make_notes, notes

WRITABLE = "make the folder writable, or set another one: SPARING_STATE__FOLDER=PATH"
SPACE = "free some space, then run the same command again"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_notes(tmp_path, "one", "two")


def test_a_lock_held_for_long(database: Database) -> None:
    def wait() -> None:
        with database.read() as connection:
            connection.execute("pragma busy_timeout = 1")
            connection.execute("begin immediate")

    with database.write():
        error = complaint(wait)
    assert "locked" in error.what
    assert "wait until it ends" in error.repair


def garbage(path: Path) -> None:
    path.write_bytes(b"no database, by far " * 500)


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def header_only(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


@pytest.mark.parametrize("spoil", [garbage, half, header_only])
def test_a_damaged_file(database: Database, spoil: Callable[[Path], None]) -> None:
    """I3: refused before anything is written; the repair is one command, and it works."""
    with database.read() as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    spoil(database.path)
    damaged = database.path.read_bytes()

    error = complaint(lambda: notes(open_database(database.path, NOTES)))

    assert error.what.startswith(f"the state in {database.path.parent} can't be used: ")
    folder = database.path.parent
    command = f"mv {folder} {folder}.damaged"
    assert error.repair == f"there is no backup; to start over, set the state aside: {command}"
    assert database.path.read_bytes() == damaged
    subprocess.run(command, shell=True, check=True)  # noqa: S602 - as the person would
    assert notes(open_database(database.path, NOTES)) == []


def test_a_folder_instead_of_the_file(tmp_path: Path) -> None:
    """I3"""
    path = tmp_path / "notes.db"
    path.mkdir()
    error = complaint(lambda: open_database(path, NOTES))
    assert error.repair == f"move this folder away, a file belongs there: {path}"


def test_a_file_instead_of_the_folder(tmp_path: Path) -> None:
    """I3"""
    (tmp_path / "state").write_text("mine")
    error = complaint(lambda: open_database(tmp_path / "state" / "notes.db", NOTES))
    assert error.what == f"the state in {tmp_path}/state can't be used: File exists"
    assert (tmp_path / "state").read_text() == "mine"


def test_a_folder_that_nobody_can_make() -> None:
    """I3"""
    error = complaint(lambda: open_database(Path("/proc/self/sparing/notes.db"), NOTES))
    assert "No such file or directory" in error.what


@pytest.mark.parametrize("begun", [False, True])
def test_a_folder_that_is_read_only(database: Database, begun: bool) -> None:
    """I3: nothing is changed, and with the right to write everything is as before."""
    with read_only_folder() as folder:
        path = folder / "notes.db"
        if begun:
            shutil.copyfile(database.path, path)
        with closed(folder):
            error = complaint(lambda: add(open_database(path, NOTES), "three"))
        folder.chmod(0o755)
        add(open_database(path, NOTES), "four")
        assert notes(Database(path))[-1] == "four"
        assert "three" not in notes(Database(path))
    assert error.repair == WRITABLE


def test_a_database_that_may_not_grow(database: Database) -> None:
    """I3: the transaction fails as a whole; what was there stays."""

    def grow() -> None:
        with database.write() as tx:
            pages = tx.execute("pragma page_count").fetchone()[0]
            tx.execute(f"pragma max_page_count = {pages}")
            tx.execute("insert into notes (text) values ('three')")
            tx.execute("insert into notes (text) values (?)", ("x" * 100_000,))

    error = complaint(grow)
    assert (error.what.rpartition(": ")[2], error.repair) == ("database or disk is full", SPACE)
    assert notes(database) == ["one", "two"]
    add(database, "four")
    assert notes(database) == ["one", "two", "four"]


FULL = f"""
import json
from sparing.database import open_database
from sparing.errors import StateError

database = open_database(folder / "notes.db", {NOTES!r})

def add(text):
    with database.write() as tx:
        tx.execute("insert into notes (text) values (?)", (text,))

add("one")
squeeze()
said = []
for number in range(20):
    try:
        add(f"{{number}} " + "x" * 50_000)
    except StateError as error:
        said.append((error.what, error.repair))
relieve()
add("last")
with database.read() as connection:
    kept = [text for (text,) in connection.execute("select text from notes order by n")]
    sound = connection.execute("pragma integrity_check").fetchone()[0]
print(json.dumps([said, kept[0], kept[-1], len(kept), sound]))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """I3: what was refused is not there, what was taken is, and with room it goes on."""
    done = on_a_small_disk(tmp_path, FULL)
    assert done.code == 0, done.err
    said, first, last, count, sound = json.loads(done.out)
    assert (first, last, count, sound) == ("one", "last", 22 - len(said), "ok")
    assert said
    expected = SPACE if done.real else "check the disk"
    assert all(expected in repair for _, repair in said)
