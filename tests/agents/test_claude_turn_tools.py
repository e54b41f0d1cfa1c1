"""Tools of our own on the real client: what it sends, what it carries, what stays outside.

Covers: B1, B5, C18, E7, H4, H5, H6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.agents.backend import Access, AgentEvent
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.options import (
    LEAN_SHELL_TOKENS,
    OWN_READER_TOKENS,
    OWN_WRITER_TOKENS,
    WRITER_TOKENS,
)
from sparing.agents.own_tools import ToolOffer
from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from sparing.segment import CHARS_PER_TOKEN
from sparing.turn_event import AgentAction
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json
from tests.agents.own_tools import (
    CHANGE,
    LOOK,
    OK,
    RUN,
    SECRET,
    VERDICT,
    offer_in,
    reader,
    results,
    uses,
)
from tests.agents.test_claude_turn_wire import marks


@pytest.fixture
def offer(tmp_path: Path) -> ToolOffer:
    return offer_in(tmp_path)


def base_of(record: Json) -> int:
    """Tools and the client's own line, as the bill counts them: all but prompt and reminders."""
    request, bill = record["request"], record["bill"]
    said = [request["system"][1], *request["messages"][0]["content"]]
    said += [{"text": one["content"]} for one in request["messages"][1:]]
    sizes = (len(str(block.get("text"))) // CHARS_PER_TOKEN for block in said)
    return sum(bill.values()) - bill["output"] - sum(sizes)


def test_a_reader_s_request(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """E7, B1: `look` and the form alone, where it was five times as much."""
    backend = claude.planned(uses(("StructuredOutput", VERDICT)), tools=offer)
    prompt = segments("Hello.")
    assert run(backend, reader(cwd, schema=SCHEMA, prompt=prompt)).failure is None
    record = claude.requests()[0]
    assert [tool["name"] for tool in record["request"]["tools"]] == ["StructuredOutput", LOOK]
    assert marks(record["request"])[-1] == "5m"
    assert base_of(record) == pytest.approx(OWN_READER_TOKENS, rel=0.05)


def test_a_writer_s_request(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """E7: three tools, where they were thirteen times as much."""
    assert (
        run(claude.planned(OK, tools=offer), call(cwd, prompt=segments("Hello."))).failure is None
    )
    record = claude.requests()[0]
    assert [tool["name"] for tool in record["request"]["tools"]] == [CHANGE, LOOK, RUN]
    assert base_of(record) == pytest.approx(OWN_WRITER_TOKENS, rel=0.05)


def test_a_shell_that_does_not_say_how_to_commit(claude: ClaudeDouble, cwd: Path) -> None:
    """E6: the program commits; of the client's tools only the shell's description is shorter."""
    sent: list[Json] = []
    for access in (Access.WORKTREE, Access.LEAN_SHELL):
        asked = call(cwd, access=access, prompt=segments("Hello."))
        assert run(claude.planned(OK), asked).failure is None
        sent.append(claude.requests()[-1])
    stock, lean = ({one["name"]: one for one in record["request"]["tools"]} for record in sent)
    assert [name for name in lean if lean[name] != stock[name]] == ["Bash"]
    assert "# Committing changes" in stock["Bash"]["description"]
    assert "# Committing changes" not in lean["Bash"]["description"]
    assert [str(record["request"]["messages"]).count("Co-Authored-By") for record in sent] == [1, 0]
    assert base_of(sent[0]) == pytest.approx(WRITER_TOKENS, rel=0.05)
    assert base_of(sent[1]) == pytest.approx(LEAN_SHELL_TOKENS, rel=0.05)


def test_looking_is_known_exactly(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """E7, E2: which lines of which files, in the order of the calls; told as it happens."""
    (cwd / "a.py").write_text("one\ntwo\nthree\n")
    (cwd / "b.py").write_text("uno\n")
    step = uses((LOOK, {"read": ["a.py:2-3", "b.py", "none.py"], "search": ["^t"]}))
    seen: list[AgentEvent] = []
    reply = run(claude.planned(step, OK, tools=offer), reader(cwd), seen.append)
    assert (reply.failure, reply.text) == (None, "ok")
    assert reply.files_read == ("a.py", "b.py")
    assert [(one.path, one.first, one.last) for one in reply.opened] == [
        ("a.py", 2, 3),
        ("b.py", 1, 1),
    ]
    assert [event for event in seen if event.kind == "read"] == [
        AgentEvent(AgentAction.READ, "a.py:2-3"),
        AgentEvent(AgentAction.READ, "b.py:1-1"),
    ]
    (text,) = results(claude)
    assert text.startswith(
        "== a.py, lines 2-3 of 3\n2\ttwo\n3\tthree\n\n== b.py, 1 lines\n1\tuno\n"
    )
    assert "none.py: there is no such file" in text
    assert text.endswith("== search '^t': 2 lines in 1 files\na.py\n2\ttwo\n3\tthree")
    assert reply.usage == claude.bill()


def test_a_long_result_arrives_whole(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """E7: beyond 50,000 characters a client passes on a beginning, unless it is told otherwise."""
    lines = [f"{n} {'x' * 190}" for n in range(1, 491)]
    (cwd / "big.txt").write_text("\n".join(lines))
    step = uses((LOOK, {"read": ["big.txt:1-490"]}))
    assert run(claude.planned(step, OK, tools=offer), reader(cwd)).failure is None
    (text,) = results(claude)
    assert len(text) > 95_000
    assert text.endswith(lines[-1])


def test_resume_fork_schema_and_marks(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """C18, B5: the transcript is read from cache, and what it holds is not shown twice."""
    (cwd / "a.py").write_text("one\ntwo\n")
    looks = uses((LOOK, {"read": ["a.py"]}))
    says = uses(("StructuredOutput", VERDICT))
    backend = claude.planned(looks, says, looks, says, looks, says, tools=offer)
    first = run(backend, reader(cwd, schema=SCHEMA))
    assert (first.failure, first.files_read) == (None, ("a.py",))
    news = segments("Look again.")
    for number, fork in enumerate((True, False)):
        turn = reader(
            cwd, id=f"d{number}", prompt=news, resume=first.session, fork=fork, schema=SCHEMA
        )
        again = run(backend, turn)
        assert (again.failure, again.files_read, again.opened) == (None, ("a.py",), ())
        assert (again.session == first.session) is not fork
        assert "unchanged, and already in your context" in results(claude)[-1]
        assert again.calls[0].usage is not None
        assert again.calls[0].usage.read > 0.9 * (first.context_tokens - first.usage.output)
    assert {len(marks(record["request"])) for record in claude.requests()} == {4}


def test_a_ping_reads_the_same_and_does_nothing(
    claude: ClaudeDouble, cwd: Path, offer: ToolOffer
) -> None:
    """B6: the same tools stand before everything, and a model that uses one gets nothing."""
    (cwd / "a.py").write_text("one\n")
    backend = claude.planned(
        OK, uses((CHANGE, {"edits": [{"path": "x", "create": "y"}]})), tools=offer
    )
    first = run(backend, call(cwd))
    ping = run(backend, call(cwd, id="p", prompt=segments("ok?"), resume=first.session, ping=True))
    assert ping.usage.read > 0.9 * (first.context_tokens - first.usage.output)
    assert [one.name for one in cwd.iterdir()] == ["a.py"]


def test_no_escape_and_no_secret(
    claude: ClaudeDouble, cwd: Path, offer: ToolOffer, tmp_path: Path
) -> None:
    """H4, H5, H6: refused before it runs, and again where it would be opened."""
    (tmp_path / "outside.txt").write_text("the word is swordfish")
    (cwd / "link.txt").symlink_to(tmp_path / "outside.txt")
    (cwd / "a.env").write_text(f"TOKEN={SECRET}\nlast\n")
    step = uses(
        (LOOK, {"read": ["../outside.txt"]}),
        (LOOK, {"read": [f"{tmp_path}/outside.txt:1-2"]}),
        (LOOK, {"read": ["link.txt"]}),
        (LOOK, {"outline": ["/etc/passwd"]}),
        (CHANGE, {"edits": [{"path": "../outside.txt", "append": "x"}]}),
        (LOOK, {"read": [".git"]}),
        (LOOK, {"read": ["a.env"], "search": ["swordfish", SECRET[:12]]}),
    )
    seen: list[AgentEvent] = []
    reply = run(claude.planned(step, OK, tools=offer), call(cwd), seen.append)
    assert (reply.failure, reply.files_read, reply.files_written) == (None, ("a.env",), ())
    assert sum(event.kind == "denied" for event in seen) == 6
    said = claude.log.read_text()
    assert "the word is" not in said
    assert "root:" not in said
    assert SECRET not in said
    assert "TOKEN=[redacted]" in said
    assert (tmp_path / "outside.txt").read_text() == "the word is swordfish"


def test_no_other_tool(claude: ClaudeDouble, cwd: Path, offer: ToolOffer) -> None:
    """H6: neither the client's nor, for a reader, those that change something."""
    step = uses(("Bash", {"command": "touch made"}), (RUN, {"command": "touch made"}), ("Read", {}))
    reply = run(claude.planned(step, OK, tools=offer), reader(cwd, role="judge"))
    assert reply.failure is Failure.PERMISSION_DENIED
    assert list(cwd.iterdir()) == []


def test_the_client_s_tools_where_ours_are_not_wanted(
    claude: ClaudeDouble, cwd: Path, offer: ToolOffer
) -> None:
    """E7: writers by their model; readers and writers are groups of their own."""
    only = ToolOffer(offer.make, readers=True, writers=frozenset({"another-model"}))
    backend: ClaudeBackend = claude.planned(OK, OK)
    backend.offer(only)
    run(backend, call(cwd))
    assert "Bash" in {tool["name"] for tool in claude.requests()[-1]["request"]["tools"]}
    run(backend, reader(cwd))
    assert [tool["name"] for tool in claude.requests()[-1]["request"]["tools"]] == [LOOK]
    capable = backend.capabilities
    sizes = [
        capable.base_of(writes=True, model=one) for one in ("another-model", "claude-sonnet-5")
    ]
    assert sizes == [OWN_WRITER_TOKENS, 5_400]
