"""`change` and `run`: all edits or none, refusals that say what to correct, commands that end.

Covers: E7
"""

from __future__ import annotations

import hashlib
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.tool import ChangedFile
from sparing.workspace.tools.arguments import Edit, ToolMistake
from sparing.workspace.tools.edits import apply
from tests.workspace.toolsets import Tools, change, look, tools_at


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return tools_at(tmp_path)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_edits_of_several_files_in_one_call(tools: Tools) -> None:
    """E7: edits of one file follow each other; every change is known exactly."""
    tools.put("a.py", "one\ntwo\nthree\n")
    tools.put("log.md", "first")
    found = change(
        tools.turn(),
        {"path": "a.py", "find": "two", "replace": "2\n2b"},
        {"path": "./a.py", "find": "2b\nthree", "replace": "3"},
        {"path": "new/b.py", "create": "x\n"},
        {"path": "log.md", "append": "second\n"},
    )
    assert found.text == (
        "a.py: line 2, 1 lines became 2\na.py: line 3, 2 lines became 1\n"
        "new/b.py: created, 1 lines\nlog.md: added after line 1"
    )
    assert (tools.text("a.py"), tools.text("new/b.py")) == ("one\n2\n3\n", "x\n")
    assert tools.text("log.md") == "first\nsecond\n"
    assert found.changed == (
        ChangedFile("a.py", digest("one\ntwo\nthree\n"), digest("one\n2\n3\n")),
        ChangedFile("new/b.py", "", digest("x\n")),
        ChangedFile("log.md", digest("first"), digest("first\nsecond\n")),
    )


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"path": "a.py", "find": "x = 1", "replace": "y"}, "3 times, first in lines 1, 2, 3"),
        ({"path": "a.py", "find": "def look(b):", "replace": "y"}, "line 4: 'def look(a):'"),
        ({"path": "a.py", "find": "zzzzzzzzz", "replace": "y"}, "Look at the file, then copy"),
        ({"path": "none.py", "find": "x", "replace": "y"}, "no such file. To make one, use create"),
        ({"path": "a.py", "create": "all new"}, "exists. Use find and replace"),
        ({"path": "../a.py", "create": "x"}, "it leaves the folder"),
        ({"path": ".git/config", "append": "x"}, "git's own folder"),
        ({"path": "a.py", "find": "x", "create": "y"}, "exactly one of"),
        ({"path": "a.py", "find": "", "replace": "y"}, "exactly one of"),
        ({"path": "a.py", "find": "def look(a):", "replace": "def look(a):"}, "are equal"),
        ({"path": "a.py", "append": 7}, "every value is text"),
        ({"find": "x", "replace": "y"}, "names no path"),
        ("a.py", "is no object"),
        ({"path": "bin", "append": "x"}, "not text"),
    ],
)
def test_one_bad_edit_and_nothing_is_changed(tools: Tools, edit: object, words: str) -> None:
    """E7: and the model is told what to correct."""
    before = "x = 1\nx = 1\nx = 1\ndef look(a):\n"
    tools.put("a.py", before)
    tools.put("bin", b"\0\1")
    good = {"path": "a.py", "append": "fine\n"}
    found = change(tools.turn(), good, edit, good)
    assert (found.failed, found.changed, tools.text("a.py")) == (True, (), before)
    assert words in found.text


def test_a_file_is_written_anew_by_who_has_seen_it(tools: Tools) -> None:
    """E7: whole and as it is now, or has made it what it is."""
    tools.put("a.md", "one\ntwo\n")
    turn = tools.turn()
    look(turn, read=["a.md:1"])
    assert change(turn, {"path": "a.md", "create": "new\n"}).failed
    look(turn, read=["a.md"])
    assert change(turn, {"path": "a.md", "create": "new\n"}).text == "a.md: written anew, 1 lines"
    edit = {"path": "a.md", "find": "new", "replace": "newer"}
    assert not change(turn, edit).failed
    turn.keep("s1")
    later = tools.turn(session="s1")
    assert not change(later, {"path": "a.md", "create": "its own words\n"}).failed
    tools.put("a.md", "somebody else's words\n")
    assert change(later, {"path": "a.md", "create": "newest\n"}).failed
    tools.put("b.md", "one\ntwo\n")
    assert not change(later, {"path": "b.md", "find": "one", "replace": "1"}).failed
    assert change(later, {"path": "b.md", "create": "new\n"}).failed, "it knows one line of it"


def test_a_folder_in_the_way_takes_the_others_back(tools: Tools) -> None:
    """E7: a file where a folder would be needed is only found when it is written."""
    tools.put("a.py", "one\n")
    tools.put("Src/x.py", "x\n")
    found = change(
        tools.turn(),
        {"path": "a.py", "append": "x\n"},
        {"path": "new/b.py", "create": "x\n"},
        {"path": "src/y.py", "create": "x\n"},
        {"path": "last.py", "create": "x\n"},
    )
    assert (found.failed, found.changed, tools.text("a.py")) == (True, (), "one\n")
    assert sorted(one.name for one in tools.root.iterdir()) == ["Src", "a.py"]
    assert "clashes with 'Src'" in found.text


def test_lines_that_end_the_other_way(tools: Tools) -> None:
    """E7: a model never sees the carriage returns, and the file keeps them."""
    tools.put("dos.txt", "a\r\nb\r\nc")
    assert not change(
        tools.turn(),
        {"path": "dos.txt", "find": "a\nb", "replace": "a\nB\nb"},
        {"path": "dos.txt", "append": "d\n"},
    ).failed
    assert tools.text("dos.txt") == "a\r\nB\r\nb\r\nc\r\nd\r\n"


def test_readers_have_no_other_tool(tools: Tools) -> None:
    """H6"""
    reader = tools.turn(writes=False)
    assert [spec.name for spec in reader.specs] == ["look"]
    for name in ("change", "run", "Bash", ""):
        assert (
            reader.answer(name, {"command": "touch x"}).text
            == f"{name} is not for you in this turn."
        )
    reader.lists_all = True
    assert [spec.name for spec in reader.specs] == ["look", "change", "run"]
    assert reader.answer("run", {"command": "touch x"}).failed
    assert not list(tools.root.iterdir())


def test_commands(tools: Tools) -> None:
    """E7: exit code first, then what it printed; both streams in their order."""
    turn = tools.turn()
    found = turn.answer("run", {"command": "pwd; echo no >&2; exit 3", "seconds": 20})
    assert found.text == f"exit code 3\n{tools.root}\nno"
    assert (found.failed, found.command) == (True, "pwd; echo no >&2; exit 3")
    for given_ in ({}, {"command": " "}, {"command": "ls", "seconds": "x"}, {"command": 7}):
        assert turn.answer("run", given_).failed
    slow = turn.answer("run", {"command": "echo begun; sleep 60", "seconds": 1})
    assert slow.text == "stopped after 1 s\nbegun"


def test_long_output_keeps_its_end(tools: Tools) -> None:
    found = tools.turn().answer("run", {"command": "seq 1 50000; echo done"})
    assert found.text.startswith("exit code 0\n")
    assert found.text.endswith("\n50000\ndone")
    assert "lines left out" in found.text
    assert len(found.text) < 30_000


def test_a_command_ends_with_its_turn(tools: Tools) -> None:
    """G3: and none begins after it."""
    turn = tools.turn()
    found: list[str] = []

    def run() -> None:
        found.append(turn.answer("run", {"command": "touch begun; sleep 600"}).text)

    thread = threading.Thread(target=run)
    thread.start()
    limit = time.monotonic() + 240
    while not (tools.root / "begun").exists():
        assert time.monotonic() < limit
        time.sleep(0.01)
    turn.end()
    thread.join(240)
    assert found == ["exit code -9"]
    assert turn.answer("run", {"command": "true"}).text == "The turn is over."


@given(
    st.lists(st.sampled_from(["a", "b", "ab", "\n"]), max_size=12).map("".join),
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "ab", "a\n"]), st.text("ab\n", max_size=3)),
        max_size=4,
    ),
)
def test_an_edit_changes_what_it_names_alone(text: str, pairs: list[tuple[str, str]]) -> None:
    """E7: the property behind it: one occurrence, replaced, or nothing at all."""
    edits = [Edit("f", *pair) for pair in pairs]
    try:
        found = apply(edits, lambda _: text).texts.get("f", text)
    except ToolMistake:
        return
    expected = text
    for edit in edits:
        assert expected.count(edit.find) == 1
        expected = expected.replace(edit.find, edit.replace)
    assert found == expected
