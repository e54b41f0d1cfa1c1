"""The double as a process of the program: it plays a script and is gone with its parent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparing.double.child import Child
from sparing.errors import StateError
from tests.double.serving import Client, ask

SCRIPT = '[[turn]]\nrole = "spec-reviewer"\nreply = "by the script"\n'
TURN = "# Your role: spec-reviewer\n# This turn: specify, iteration 1 of 3\n"
PARENT = """
import os, sys
from sparing.double.child import Child
child = Child()
print(child.url, flush=True)
os.kill(os.getpid(), 9)
"""
LIMIT_SECONDS = 120


def answers(client: Client) -> bool:
    try:
        return client.state()["requests"] >= 0
    except OSError:
        return False


def test_it_plays_the_script_and_keeps_a_log(tmp_path: Path) -> None:
    script, log = tmp_path / "script.toml", tmp_path / "log.jsonl"
    script.write_text(SCRIPT)
    child = Child(script, log)
    said = Client(child.url).send(ask(TURN)).json["content"]
    child.end()
    assert [block["text"] for block in said] == ["by the script"]
    assert '"bill"' in log.read_text()
    assert not answers(Client(child.url))


def test_a_killed_parent_leaves_none_behind() -> None:
    argv = (sys.executable, "-c", PARENT)
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=240)
    client, deadline = Client(done.stdout.strip()), time.monotonic() + LIMIT_SECONDS
    while answers(client):
        assert time.monotonic() < deadline, "it lives on"
        time.sleep(0.02)


def test_a_script_that_can_t_be_used_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"the playbook .*none\.toml can't be used"):
        Child(tmp_path / "none.toml")
