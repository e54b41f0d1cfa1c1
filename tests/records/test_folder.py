"""The state folder: outside the repository, closed to others, texts named by their hash.

Covers: H1, I3
"""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparing.records.folder import RUN_AGAIN, StateFolder, TextGone, open_folder
from sparing.segment import Segment, Volatility
from tests.disks import closed, on_a_small_disk, read_only_folder
from tests.notes import complaint

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return open_folder(tmp_path / "state", "abc")


def blob(folder: StateFolder, digest: str) -> Path:
    (found,) = folder.path.rglob(digest)
    return found


@settings(deadline=None)
@given(text=ANY_TEXT)
@example(text="\ud800")
def test_a_text_comes_back_as_it_was_kept(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """I1: also one with halves of characters; its name is the hash that prompts know it by."""
    folder = open_folder(tmp_path_factory.mktemp("state"), "abc")
    digest = folder.keep(text)
    assert folder.fetch(digest) == text
    assert digest == Segment("any", text, Volatility.ROLE).digest


def test_keeping_twice_is_keeping_once(folder: StateFolder) -> None:
    """I1"""
    digest = folder.keep("a prompt")
    before = blob(folder, digest).stat()
    assert folder.keep("a prompt") == digest == hashlib.sha256(b"a prompt").hexdigest()
    assert blob(folder, digest).stat() == before


def test_threads_may_keep_the_same_text_at_once(folder: StateFolder) -> None:
    """I1: reviewers side by side often say the same."""
    texts = [f"text {number}" for number in range(100) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        digests = list(pool.map(folder.keep, texts))
    assert [folder.fetch(digest) for digest in digests] == texts
    files = [path for path in (folder.path / "blobs").rglob("*") if path.is_file()]
    assert len(files) == 100


def test_everything_is_closed_to_others(tmp_path: Path) -> None:
    """H1: whatever the process leaves open by default, and also where the folder was open."""
    (tmp_path / "state" / "abc").mkdir(parents=True)
    (tmp_path / "state" / "abc").chmod(0o777)
    before = os.umask(0)
    try:
        folder = open_folder(tmp_path / "state", "abc")
        folder.keep("a prompt")
        folder.database()
    finally:
        os.umask(before)
    paths = [folder.path, *folder.path.rglob("*")]
    assert len(paths) > 4
    for path in paths:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_text_that_was_cut_off_is_refused_and_can_be_kept_again(folder: StateFolder) -> None:
    """I3: the machine lost power before the file reached the disk. It is set aside, not lost, and
    from then on missed like one that was deleted."""
    digest = folder.keep("a prompt of some length")
    blob(folder, digest).write_bytes(b"a prompt")
    error = complaint(lambda: folder.fetch(digest))
    assert error.what == f"a stored text is damaged: {digest[:12]}"
    assert error.repair == RUN_AGAIN
    assert blob(folder, f"{digest}.damaged").read_bytes() == b"a prompt"
    with pytest.raises(TextGone):
        folder.fetch(digest)
    assert folder.keep("a prompt of some length") == digest
    assert folder.fetch(digest) == "a prompt of some length"


def test_a_text_that_is_not_there(folder: StateFolder) -> None:
    """I3"""
    error = complaint(lambda: folder.fetch("ab" * 32))
    assert error.what == f"a stored text is gone: {'ab' * 6}"


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    """I3"""
    (tmp_path / "state").write_text("mine")
    error = complaint(lambda: open_folder(tmp_path / "state", "abc"))
    assert error.what.startswith(f"the state folder {tmp_path}/state/abc can't be used: ")
    assert (tmp_path / "state").read_text() == "mine"


def test_a_folder_that_may_only_be_read() -> None:
    """I3"""
    with read_only_folder() as parent:
        open_folder(parent, "abc")
        (parent / "abc").chmod(0o755)
        with closed(parent):
            new = complaint(lambda: open_folder(parent, "new"))
            old = complaint(lambda: StateFolder(parent / "abc").keep("a prompt"))
    for error in (new, old):
        assert error.what.endswith("can't be used: Permission denied")
        assert error.repair.startswith("make it writable, or use another one: ")


FULL = """
import json
from sparing.errors import StateError
from sparing.records.folder import open_folder

state = open_folder(folder, "abc")
first = state.keep("first")
squeeze()
try:
    state.keep("second" * 10_000)
except StateError as error:
    said = [error.what, error.repair]
relieve()
left = [str(path) for path in (folder / "abc" / "blobs").rglob("*") if path.is_file()]
second = state.keep("second" * 10_000)
print(json.dumps([said, len(left), state.fetch(first), len(state.fetch(second))]))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """I3: two lines, no half of a text left behind, and with room it goes on."""
    done = on_a_small_disk(tmp_path, FULL)
    assert done.code == 0, done.err
    (what, repair), left, first, second = json.loads(done.out)
    assert (left, first, second) == (1, "first", 60_000)
    assert what.startswith(f"the state folder {tmp_path}/abc can't be used: ")
    if done.real:
        assert repair == "free some space, then run the same command again"
