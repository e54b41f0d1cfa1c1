"""Searching the web: who is sent out for it, with what, and only after a person agreed.

Covers: B3, B8
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.records import ledger
from sparing.records.folder import load_prompt
from sparing.records.ledger import LedgerRow
from sparing.turn_event import AgentAction
from tests.engine.played import Played, play

LOOKING = {"flow.assistants": ["codebase-explorer", "researcher"]}
AGREED = "the researcher may search the web\n"


def turns(played: Played) -> dict[str, LedgerRow]:
    with played.office().database.read() as connection:
        rows = ledger.of_feature(connection, played.key)
    return {row.attempt.role: row for row in rows}


def prompt_of(played: Played, role: str) -> str:
    found = turns(played)[role].attempt.prompt
    return "\n".join(one.text for one in load_prompt(played.office().folder, found))


@pytest.mark.parametrize(
    ("web", "yes"), [pytest.param("off", True, id="off"), pytest.param("both", False, id="unasked")]
)
def test_without_a_search_nobody_is_sent_out(tmp_path: Path, web: str, yes: bool) -> None:
    """B8: whether the setting is off or nobody was asked yet; and reviewers are told what they have
    instead."""
    played = play(tmp_path, "searching.toml", overrides=LOOKING)
    run = played.say("run", "1", SPARING_ROLES__WEB=web)
    assert run.code == 2, run.err
    assert ("nobody has agreed to web searches yet" in run.err) == (not yes)
    assert "researcher" not in turns(played)
    assert "codebase-explorer" in turns(played)


def test_the_researcher_gets_the_request_and_an_empty_folder(tmp_path: Path) -> None:
    """B3, B8: after a person agreed, once; no map, no document and no file of the repository."""
    web = {"SPARING_ROLES__WEB": "researcher"}
    played = play(tmp_path, "searching.toml", overrides=LOOKING)
    refused = played.say("trust", "--web", **web)
    assert refused.complaint == (
        "error: there is nobody to ask", "fix: sparing trust --web --yes",
    )  # fmt: skip
    assert played.say("trust", "--web", "--yes", **web).out == AGREED
    run = played.say("run", "1", **web)
    assert (run.code, "agreed" in run.err) == (2, False)

    told = prompt_of(played, "researcher")
    assert "Greet people" in told
    assert "# Sample" not in told
    for role in ("codebase-explorer", "researcher"):
        assert "repository-map" not in prompt_of(played, role)
    seen = [(one.what, one.text) for one in played.told() if one.text == "README.md"]
    assert (AgentAction.READ, "README.md") in seen
    assert (AgentAction.FAILED, "README.md") in seen
    assert "People greet each other" in prompt_of(played, "prd-author")

    assert played.say("trust", "--revoke").out.endswith("web searches are no longer allowed\n")
