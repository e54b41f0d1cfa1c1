"""Tools of our own on the real client: what it sends, what it carries, what stays outside.

Covers: B1, B5, C18, E7, H4, H5, H6
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from sparing.agents.backend import EVERY_MODEL, Access, AgentCall, AgentEvent, Launched, Needs
from sparing.agents.claude import OWN_READER_TOKENS, OWN_WRITER_TOKENS, ClaudeBackend
from sparing.agents.claude_options import ToolOffer
from sparing.agents.tool_check import ToolCheckPlace, check_tools
from sparing.failure import Failure
from sparing.redact import Redactor
from sparing.review.verdict import SCHEMA
from sparing.segment import CHARS_PER_TOKEN
from sparing.tool import OwnTools
from sparing.workspace.tools.command import Commands, Prepared
from sparing.workspace.tools.seen import SeenStore
from sparing.workspace.tools.toolset import ToolPlace, Toolset
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble, Json
from tests.agents.test_claude_turn_walls import behind_walls
from tests.agents.test_claude_turn_wire import marks
from tests.agents.walls import walls

OK: Json = {"text": "ok"}
SECRET = "correct-horse-battery-staple"
LOOK, CHANGE, RUN = "mcp__s__look", "mcp__s__change", "mcp__s__run"
VERDICT: Json = {"approved": True, "findings": [], "summary": "fine"}


def uses(*calls: tuple[str, Json]) -> Json:
    return {"tool_use": [{"name": name, "input": given} for name, given in calls]}


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


@pytest.fixture
def offer(tmp_path: Path, scratch: Path) -> ToolOffer:
    store = SeenStore(tmp_path / "seen")

    def make(asked: AgentCall) -> OwnTools:
        place = ToolPlace(
            root=asked.cwd.resolve(),
            listing=lambda: [one.name for one in asked.cwd.iterdir()],
            redactor=Redactor([SECRET]),
            store=store,
            touched={},
        )

        def prepare(argv: Any) -> Prepared:
            launched: Launched = walls(asked.cwd, scratch)(argv, Needs())
            return launched

        writes = asked.access is Access.WORKTREE
        return Toolset(place, Commands(asked.cwd, prepare) if writes else None)

    return ToolOffer(make, readers=True, writers=frozenset({EVERY_MODEL}))


def reader(cwd: Path, **changes: Any) -> AgentCall:
    return call(cwd, **{"access": Access.READ_ONLY, **changes})


def results(claude: ClaudeDouble) -> list[str]:
    """Every tool result that the last request carries, in its order."""
    found: list[str] = []
    for message in claude.requests()[-1]["request"]["messages"]:
        content = message["content"]
        blocks = cast("list[Json]", content) if isinstance(content, list) else []
        for block in blocks:
            if block["type"] == "tool_result":
                said = block["content"]
                found.append(said if isinstance(said, str) else str(said[0]["text"]))
    return found


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
        AgentEvent("read", "a.py:2-3"),
        AgentEvent("read", "b.py:1-1"),
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
        assert (again.failure, again.files_read) == (None, ())
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


@behind_walls
def test_an_author_with_our_tools(
    claude: ClaudeDouble, cwd: Path, offer: ToolOffer, scratch: Path, tmp_path: Path
) -> None:
    """E7, H6: a whole turn: looks, changes all or nothing, runs in its sandbox, mends, answers."""
    (cwd / "a.py").write_text("print(1)\n")
    port = claude.double.url.rpartition(":")[2]
    probe = (
        f"python3 a.py; ls {claude.config}; touch {tmp_path}/made; env;"
        f" (echo > /dev/tcp/127.0.0.1/{port}) && echo reached; exit 3"
    )
    edits = [
        {"path": "a.py", "find": "print(1)", "replace": "print(2)"},
        {"path": "new/b.py", "create": "x = 1\n"},
    ]
    steps = (
        uses((CHANGE, {"edits": [*edits, {"path": "a.py", "find": "nowhere", "replace": "x"}]})),
        uses((CHANGE, {"edits": edits})),
        uses((RUN, {"command": probe, "seconds": 60})),
        uses((LOOK, {"read": ["a.py"]})),
        OK,
    )
    backend = claude.planned(*steps, tools=offer)
    reply = run(backend, call(cwd, launch=walls(cwd, scratch), limit_seconds=120))
    assert (reply.failure, reply.text) == (None, "ok")
    assert reply.files_written == ("a.py", "new/b.py")
    assert [bool(one.before) for one in reply.changed] == [True, False]
    refused, changed, ran, looked = results(claude)
    assert "Nothing was changed. Edit 3 of 3, a.py: the text to find does not stand" in refused
    assert changed == "a.py: line 1\nnew/b.py: created, 1 lines"
    assert ran.startswith("exit code 3\n2\n")
    for word in ("reached", "projects", "ANTHROPIC", "CLAUDE"):
        assert word not in ran
    assert looked.endswith("1\tprint(2)")
    assert not (tmp_path / "made").exists()
    assert not any(scratch.iterdir())


@behind_walls
def test_a_command_ends_with_the_turn(
    claude: ClaudeDouble, cwd: Path, offer: ToolOffer, scratch: Path
) -> None:
    """G3: the turn's time is up while it runs; nothing of it is left."""
    step = uses((RUN, {"command": "echo $$ > pid; sleep 600; touch late"}))
    backend = claude.planned(step, tools=offer)
    reply = run(backend, call(cwd, launch=walls(cwd, scratch), limit_seconds=6))
    assert reply.failure is Failure.TIMED_OUT
    assert (cwd / "pid").exists()
    assert not (cwd / "late").exists()
    assert not any(scratch.iterdir())


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


@behind_walls
def test_the_tool_check(
    claude: ClaudeDouble, offer: ToolOffer, tmp_path: Path, scratch: Path
) -> None:
    """E7: five tasks, judged by what stands on the disk; one that is done badly ends it."""
    ready = [
        uses((CHANGE, {"edits": [edit("settings.txt", "limit = 10", "limit = 12")]})),
        OK,
        uses((CHANGE, {"edits": [edit(f"{one}.txt", "old", "new") for one in "abc"]})),
        OK,
        uses((CHANGE, {"edits": [{"path": "notes/new.txt", "create": "first\nsecond"}]})),
        OK,
        uses((CHANGE, {"edits": [{"path": "../outside.txt", "append": "x\n"}]})),
        {"text": "refused"},
        uses((RUN, {"command": "sh check.sh"})),
        uses((CHANGE, {"edits": [edit("value.txt", "not yet", "ready")]})),
        uses((RUN, {"command": "sh check.sh"})),
        OK,
    ]
    backend = claude.planned(*ready, tools=offer)
    found = asyncio.run(check_tools(backend.run, check_place(tmp_path / "good", scratch)))
    assert [(item.name, item.good) for item in found.items] == [
        (f"T{n}", True) for n in range(1, 6)
    ]
    assert (found.reason, found.certain, found.usage) == ("", True, claude.bill())
    assert "exit code 1\nvalue.txt must say: ready" in claude.log.read_text().replace("\\n", "\n")

    sloppy = uses((CHANGE, {"edits": [edit("settings.txt", "end", "limit = 12")]}))
    backend = claude.planned(sloppy, OK, tools=offer)
    found = asyncio.run(check_tools(backend.run, check_place(tmp_path / "bad", scratch)))
    assert found.reason == "T1: one exact edit: not as asked in settings.txt"


def edit(path: str, find: str, replace: str) -> Json:
    return {"path": path, "find": find, "replace": replace}


def check_place(folder: Path, scratch: Path) -> ToolCheckPlace:
    folder.mkdir()
    return ToolCheckPlace(
        folder=folder,
        model="claude-sonnet-5",
        at=1000.0,
        launch=lambda worktree: walls(worktree, scratch),
        limit_seconds=60,
    )
