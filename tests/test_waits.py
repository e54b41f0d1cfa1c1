"""Nothing waits for ever, and nothing long waits in silence.

Every call that could is found in the source, and has a limit; what has none of its own stands in
`WITHOUT`, with what ends it. Limits of more than half a minute stand in `LONG`, with what shows
meanwhile that it lives. A new one fails here.

Covers: I3
"""

from __future__ import annotations

import ast
import fcntl
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparing
from sparing.errors import RepositoryError
from sparing.wait import open_waits
from sparing.workspace.git.lock import held

ROOT = Path(sparing.__file__).parent
PROCESSES = ("run", "check_output", "check_call", "call")
ENDLESS = ("wait", "communicate", "join", "result", "acquire", "poll")
"""Methods that wait for ever without a number."""
NETWORK = ("open_connection", "create_connection", "urlopen", "readuntil", "get_result", "waitpid")
WAITS = frozenset({*PROCESSES, *ENDLESS, *NETWORK, "flock"})
MAY_WAIT = re.compile(rf"\.\s*(?:{'|'.join(sorted(WAITS))})\s*\(")
"""A file without it need not be parsed."""

WITHOUT = {
    "agents/acp/backend.py _converse stopped.wait()": "a task that ends with the turn",
    "agents/acp/backend.py _converse listening.result()": "of a task that has ended",
    "agents/acp/loopback_server.py _read": "within asyncio.timeout",
    "agents/acp/loopback_server.py _chunks": "within the timeout of _read, which alone calls it",
    "agents/process.py ended running.process.wait()": "the turn's own limit kills its group",
    "agents/process.py __aexit__ running.process.wait()": "after its group was killed",
    "agents/process.py _let_go process.wait()": "within asyncio.wait_for",
    "agents/scripted/player.py": "the turn's own limit ends the child's sandbox",
    "agents/tunnel.py": "within PATIENCE_SECONDS until a host answers; then the turn's own limit",
    "cli/gate/editor.py": "a person writes",
    "cli/run/detach.py": "asks whether it has ended, and does not wait",
    "cli/run/live_status.py": "of a task that has ended",
    "cli/run/open_question.py": "of a task that has ended",
    "cli/run/serve.py": "a person ends it, with Ctrl-C",
    "double/__main__.py": "the model double alone: a person ends it",
    "double/child.py": "the model double alone: after it was told to end",
    "double/wire.py": "the model double alone: its client ends the line",
    "fleet/slots.py": "of a process that drains; it ends when what is under way has",
    "engine/leg.py": "each job ends by its turn's or check's limit",
    "runtime/signals.py": "within asyncio.wait_for",
    "web/site.py": "within asyncio.wait_for",
    "workspace/git/object_reader.py": "after it was killed",
    "workspace/checks/running_commands.py end self.process.wait()": "after its group was killed",
    "workspace/git/process.py end process.communicate()": "after its group was killed",
    "workspace/git/runner.py start_git process.wait()": "after its output has ended",
    "workspace/sandbox/entry.py": "of a child that only tries a mount and leaves",
    "workspace/sandbox/supervisor.py": "wakes four times a second; the lifeline ends it with us",
    "workspace/sandbox/service_relay.py": "ends with the check it serves",
    "workspace/sandbox/name_lookup.py": "ends with the process it serves",
    "workspace/tools/command.py": "after its group was killed",
}


TURN = "its turn is shown while it is under way"
WAIT = "entered in sparing.wait"
NOTE = "a check or a set-up is shown while it runs"
NONE = "nobody waits for it"
LONG_SECONDS = 30.0
LONG = {
    "agents/acp/homes.py LEFT_SECONDS": NONE,
    "agents/acp/loopback_server.py PATIENCE_SECONDS": TURN,
    "agents/acp/relay.py PATIENCE_SECONDS": TURN,
    "agents/api/failures.py LONGEST_WAIT_SECONDS": NONE,
    "agents/api/models.py READ_SECONDS": TURN,
    "agents/claude/options.py OWN_TOOL_SECONDS": TURN,
    "agents/claude/stream.py LONGEST_WAIT_SECONDS": TURN,
    "caching/keep_alive.py LIMIT_SECONDS": TURN,
    "caching/primer.py LIMIT_SECONDS": TURN,
    "cli/run/live_status.py EVERY_SECONDS": "how often the others are shown",
    "cli/setup/doctor_tools.py LIMIT_SECONDS": WAIT,
    "clients/outage.py QUOTA_SECONDS": NONE,
    "clients/outage.py REPEATED_SECONDS": NONE,
    "double/api.py LATEST_SECONDS": NONE,
    "economy/resume_or_handoff.py DAY_SECONDS": NONE,
    "eval/coding.py TEST_SECONDS": NOTE,
    "fleet/presence.py CLOCK_SECONDS": NONE,
    "fleet/shared_refs.py LIMIT_SECONDS": WAIT,
    "postgres.py AGAIN_SECONDS": WAIT,
    "records/shared_spending.py MINUTE_SECONDS": WAIT,
    "runtime/signals.py SIBLING_PATIENCE_SECONDS": "the sibling's turn is shown",
    "runtime/surroundings.py COUNTED_SECONDS": NONE,
    "runtime/turn_history.py CACHE_SECONDS": NONE,
    "upstream/fetched_base.py LIMIT_SECONDS": WAIT,
    "web/app.py KEPT_SECONDS": NONE,
    "workspace/git/lock.py LIMIT_SECONDS": WAIT,
    "workspace/git/own_git.py PACK_SECONDS": WAIT,
    "workspace/git/push.py LIMIT_SECONDS": WAIT,
    "workspace/git/runner.py LOOK_SECONDS": WAIT,
    "workspace/setup/environments.py UNUSED_SECONDS": NONE,
    "workspace/tools/arguments.py DEFAULT_SECONDS": TURN,
    "workspace/tools/arguments.py MOST_SECONDS": TURN,
}


def long_limits(source: str) -> Iterator[str]:
    """Names of constants that are seconds, and many of them."""
    if "_SECONDS" not in source:
        return
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            pairs = [
                pair
                for target in node.targets
                for pair in (
                    zip(target.elts, node.value.elts, strict=True)
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                    else [(target, node.value)]
                )
            ]
            for name, value in pairs:
                if isinstance(name, ast.Name) and name.id.endswith("_SECONDS"):
                    found = eval(ast.unparse(value), {})
                    if isinstance(found, int | float) and found > LONG_SECONDS:
                        yield name.id


def endless_calls(source: str) -> Iterator[tuple[str, str]]:
    """The innermost function, and the call."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in WAITS:
            assert isinstance(node.func, ast.Attribute)
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

    return walk(ast.parse(source), "-") if MAY_WAIT.search(source) else iter(())


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


def test_every_long_wait_is_shown_while_it_lasts() -> None:
    """I3: a heartbeat of each; what is listed and gone fails too."""
    found = {
        f"{file.relative_to(ROOT).as_posix()} {name}"
        for file in ROOT.rglob("*.py")
        for name in long_limits(file.read_text("utf-8"))
    }
    assert found == set(LONG)


def test_a_long_limit_is_seen() -> None:
    source = "A_SECONDS, B_SECONDS = 2.0, 60.0\nC_SECONDS = 24 * 3600\nD = E_SECONDS = 60\n"
    assert [*long_limits(source)] == ["B_SECONDS", "C_SECONDS", "E_SECONDS"]


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
    assert refused.value.what == f"{path} has been locked by another process for 0.05 s"
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
    assert [one.what for one in open_waits()] == [f"waiting for {path}"]
    os.close(file)
    assert done.wait(240)
    thread.join(240)
    assert open_waits() == []
