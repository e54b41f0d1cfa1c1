"""Nothing waits for ever: every call that could is found in the source, and has a limit.

What has none of its own stands in `WITHOUT`, with what ends it. A new one fails here.

Covers: I3
"""

from __future__ import annotations

import ast
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparing
from sparing.errors import RepositoryError
from sparing.workspace.git.lock import held

ROOT = Path(sparing.__file__).parent
PROCESSES = ("run", "check_output", "check_call", "call")
ENDLESS = ("wait", "communicate", "join", "result", "acquire", "poll")
"""Methods that wait for ever without a number."""
NETWORK = ("open_connection", "create_connection", "urlopen", "readuntil", "get_result", "waitpid")

WITHOUT = {
    "agents/process.py ended running.process.wait()": "the turn's own limit kills its group",
    "agents/process.py __aexit__ running.process.wait()": "after its group was killed",
    "agents/process.py _let_go process.wait()": "within asyncio.wait_for",
    "agents/scripted_player.py": "the turn's own limit ends the child's sandbox",
    "agents/tunnel.py": "within PATIENCE_SECONDS until a host answers; then the turn's own limit",
    "cli/gate/editor.py": "a person writes",
    "cli/run/detach.py": "asks whether it has ended, and does not wait",
    "cli/run/open_question.py": "of a task that has ended",
    "cli/run/serve.py": "a person ends it, with Ctrl-C",
    "double/__main__.py": "the model double alone: a person ends it",
    "double/child.py": "the model double alone: after it was told to end",
    "double/wire.py": "the model double alone: its client ends the line",
    "fleet/slots.py": "of a process that drains; it ends when what is under way has",
    "engine/leg.py": "each job ends by its turn's or check's limit",
    "runtime/signals.py": "within asyncio.wait_for",
    "web/site.py": "within asyncio.wait_for",
    "workspace/checks/run.py": "after its group was killed",
    "workspace/git/object_reader.py": "after it was killed",
    "workspace/git/runner.py start_git process.communicate()": "after its group was killed",
    "workspace/git/runner.py start_git process.wait()": "after its output has ended",
    "workspace/sandbox/entry.py": "of a child that only tries a mount and leaves",
    "workspace/sandbox/supervisor.py": "wakes four times a second; the lifeline ends it with us",
    "workspace/sandbox/name_lookup.py": "ends with the process it serves",
    "workspace/tools/command.py": "after its group was killed",
}


def endless_calls(source: str) -> Iterator[tuple[str, str]]:
    """The innermost function, and the call."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = {one.arg for one in node.keywords}
            owner, name = ast.unparse(node.func.value), node.func.attr
            process = owner == "subprocess" and name in PROCESSES and "timeout" not in given
            endless = name in ENDLESS and not node.args and "timeout" not in given
            network = name in NETWORK and "timeout" not in given
            lock = name == "flock" and "LOCK_NB" not in ast.unparse(node)
            if process or (endless and not owner.startswith(("'", "os.path"))) or network or lock:
                yield function, f"{owner}.{name}()"
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    return walk(ast.parse(source), "-")


def test_every_wait_has_a_limit_or_something_that_ends_it() -> None:
    """I3: a table of all of them; what is listed and gone fails too."""
    found = {
        f"{file.relative_to(ROOT).as_posix()} {function} {call}"
        for file in ROOT.rglob("*.py")
        for function, call in endless_calls(file.read_text("utf-8"))
    }
    unknown = {one for one in found if not any(one.startswith(known) for known in WITHOUT)}
    assert unknown == set()
    assert [one for one in WITHOUT if not any(each.startswith(one) for each in found)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("subprocess.run(x)", 1),
        ("subprocess.run(x, timeout=3)", 0),
        ("process.wait()", 1),
        ("process.wait(3)", 0),
        ("thread.join(timeout=3)", 0),
        ("', '.join(words)", 0),
        ("fcntl.flock(f, fcntl.LOCK_EX)", 1),
        ("fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)", 0),
        ("os.waitpid(p, 0)", 1),
    ],
)
def test_a_wait_is_seen(source: str, found: int) -> None:
    assert len([*endless_calls(source)]) == found


def test_a_lock_that_is_never_let_go_of_is_two_lines(tmp_path: Path) -> None:
    """I3: who waited says what is held and how to find out by whom."""
    path = tmp_path / "lock"
    with held(path), pytest.raises(RepositoryError) as refused, held(path, limit_seconds=0.05):
        raise AssertionError("held twice")
    assert refused.value.what == f"{path} has been held by another process for 0.05 s"
    assert refused.value.repair.startswith(f"fuser -v {path}")


def test_a_lock_is_had_as_soon_as_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    file = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    done = threading.Event()

    def wait() -> None:
        with held(path):
            done.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not done.wait(0.05)
    os.close(file)
    assert done.wait(60)
    thread.join(60)
