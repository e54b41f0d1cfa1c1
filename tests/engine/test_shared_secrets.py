"""A whole run: an agent has seen a value of a file of the user's, and writes it down encoded.

Covers: H5
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.engine.faked_checks import Played
from tests.repositories import git, write_files
from tests.terminal import sparing

VALUE = "-".join(("c0ffee", "5even", "7ables", "value"))
CODED = base64.b64encode(f"it is {VALUE}".encode()).decode()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("repository/.env", f"DB_PASSWORD={VALUE}\n"),
        ("home/.npmrc", f"//registry.example.org/:_authToken={VALUE}\n"),
        ("home/.config/pip/pip.conf", f"[global]\nindex-url = https://a:{VALUE}@example.org/\n"),
    ],
)
def test_it_is_neither_committed_nor_recorded(tmp_path: Path, path: str, text: str) -> None:
    """H5: of a file that is copied, and of a package manager's settings."""
    settings = {"sparing.toml": '[workspace]\ncopy = [".env"]\n', ".gitignore": ".env\n"}
    played = Played(tmp_path, settings, f"echo {CODED} > notes.txt; cat notes.txt")
    write_files(tmp_path, {"home/.keep": "", path: text})
    main = played.repository
    environ = {
        "HOME": str(tmp_path / "home"),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_FLOW__ASSISTANTS": "",
    }
    begun = sparing(
        played.repository, "start", "Note it", "--tier", "L1", "--json", environ=environ
    )
    assert begun.code == 0, begun.err
    said = sparing(main, "run", "--auto", environ=environ)
    assert "notes.txt, line 1: secret of this run" in said.err
    assert git(main, "log", "--all", "--oneline", "-S", CODED) == ""
    kept = [one for one in (tmp_path / "state").rglob("*") if "worktrees" not in one.parts]
    assert not [one for one in kept if one.is_file() and CODED[8:-4].encode() in one.read_bytes()]
