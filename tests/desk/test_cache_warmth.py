"""What waiting costs, where a person looks: in `status` and in `watch`.

Covers: E5
"""

from __future__ import annotations

import json
import re
import time

import pytest

from sparing.cli.main import main
from sparing.desk.money.cache_warmth import CacheWarmth, is_warm
from sparing.desk.office import Office
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.records import events, sessions
from sparing.records.features import FeatureRow
from sparing.session import Session
from tests.desk.standing import standing

PRICED = re.compile(
    r"the author's next turn: about \$(\d+\.\d+) until \d\d:\d\d,"
    r" then \$(\d+\.\d+) \(estimated\)"
)


def talked(office: Office, row: FeatureRow, ago: float, model: str = "claude-sonnet-5") -> None:
    """The stage's author has a session of 60,000 tokens, last used so many seconds ago."""
    stage = FlowState.load(row.place["state"]).stage
    role, last = FLOWS[row.feature.flow].stage(stage).author, time.time() - ago
    found = Session("s1", role, "scripted", model, 40_000, 60_000, 1, "c1", last, "", last, 500)
    with office.database.write() as tx:
        sessions.put(tx, row.feature.key, stage, found)


def shown(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str
) -> str:
    monkeypatch.chdir(office.repository.checkout)
    assert main(args) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", [["status"], ["watch", "--no-follow"]])
def test_a_gate_says_what_waiting_costs(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:  # fmt: skip
    """E5, K1: until when it is cheap, the price now and the price after; as at the gate."""
    row = standing(office, "at a gate")
    talked(office, row, ago=30)
    if command[0] == "watch":
        _tell_gate(office, row)
    found = PRICED.search(shown(office, monkeypatch, capsys, *command))
    assert found is not None
    now, later = map(float, found.groups())
    assert 0 < now < later


def test_what_watch_does_not_show_does_not_count_as_shown(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """K1: `--last 1` is the last line, whatever silent events came after it."""
    row = standing(office, "at a gate")
    _tell_gate(office, row)
    for number in range(3):
        with office.database.write() as tx:
            events.add(tx, events.Event(f"s{number}", row.feature.key, time.time(), "tier"))
    told = shown(office, monkeypatch, capsys, "watch", "1", "--no-follow", "--last", "1")
    assert "plan waits for your approval" in told


def _tell_gate(office: Office, row: FeatureRow) -> None:
    with office.database.write() as tx:
        events.add(tx, events.Event("k1", row.feature.key, time.time(), "gate", "plan"))


def test_for_programs(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """E5: the same as an object."""
    talked(office, standing(office, "at a gate"), ago=30)
    monkeypatch.chdir(office.repository.checkout)
    assert main(["status", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["waiting"]
    assert found["origin"] == "estimated"
    assert 0 < found["now_usd"] < found["after_usd"]
    assert found["warm_until"] > time.time()


def test_without_a_price_it_is_still_said_to_get_dearer(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """E5, E2: unknown is not zero."""
    talked(office, standing(office, "at a gate"), ago=30, model="nobody-knows-it")
    text = shown(office, monkeypatch, capsys, "status")
    assert re.search(r"the author.s next turn gets more expensive at \d\d:\d\d", text)
    assert "$" not in text


@pytest.mark.parametrize("name", ["under way", "done"])
def test_nothing_is_said_of_one_that_does_not_wait(office: Office, name: str) -> None:
    """E5"""
    row = standing(office, name)
    talked(office, row, ago=30)
    assert not is_warm(office, row, time.time())


def test_what_is_cold_costs_nothing_more(office: Office) -> None:
    """E5: five minutes after the last call; and one that was never asked."""
    row = standing(office, "at a gate")
    assert not is_warm(office, row, time.time())
    talked(office, row, ago=240)
    assert is_warm(office, row, time.time())
    assert not is_warm(office, row, time.time() + 61)


def test_words() -> None:
    """E5"""
    assert CacheWarmth(0.0, 100_000_000, 350_000_000).words("14:32") == (
        "the author's next turn: about $0.100 until 14:32, then $0.350 (estimated)"
    )
