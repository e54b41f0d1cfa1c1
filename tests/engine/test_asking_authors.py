"""Authors of the flow `feature` ask, are answered, and may decline a change with reasons.

Covers: F5, A6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.event import WarningEvent
from tests.engine.played import play
from tests.typed import Typed

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
    assert played.say("approve", "1").code == 0
    played.say("run", "1", **GATES)
    reply = "**Changes made:** none\n- design-author left no change and says: It can't be shorter"
    assert f"- it should be shorter\n\n{reply}" in played.document(".review-history.md")


@pytest.mark.parametrize(
    ("questions", "stage", "asked"),
    [
        ("ask", "specify", "In which language does it greet? (default: in English)"),
        ("defaults", "design", "One file or two?"),
    ],
)
def test_whoever_is_there_is_asked_unless_defaults_are_wanted(
    tmp_path: Path, questions: str, stage: str, asked: str
) -> None:
    """F5: at a terminal `flow.questions` decides; a question without a default pauses anyway."""
    played = play(tmp_path, "asking_authors.toml")
    own = {"SPARING_STATE__FOLDER": str(tmp_path / "state"), "SPARING_FLOW__QUESTIONS": questions}
    typed = Typed(played.repository, "run", "1", environ={**own, **GATES})
    typed.wait_for("[later]: ")
    typed.type("later\n")
    assert typed.end() == 2, typed.screen
    shown = played.say("show", "1", "--json").json
    assert (shown["stage"], shown["cause"]) == (stage, "questions")
    assert shown["questions"] == [asked]
    taken = "it asks: In which language does it greet? Taken by default: in English"
    assert (taken in [one.text for one in played.told()]) == (questions == "defaults")
