"""What the doctor says of every agent that could be used here. Covers: G1, C15."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.cli.setup.doctor_clients import client_findings, lever_words
from sparing.desk.office import Office, open_office
from sparing.records import resume_checks
from sparing.records.resume_checks import CheckRow
from sparing.usage import Origin, Usage
from tests.repositories import make_repository


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """With Claude Code and Codex on PATH and logged in; nothing is ever asked of them."""
    for name, version in (("claude", "2.1.325 (Claude Code)"), ("codex", "codex-cli 0.166.0")):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "for-a-test")
    monkeypatch.setenv("OPENAI_API_KEY", "for-a-test")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return open_office(make_repository(tmp_path / "repository"))


def told(office: Office, name: str, of: str) -> str:
    (found,) = [
        one.words for one in client_findings(office) if one.name == name and of in one.words
    ]
    return found


def test_each_has_its_levers_with_the_reason_of_those_that_are_off(office: Office) -> None:
    """G1: the one in use is told before them."""
    levers = [one.words for one in client_findings(office) if one.name == "levers"]
    assert not any(words.startswith("claude:") for words in levers)
    codex = told(office, "levers", "codex")
    assert codex.endswith(f": {lever_words(office, 'codex')}")
    assert "hour (the backend has one cache life for all entries)" in codex
    assert lever_words(office) == lever_words(office, "claude")


def test_what_was_checked_is_told_with_its_version_and_day(office: Office) -> None:
    """C15: what nobody has checked says so."""
    assert told(office, "checked", "codex 0.166.0").endswith("checked before it is relied on")
    items = (("V1", True, "an id came back"),)
    row = CheckRow(
        "codex", "0.166.0", 1_700_000_000.0, "gpt-5.5", "", 0.93, items, Usage(),
        Origin.MEASURED, 1.0, 10,
    )  # fmt: skip
    with office.database.write() as tx:
        resume_checks.put(tx, row)
    good = "codex 0.166.0: sessions can be resumed, 93 % read from cache (2023-11-1"
    assert told(office, "checked", "codex 0.166.0").startswith(good)
