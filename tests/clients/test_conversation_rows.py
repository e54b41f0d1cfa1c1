"""Sessions of providers as rows: kept whole, resumable by anybody, never written over.

Covers: C3, C8, G3
"""

from __future__ import annotations

import json
from pathlib import Path

from sparing.clients.conversation_rows import ConversationRows, Said
from sparing.records.folder import open_folder
from sparing.redact import Redactor

SECRET = "correct-horse-battery-staple"


def test_a_session_goes_on_wherever_its_rows_are(tmp_path: Path) -> None:
    """C3"""
    rows = ConversationRows(open_folder(tmp_path, "r"), "api-openai")
    assert rows.load("a") is None
    assert rows.save("a", "gpt-5.5", '["one"]', 1, 10.0)
    assert rows.save("a", "gpt-5.5", '["one","two"]', 2, 20.0)
    elsewhere = ConversationRows(open_folder(tmp_path, "r"), "api-openai")
    assert elsewhere.load("a") == Said('["one", "two"]', 2, "gpt-5.5")
    assert ConversationRows(open_folder(tmp_path, "r"), "api-google").load("a") is None


def test_a_session_that_has_gone_on_is_not_written_over(tmp_path: Path) -> None:
    """G3: two turns at once, on two machines: the second one loses."""
    rows = ConversationRows(open_folder(tmp_path, "r"), "api-openai")
    assert rows.save("a", "m", '["one"]', 1, 10.0)
    assert rows.save("a", "m", '["one","mine"]', 2, 20.0)
    assert not rows.save("a", "m", '["one","theirs"]', 2, 21.0)
    assert not rows.save("a", "m", '["new"]', 1, 22.0)
    found = rows.load("a")
    assert found is not None
    assert json.loads(found.text) == ["one", "mine"]


def test_a_text_that_is_gone_is_an_unknown_session(tmp_path: Path) -> None:
    """C8: and no secret is in what is kept."""
    folder = open_folder(tmp_path, "r", Redactor([SECRET]))
    rows = ConversationRows(folder, "api-openai")
    rows.save("a", "m", json.dumps([f"the word is {SECRET}"]), 1, 10.0)
    blobs = [path for path in (folder.path / "blobs").rglob("*") if path.is_file()]
    assert SECRET not in "".join(path.read_text() for path in blobs)
    for path in blobs:
        path.unlink()
    assert rows.load("a") is None
