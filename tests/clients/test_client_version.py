"""A client that nobody tested, and one that is replaced while a feature runs. Covers: C15, G1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.clients.client_version import note_version
from sparing.records import events, features
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from tests.payment.spending import surroundings
from tests.records.rows import feature_row


class Machine:
    """With a Codex whose version a test sets; nothing is ever asked of it."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "bin" / "codex"
        self.program.parent.mkdir()
        self.around: Surroundings = surroundings(folder)
        self.row: FeatureRow = replace(
            feature_row(7, "Seven"), overrides={"agent.backend": "codex", "engine.clock": "counted"}
        )
        with self.around.database.write() as tx:
            features.create(tx, self.row)

    def install(self, version: str) -> None:
        new = self.program.with_name("new")
        new.write_text(f"#!/bin/sh\necho 'codex-cli {version}'\n")
        new.chmod(0o755)
        new.rename(self.program)

    def turn(self, at: float) -> str:
        """What a turn does about it; the version that it is started with."""
        around, backend = self.around, self.around.backend(self.row)
        note_version(around.database, around.versions, backend, self.row.feature.key, at)
        return str(getattr(backend, "version", ""))

    @property
    def told(self) -> list[str]:
        with self.around.database.read() as connection:
            found = events.since(connection, 0)
        return [one.text for one in found if one.kind == "warning"]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("OPENAI_API_KEY", "for-a-test")
    return Machine(tmp_path)


def test_the_tested_version_is_no_news(machine: Machine) -> None:
    machine.install("0.166.0")
    assert [machine.turn(1.0), machine.turn(2.0)] == ["0.166.0", "0.166.0"]
    assert machine.told == []


def test_an_untested_version_is_told_once(machine: Machine) -> None:
    """C15: also by another process in the same repository."""
    machine.install("0.170.0")
    machine.turn(1.0)
    machine.turn(2.0)
    machine.around.versions.clear()
    machine.turn(3.0)
    assert machine.told == [
        "Codex 0.170.0 has not been tested with Sparing (0.166.0 has); its sessions are checked "
        "before they are resumed"
    ]


def test_an_update_in_mid_run_is_noticed(machine: Machine) -> None:
    """G1, C15: the next turn has the new version, under which nothing is known of resume."""
    machine.install("0.170.0")
    machine.turn(1.0)
    machine.install("0.166.0")
    assert machine.turn(2.0) == "0.166.0"
    assert machine.told[1:] == [
        "Codex was updated while this ran, from 0.170.0 to 0.166.0; sessions are checked again "
        "before they are resumed"
    ]
    assert machine.turn(3.0) == "0.166.0"
    assert len(machine.told) == 2


def test_a_client_that_is_gone_in_mid_run_is_an_error_with_its_fix(machine: Machine) -> None:
    """G1: as at a start: nothing is sent to a program that is no longer there."""
    machine.install("0.166.0")
    machine.turn(1.0)
    machine.program.unlink()
    with pytest.raises(Exception, match="Codex is not installed"):
        machine.turn(2.0)
