"""Authors with our own tools on the real client: they change, run and mend, in their sandbox.

Covers: E7, G3, H6
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sparing.agents.checks.tool_check import ToolCheckPlace, check_tools
from sparing.agents.own_tools import ToolOffer
from sparing.failure import Failure
from tests.agents.backends import call, run
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json
from tests.agents.own_tools import CHANGE, LOOK, OK, RUN, offer_in, results, uses
from tests.agents.sandboxed import sandboxed
from tests.agents.test_claude_turn_sandbox import behind_walls


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


@pytest.fixture
def offer(tmp_path: Path) -> ToolOffer:
    return offer_in(tmp_path)


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
    reply = run(backend, call(cwd, launch=sandboxed(cwd, scratch), limit_seconds=600))
    assert (reply.failure, reply.text) == (None, "ok")
    assert reply.files_written == ("a.py", "new/b.py")
    assert [bool(one.before) for one in reply.changed] == [True, False]
    refused, changed, ran, looked = results(claude)
    assert "Nothing was changed. Edit 3 of 3, a.py: the text to find is not there" in refused
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
    for limit in (6.0, 60.0, 400.0):  # until the client had time enough to start
        backend = claude.planned(step, tools=offer)
        reply = run(backend, call(cwd, launch=sandboxed(cwd, scratch), limit_seconds=limit))
        assert reply.failure is Failure.TIMED_OUT
        if (cwd / "pid").exists():
            break
    assert (cwd / "pid").exists()
    assert not (cwd / "late").exists()
    assert not any(scratch.iterdir())


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
        launch=lambda worktree: sandboxed(worktree, scratch),
        limit_seconds=600,
    )
