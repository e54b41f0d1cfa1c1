"""A hint repairs where there is no room to begin: with room, the very command that is named begins.

Covers: I3, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.desk.features.engine_presence import engine_runs
from tests.engine.beside import beside, until
from tests.engine.played import Played, play
from tests.terminal import Said, sparing

NAMED = "fix: what was done is kept; make room or mount it writable, then: "
LITTLE_BYTES = 600_000
"""Enough for the records, too little for the room that a run keeps in reserve."""


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return play(tmp_path, "small_tier_l3.toml", "L3")


def without_room(played: Played, *words: str) -> Said:
    own = {"SPARING_STATE__FOLDER": str(played.folder / "state")}
    return sparing(played.repository, *words, environ=own, file_bytes=LITTLE_BYTES)


def test_a_run(played: Played) -> None:
    """I3"""
    assert without_room(played, "run", "1").complaint[-1] == f"{NAMED}sparing run"
    assert played.say("run").code == 2
    assert played.say("show", "1", "--json").json["position"] == "gate"


def test_a_page_that_runs_features(played: Played) -> None:
    """I3"""
    refused = without_room(played, "serve", "--run", "--port", "0")
    assert refused.complaint[-1] == f"{NAMED}sparing serve --run"
    with beside(played, "serve", "--run", "--port", "0") as log:
        until(lambda: "/login?token=" in log.read_text(), "the page")
        until(lambda: engine_runs(played.office()), "its engine")
