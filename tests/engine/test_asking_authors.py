"""Authors of the flow `feature` ask, are answered, and may decline a change with reasons.

Covers: F5, A6
"""

from __future__ import annotations

from pathlib import Path

from sparing.event import WarningEvent
from tests.engine.played import play

GATES = {"SPARING_FLOW__GATES": "design"}


def test_authors_ask_take_defaults_and_decline(tmp_path: Path) -> None:
    """F5, A6: a run that can ask nobody takes a default and records it, a question without one
    pauses; its answer, in the middle of a document, does not swallow the part that is left. An
    author that changes nothing after a rejection is heard in its words, and a person may agree."""
    played = play(tmp_path, "asking_authors.toml")
    assert played.say("run", "1", **GATES).code == 2
    told = [one.text for one in played.told() if isinstance(one.what, WarningEvent)]
    assert "it asks: In which language does it greet? Taken by default: in English" in told
    taken = "In which language does it greet? Taken by default: in English"
    assert f"it asked: {taken}" in played.say("show", "1").out
    shown = played.say("show", "1", "--json").json
    assert [one.get("assumed") for one in shown["notes"]] == [[taken], None]
    assert (shown["stage"], shown["cause"]) == ("design", "questions")
    assert shown["questions"] == ["One file or two?"]
    assert "question 1 has no default" in played.say("answer", "1", "--defaults").err
    assert played.say("answer", "1", "one").code == 0
    assert played.say("run", "1", **GATES).code == 2
    assert played.say("show", "1", "--json").json["position"] == "gate"
    assert "is read by people alone" in played.document("design.md")
    assert played.say("reject", "1", "it should be shorter").code == 0
    run = played.say("run", "1", **GATES)
    assert "design-author left no change and says: It can't be shorter" in run.err
    shown = played.say("show", "1", "--json").json
    assert (shown["cause"], shown["next_command"]) == ("declined", "sparing approve 001")
