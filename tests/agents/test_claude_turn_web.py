"""Searching the web with Claude Code: its provider searches, the client has no way out for it.

Covers: B8, E2, G2, H6
"""

from __future__ import annotations

from pathlib import Path

from sparing.agents.backend import Access, AgentEvent
from sparing.turn_event import AgentAction
from sparing.usage import Usage
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json

OK: Json = {"text": "ok"}
FOUND: Json = {"text": "Cursors stay right under inserts."}
QUERY = "cursor paging"


def search(query: str = QUERY) -> Json:
    return {"tool_use": [{"name": "WebSearch", "input": {"query": query}}]}


def offered(request: Json) -> list[str]:
    return [tool["name"] for tool in request["tools"]]


def test_a_search_is_the_providers_and_is_told_and_billed(claude: ClaudeDouble, cwd: Path) -> None:
    """B8, E2: no other tool, one request of the client's own to the model's address, and its tokens
    are in the bill although the client's sum leaves them out."""
    seen: list[AgentEvent] = []
    asked = call(cwd, access=Access.NOTHING, web=True, prompt=segments("Look it up."))
    reply = run(claude.planned(search(), FOUND, OK), asked, seen.append)

    first, searching, last = (record["request"] for record in claude.requests())
    assert offered(first) == offered(last) == ["WebSearch"]
    assert searching["tools"][0]["type"].startswith("web_search")
    assert QUERY in str(searching["messages"])
    assert AgentEvent(AgentAction.SEARCH, QUERY) in seen
    assert (reply.text, reply.searches) == ("ok", 1)
    assert reply.usage == claude.bill() != Usage()


def test_who_may_not_search_has_no_search(claude: ClaudeDouble, cwd: Path) -> None:
    """B8, H6: not offered, and refused if it is asked for all the same."""
    seen: list[AgentEvent] = []
    asked = call(cwd, access=Access.READ_ONLY, prompt=segments("Look it up."))
    reply = run(claude.planned(search(), OK), asked, seen.append)
    assert [offered(record["request"]) for record in claude.requests()] == [
        ["Glob", "Grep", "Read"]
    ] * 2
    assert reply.searches == 0
    assert AgentAction.SEARCH not in {one.kind for one in seen}


def test_reviewers_that_may_search_read_files_too(claude: ClaudeDouble, cwd: Path) -> None:
    """B8: the group's tools, and the search beside them."""
    run(claude.planned(OK), call(cwd, access=Access.READ_ONLY, web=True))
    (record,) = claude.requests()
    assert offered(record["request"]) == ["Glob", "Grep", "Read", "WebSearch"]
