"""The double works with the program's own tools as it works with a client's.

Covers: E7
"""

from __future__ import annotations

from typing import Any

from sparing.double.agent.tools import AgentTools, Wish, WishKind
from sparing.double.answer import ToolCall
from sparing.double.recognise import recognise
from sparing.double.request import ModelRequest, read_asked
from sparing.double.toolbox import CHANGE, LOOK, READ, FileEdit, Toolbox

Json = dict[str, Any]


def toolbox(*said: Json, tools: tuple[str, ...] = (LOOK, CHANGE)) -> Toolbox:
    asked = request(*said, tools=tools)
    return Toolbox(asked, recognise(asked))


def request(*said: Json, tools: tuple[str, ...]) -> ModelRequest:
    body: Json = {
        "model": "m",
        "max_tokens": 100,
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in tools],
        "messages": [{"role": "user", "content": "Read the file a.py."}, *said],
    }
    return read_asked(body)


def used(name: str, given: Json, result: str, failed: bool = False) -> tuple[Json, Json]:
    call = {"type": "tool_use", "id": "t1", "name": name, "input": given}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": result, "is_error": failed}
    return {"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}


def test_all_files_in_one_call() -> None:
    """E7"""
    assert toolbox().reads(["a.py", "b.py"]) == (ToolCall(LOOK, {"read": ["a.py", "b.py"]}),)
    said = "== a.py, 3 lines\n1\tone\n\n3\tthree\n\n== b.py: there is no such file."
    after = toolbox(*used(LOOK, {"read": ["a.py", "b.py"]}, said))
    assert after.reads(["a.py", "b.py"]) == ()
    assert (after.text_of("a.py"), after.text_of("b.py")) == (["one", "", "three"], None)
    assert after.lines_read() == [("a.py", 3)]


def test_a_search_beside_it_is_not_lost() -> None:
    given = {"read": ["a.py"], "search": ["x"]}
    said = "== a.py, 1 lines\n1\tx\n\n== search 'x': 1 lines in 1 files\na.py\n1\tx"
    first, second = toolbox(*used(LOOK, given, said)).done
    assert (first.name, first.path, second.input) == (READ, "a.py", {"search": ["x"]})


def test_all_edits_in_one_call() -> None:
    """E7: refused together they are tried again together, after a look."""
    edits = (FileEdit("a.py", text="x"), FileEdit("b.py", text="2", find="1"))
    (call,) = toolbox().changes(edits)
    wanted = [{"path": "a.py", "create": "x"}, {"path": "b.py", "find": "1", "replace": "2"}]
    assert call == ToolCall(CHANGE, {"edits": wanted})
    assert toolbox(*used(CHANGE, call.input, "fine")).changes(edits) == ()
    refused = used(CHANGE, call.input, "Nothing was changed.", failed=True)
    assert toolbox(*refused).changes(edits) == (ToolCall(LOOK, {"read": ["a.py", "b.py"]}),)


def test_a_reader_changes_nothing() -> None:
    assert toolbox(tools=(LOOK,)).changes([FileEdit("a.py", text="x")]) == ()
    assert toolbox(tools=(READ,)).changes([FileEdit("a.py", text="x")]) == ()
    assert toolbox(tools=(READ,)).reads(["a.py"]) == (ToolCall(READ, {"file_path": "a.py"}),)


def test_what_is_in_the_context_is_known() -> None:
    """C18: the answer says so, and the double finds it in an earlier turn."""
    shown = used(LOOK, {"read": ["a.py"]}, "== a.py, 1 lines\n1\tone")
    again = {"role": "user", "content": "Read the file a.py."}
    known = used(
        LOOK, {"read": ["a.py"]}, "== a.py, lines 1-1: unchanged, and already in your context."
    )
    tools = toolbox(*shown, {"role": "assistant", "content": "ok"}, again, *known)
    assert tools.text_of("a.py") == ["one"]


def test_a_drawn_agent_with_them() -> None:
    """E7: files four at a time, all edits of a step in one call, the list as an outline."""
    schema: Json = {
        "properties": {name: {"type": "array"} for name in ("read", "search", "outline")}
    }
    tools: list[Json] = [
        {"name": LOOK, "input_schema": schema},
        {"name": CHANGE, "input_schema": {"properties": {"edits": {"type": "array"}}}},
        {"name": "mcp__s__run", "input_schema": {"properties": {"command": {"type": "string"}}}},
    ]
    said = {"role": "user", "content": "hello"}
    asked = read_asked({"model": "m", "max_tokens": 9, "tools": tools, "messages": [said]})
    wishes = [
        Wish(WishKind.LIST, ""),
        *(Wish(WishKind.READ, f"{n}.py") for n in range(5)),
        Wish(WishKind.SEARCH, "word"),
        Wish(WishKind.WRITE, "new.py", new="x\n"),
        Wish(WishKind.EDIT, "a.py", "old", "new"),
        Wish(WishKind.RUN, "ls"),
    ]
    edits = [{"path": "new.py", "create": "x\n"}, {"path": "a.py", "find": "old", "replace": "new"}]
    assert AgentTools(asked, "").calls(wishes) == (
        ToolCall(LOOK, {"read": ["0.py", "1.py", "2.py", "3.py"]}),
        ToolCall(LOOK, {"read": ["4.py"]}),
        ToolCall(CHANGE, {"edits": edits}),
        ToolCall(LOOK, {"outline": ["**/*.py"]}),
        ToolCall(LOOK, {"search": ["word"]}),
        ToolCall("mcp__s__run", {"command": "ls"}),
    )
