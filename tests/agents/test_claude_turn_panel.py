"""Two verdicts in one turn through the real client. Covers: E10, C4, C14, G2."""

from __future__ import annotations

from pathlib import Path

from sparing.review.panel import PANEL_SCHEMA, Reviewer, read_panel
from sparing.review.verdict import SCHEMA
from tests.agents.backends import run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json
from tests.agents.test_claude_turn_wire import marks, reader

SPEC, PHASE = Reviewer("spec-reviewer"), Reviewer("phase-reviewer")
LOST: Json = {"severity": "blocker", "text": "the offline goal is lost", "quote": "- offline"}


def half(who: Reviewer, *findings: Json) -> Json:
    said = {"approved": not findings, "findings": list(findings), "summary": "read"}
    return {"reviewer": who.name, **said}


def says(*halves: Json) -> Json:
    return {"tool_use": [{"name": "StructuredOutput", "input": {"verdicts": list(halves)}}]}


def test_both_verdicts_come_back_in_the_panels_form(claude: ClaudeDouble, cwd: Path) -> None:
    """E10: the form is one more tool, the client checks it, and each half is read by itself."""
    backend = claude.planned(says(half(SPEC), half(PHASE, LOST)))
    reply = run(backend, reader(cwd, role="spec-reviewer+phase-reviewer", schema=PANEL_SCHEMA))
    reading = read_panel(reply.text, (SPEC, PHASE))
    assert [(one.role, one.approved) for one in reading.verdicts] == [
        (SPEC.name, True),
        (PHASE.name, False),
    ]
    tools = claude.requests()[-1]["request"]["tools"]
    assert tools[-1]["input_schema"] == PANEL_SCHEMA


def test_the_second_goes_on_in_the_panels_session_and_form(claude: ClaudeDouble, cwd: Path) -> None:
    """C4, E10: with the same form the transcript is read from cache; marks stay the client's."""
    ends = (says(half(SPEC), half(PHASE, LOST)), says(half(PHASE)), says(half(PHASE)))
    backend = claude.planned(*ends)
    first = run(backend, reader(cwd, schema=PANEL_SCHEMA))
    news = segments("You are still the phase-reviewer.")
    kept = run(
        backend,
        reader(cwd, id="d2", prompt=news, resume=first.session, fork=True, schema=PANEL_SCHEMA),
    )
    assert kept.calls[0].usage is not None
    assert kept.calls[0].usage.read > 0.9 * (first.context_tokens - first.usage.output)
    assert read_panel(kept.text, (PHASE,)).complaint == ""
    other = run(
        backend, reader(cwd, id="d3", prompt=news, resume=first.session, fork=True, schema=SCHEMA)
    )
    assert other.calls[0].usage is not None
    assert other.calls[0].usage.read == 0
    assert {len(marks(record["request"])) for record in claude.requests()} == {4}
