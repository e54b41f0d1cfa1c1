"""`sparing eval`, its plumbing: a scripted reviewer on trial. No model is asked.

Covers: E4
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.cli.main import main

SCRIPT = """
[[turn]]
task = "spec-1"
stage = "specify"
prompt = "72 hours"
reply = '''{"approved": false, "summary": "two", "findings": [
 {"severity": "blocker", "text": "AC2 says 72 hours, R2 says 7 days", "location": "AC2"},
 {"severity": "warning", "text": "Nobody says who pays for the mail"}]}'''

[[turn]]
reply = '{"approved": true, "findings": [], "summary": "well"}'
"""


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "script.toml").write_text(SCRIPT)
    monkeypatch.setenv("SPARING_AGENT__SCRIPT", str(tmp_path / "script.toml"))
    monkeypatch.setenv("SPARING_MODELS__STRONG", "claude-sonnet-5")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("scripted")
def test_recall_false_alarms_and_cost_in_three_orders(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """E4: the same reviewer is told in three ways; what it finds is counted by the key."""
    code = main(["eval", "--backend", "scripted", "--cases", "1", "--yes", "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (shown["looks_asked"], shown["looks_made"]) == (6, 6)
    rows = {row["order"]: row for row in shown["orders"]}
    assert list(rows) == ["seed", "nested", "resume"]
    for row in rows.values():
        assert (row["looks"], row["planted"], row["found"], row["false_alarms"]) == (2, 3, 1, 1)
        assert row["missed"] == ["vague refusal", "token kept"]
        assert row["by_kind"] == {"spec": {"found": 1, "planted": 3}}
        assert (row["origin"], row["cost_usd"] > 0) == ("simulated", True)


@pytest.mark.usefixtures("scripted")
def test_nothing_is_sent_before_somebody_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """E4, E3: the forecast and the cap are shown first."""
    args = ["eval", "--backend", "scripted", "--cases", "1", "--order", "nested", "--cap", "0.5"]
    assert main(args) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "2 reviews by scripted: about $" in told.err
    assert "at most $0.50" in told.err
    assert "fix: sparing eval --yes" in told.err


@pytest.mark.usefixtures("scripted")
def test_it_ends_when_the_cap_is_reached(capsys: pytest.CaptureFixture[str]) -> None:
    """E3: what was not looked at is not guessed."""
    args = ["eval", "--backend", "scripted", "--cases", "1", "--order", "seed"]
    assert main([*args, "--cap", "0.01", "--yes"]) == 1
    told = capsys.readouterr().out
    assert "ended early: 1 of 2 reviews were made" in told


@pytest.mark.usefixtures("scripted")
def test_a_trial_is_held_to_the_caps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """E3: each look is reserved in a ledger first; a turn that may not fit is not sent."""
    monkeypatch.setenv("SPARING_CAPS__DAY_TOKENS", "1000")
    args = ["eval", "--backend", "scripted", "--cases", "1", "--order", "nested", "--yes", "--json"]
    assert main(args) == 1
    told = capsys.readouterr()
    [row] = json.loads(told.out)["orders"]
    assert (row["looks"], row["looks_without_a_verdict"], row["cost_usd"]) == (2, 2, 0)
    assert "budget: tokens of day" in told.err
