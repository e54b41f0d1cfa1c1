"""Whatever is written down goes through the redactor first: rows, JSON in rows, kept texts.

Covers: H5
"""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sparing.connection import cleaned
from sparing.records import events, features
from sparing.records.events import Event
from sparing.records.folder import open_folder
from sparing.redact import Redactor
from tests.records.rows import feature_row

SECRET = "nQ7-" + "x8Vb2\"Lm'4"


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_known_value_is_in_no_byte_of_the_state_folder(tmp_path: Path) -> None:
    """H5: as it is, escaped as JSON has it, and broken over lines; tables, logs of them, blobs."""
    folder = open_folder(tmp_path, "abc", Redactor([SECRET]))
    database = folder.database()
    row = feature_row()
    broken = f"{SECRET[:6]}\n    {SECRET[6:]}"
    with database.watch(), database.write() as tx:
        features.create(tx, row)
        data = {"said": [SECRET, {SECRET: broken}], "n": 1}
        events.add(tx, Event("k", row.feature.key, 1.0, "ran", text=f"key {SECRET}", data=data))
        found = events.since(tx, 0)[0]
        told = folder.fetch(folder.keep(f"a reply with {SECRET} and {broken}"))
        kept = json.loads(folder.fetch(folder.keep_json([["turn", SECRET, 1]])))
        written = everything(tmp_path)
    assert found.text == "key [redacted]"
    assert found.data == {"said": ["[redacted]", {"[redacted]": "[redacted]"}], "n": 1}
    assert told == "a reply with [redacted] and [redacted]"
    assert kept == [["turn", "[redacted]", 1]]
    for spelling in (SECRET, json.dumps(SECRET)[1:-1], SECRET[:6] + "\n"):
        assert spelling.encode() not in written


@given(st.lists(st.text() | st.just("nabcdefgh"), max_size=3))
def test_json_stays_json(value: list[str]) -> None:
    """H5: a secret may begin with what ends an escape, like the n of a line break."""
    written = json.dumps(["\nabcdefgh", "\\nabcdefgh", *value])
    (text,) = cleaned(Redactor(["nabcdefgh"]), (written,))
    found: list[str] = json.loads(text)
    assert found[:2] == ["\nabcdefgh", "\\[redacted]"]
    assert not any("nabcdefgh" in one for one in found)


def test_parameters_by_name_and_without_secrets() -> None:
    redactor = Redactor([SECRET])
    assert cleaned(redactor, {"a": SECRET, "b": 1}) == {"a": "[redacted]", "b": 1}
    assert cleaned(None, (SECRET,)) == (SECRET,)
    assert cleaned(redactor, ()) == ()
