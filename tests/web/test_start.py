"""Starting and continuing from the page: refused before anything is written. Covers: F8, G5"""

from __future__ import annotations

import pytest

from sparing.desk.features.view import open_rows
from sparing.desk.office import Office
from tests.desk.standing import standing
from tests.terminal import sparing
from tests.web.asking import Door

WHAT = "Codex is not installed"


@pytest.fixture
def without_codex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARING_AGENT__BACKEND", "codex")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


@pytest.mark.usefixtures("without_codex")
def test_a_start_without_its_agent_is_refused(office: Office, door: Door) -> None:
    """G5: as the terminal does it, in the same words; no feature is left behind."""
    form = {"title": "Greet by name", "flow": "L1"}
    answer = door.post(f"/r/{office.repository.key}/start", form)
    assert answer.status >= 400
    assert WHAT in answer.text
    assert "npm install -g @openai/codex" in answer.text
    assert open_rows(office) == []
    later = door.post(f"/r/{office.repository.key}/start", {**form, "run": False})
    assert (later.status, len(open_rows(office))) == (200, 1), "it is not begun yet"


def test_a_run_without_its_agent_is_refused(
    office: Office, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G5: of a feature that is there already, too."""
    row = standing(office, "not begun")
    home = f"/r/{office.repository.key}/f/{row.feature.id}"
    shown = door.get(f"/api{home}").json["shown"]
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("SPARING_AGENT__BACKEND", "codex")
    answer = door.post(f"{home}/run", {"shown": shown})
    assert answer.status >= 400
    assert WHAT in answer.text


@pytest.mark.usefixtures("without_codex")
def test_a_run_in_the_background_is_refused_here(office: Office) -> None:
    """G5, A6: not in a log that nobody reads."""
    where = office.repository.checkout
    standing(office, "not begun")
    said = sparing(where, "run", "--detach")
    what, fix, *_ = said.err.splitlines()
    assert (said.code, what) == (1, f"error: {WHAT}")
    assert fix.startswith("fix: npm install -g @openai/codex")
    assert not (office.folder.path / "run.log").exists()
