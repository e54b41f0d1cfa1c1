"""A text of a team that was damaged in its database can be kept again. Covers: I3, I5."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.postgres import Server
from sparing.records.folder import StateFolder, TextGone
from tests.conftest import DATABASE

TEXT = "a prompt of some length"


def test_a_damaged_text_is_missed_until_it_is_kept_again(tmp_path: Path) -> None:
    """I3: the stage that is redone stores the same text."""
    folder = StateFolder(tmp_path, server=Server(DATABASE, "test_damaged_text"))
    digest = folder.keep(TEXT)
    assert folder.fetch(digest) == TEXT
    with folder.database().write() as tx:
        tx.execute("update blobs set data = ? where digest = ?", (b"a prompt", digest))
    with pytest.raises(TextGone):
        folder.fetch(digest)
    assert folder.keep(TEXT) == digest
    assert folder.fetch(digest) == TEXT
