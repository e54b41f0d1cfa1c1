"""A hint repairs while an engine runs beside the person who types, in a process of its own.

Covers: A3, K1, I1
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sparing.desk.gates import answers
from sparing.desk.gates.offers import offers
from sparing.errors import SparingError
from tests.engine.beside import beside, quicken, slow_play, until
from tests.engine.test_hints import repair, state, typed
from tests.terminal import Said

pytestmark = pytest.mark.long


def names_the_next_run(paused: Said) -> bool:
    """Where nothing runs any more, `resume` would be refused."""
    told, command = paused.out.splitlines()
    return "when it runs again, it pauses" in told and command.strip() == "sparing run 001"


def test_what_is_under_way_is_followed_paused_and_resumed(tmp_path: Path) -> None:
    """K1: every command that is named while it runs is one that an engine beside it allows."""
    played = slow_play(tmp_path)
    with beside(played, "run", "1", "--no-input"):
        until(lambda: played.row.running, "it runs")
        assert "sparing watch 001" in played.say("status").out
        assert "sparing watch 001" in played.say("show", "1").out
        assert played.say("show", "1", "--json").json["next_command"] == "sparing watch 001"
        assert repair(played.say("resume", "1")) == "sparing watch 001"
        for second in (("run", "1"), ("run", "--detach")):
            busy = played.say(*second)
            assert "are being run by another process" in busy.err
            assert repair(busy) == "see its progress: sparing status"
        assert "brainstorm is under way" in typed(played, "sparing status").out
        with beside(played, "watch", "001") as log:
            until(lambda: "builder" in log.read_text(), "what the agent does is shown")
        refused = played.say("record", "1", "run.cassette")
        assert repair(refused) == "pause it first: sparing pause 001"
        paused = typed(played, "sparing pause 001")
        assert paused.out.splitlines()[-1].strip() == "sparing resume 001"
        every = played.say("pause", "--all")
        assert "  sparing resume 001" in every.out
    assert all(names_the_next_run(played.say(*one)) for one in (("pause", "1"), ("pause", "--all")))
    quicken(played)
    played.say("run", "1")
    assert "paused" in played.say("status").out
    assert played.say("show", "1", "--json").json["next_command"] == "sparing resume 001"
    resumed = typed(played, "sparing resume 001")
    assert typed(played, resumed.out.splitlines()[-1].strip()).code == 2
    assert state(played) == ("brainstorm", "gate")
    assert played.say("record", "1", str(tmp_path / "run.cassette")).code == 0


def test_the_page_offers_what_can_be_typed(tmp_path: Path) -> None:
    """K1: each command that stands beside a button does the same in a terminal."""
    played = slow_play(tmp_path)
    with beside(played, "run", "1", "--no-input"):
        until(lambda: played.row.running, "it runs")
        offered = {
            one.verb: one.command for one in offers(played.office(), played.row, time.time())
        }
        assert offered == {
            "pause": "sparing pause 001",
            "say": 'sparing say 001 "…"',
            "raise": "sparing raise 001 --money 60",
            "abandon": "sparing abandon 001",
        }
        for verb in ("say", "raise", "pause"):
            assert typed(played, offered[verb]).code == 0, verb
        again = offers(played.office(), played.row, time.time())
        assert "sparing raise 001 --money 90" in {one.command for one in again}
        asked = typed(played, offered["abandon"])
        assert typed(played, repair(asked)).code == 0
    quicken(played)
    played.say("run", "1")
    assert state(played) == ("brainstorm", "abandoned")


def test_an_answer_while_another_feature_runs(tmp_path: Path) -> None:
    """K1, A3: the engine takes it up by itself, and what is named shows that; whoever answers what
    they no longer see is shown where it stands."""
    played = slow_play(tmp_path, "plan")
    assert played.say("run", "1").code == 2
    before = played.row
    other = tmp_path / "other"
    slow = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(other)}
    other.write_text('[[turn]]\nrole = "*"\ndelay_seconds = 3600\nreply = "x"\n')
    assert played.say("start", "Other", "--flow", "L1", **slow).code == 0
    with beside(played, "run", "2", "--no-input", **slow):
        until(lambda: played.say("show", "2", "--json").json["running"], "the other one runs")
        answered = played.say("approve", "1")
        assert "it continues now" in answered.out
        command = answered.out.splitlines()[-1].strip()
        assert command == "sparing watch 001"
        with beside(played, *command.split()[1:]) as log:
            until(lambda: "design_review" in log.read_text(), "what comes next is shown")
            until(lambda: "design_review waits" in log.read_text(), "and where it stops")
    with pytest.raises(SparingError, match="is now at design_review") as caught:
        answers.approve(played.office(), before, "terminal", time.time())
    assert caught.value.repair == "sparing show 001"
    assert "design_review waits for your approval" in typed(played, caught.value.repair).out


def test_a_run_in_the_background_is_followed(tmp_path: Path) -> None:
    """K1: the command that it names shows what it does, to the gate."""
    played = slow_play(tmp_path)
    quicken(played)
    begun = played.say("run", "1", "--detach")
    assert begun.code == 0, begun.err
    command = begun.out.splitlines()[-1].strip()
    assert command == "sparing watch 001"
    followed = typed(played, command)
    assert "nothing is running here" in followed.out
    assert "sparing approve 001" in followed.out
    assert state(played) == ("brainstorm", "gate")
