"""The first hour in a real repository, at a terminal: only what the screen suggests is typed.

Covers: K1, K2, A6, E5
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

import pytest

from tests.first_hour import BRANCH, SCRIPT, TRANSCRIPTS, assert_it_goes_through, settings
from tests.repositories import git, make_repository
from tests.terminal import sparing
from tests.typed import Typed


def test_from_start_to_a_finished_branch(tmp_path: Path) -> None:
    """K2: a test that was red before is known and blocks nothing; nothing of a set-up is kept."""
    assert_it_goes_through(tmp_path, "make")


def test_the_first_page_shows_what_was_seen() -> None:
    """K4: every screen in docs/getting-started.md is part of a recorded run."""
    page = (TRANSCRIPTS.parent / "getting-started.md").read_text("utf-8")
    screens = re.findall(r"```console\n(.*?)\n```", page, re.DOTALL)
    seen = (TRANSCRIPTS / "make.txt").read_text("utf-8")
    assert len(screens) == 5
    assert [screen for screen in screens if screen not in seen] == []


MOODS = """import pathlib, sys
times = pathlib.Path(__file__).with_suffix(".times")
count = len(times.read_text()) if times.exists() else 0
times.write_text("x" * (count + 1))
if count:
    pathlib.Path(sys.argv[1]).write_text("")
sys.exit(0 if count else 1)
"""


def at_the_gate(repository: Path, environ: dict[str, str], editor: str) -> Typed:
    typed = Typed(repository, "run", "1", environ={**environ, "EDITOR": editor})
    typed.wait_for("[later]: ")
    return typed


def tried(typed: Typed, answer: str) -> str:
    typed.type(f"{answer}\n")
    return typed.wait_for("[later]: ")


@pytest.mark.long
def test_a_gate_where_things_go_wrong(tmp_path: Path) -> None:
    """A6, K1: an editor that fails, saves nothing or is missing; a key, an end of input, a closed
    window, an answer from elsewhere: said in two lines, nothing is lost, the gate waits."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "moods.py").write_text(MOODS)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    moody = at_the_gate(repository, environ, f"{sys.executable} {tmp_path / 'moods.py'}")
    assert "the editor ended with code 1; nothing is changed" in tried(moody, "edit")
    assert "plan.md was saved empty; nothing is changed" in tried(moody, "edit")
    assert "no feedback was given, so nothing is rejected" in tried(moody, "reject")
    assert "one of: approve, reject" in tried(moody, "perhaps")
    assert "r could be reject or read" in tried(moody, "r")
    moody.type("\x03")
    assert moody.end() == 130
    assert "nothing is lost" in moody.screen
    assert "answered elsewhere" not in moody.screen
    missing = at_the_gate(repository, environ, "/no/such/editor")
    assert "can't be started" in tried(missing, "edit")
    missing.type("\x04")
    assert missing.end() == 2
    assert "sparing run 001" in missing.screen
    assert "edited by a person" not in git(repository, "log", "--format=%s", BRANCH)
    last = at_the_gate(repository, environ, "true")
    assert sparing(repository, "approve", "1").code == 0
    last.wait_for("answered elsewhere")
    last.wait_for("[later]: ")
    last.close()
    last.process.wait(120)
    shown = sparing(repository, "status", "--json").json["features"][0]
    assert (shown["stage"], shown["position"], shown["running"]) == ("done", "gate", False)


SLOW = SCRIPT.replace('reply = """The plan', 'delay_seconds = 5\nreply = """The plan')


CLOSED_SECONDS = 1.0


def close_lid(pid: int) -> None:
    """A process and all that it has started stand still, for a while; the clocks run on."""
    frozen = [pid]
    for number in frozen:
        for task in Path(f"/proc/{number}/task").glob("*/children"):
            frozen += map(int, task.read_text().split())
    for number in frozen:
        _tell(number, signal.SIGSTOP)
    time.sleep(CLOSED_SECONDS)
    for number in reversed(frozen):
        _tell(number, signal.SIGCONT)


def _tell(number: int, what: signal.Signals) -> None:
    """Some have ended by themselves meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(number, what)


@pytest.mark.long
def test_words_and_orders_while_it_runs(tmp_path: Path) -> None:
    """A6, D2: in the background, watched from here, paused, frozen in mid-turn as by a lid that is
    closed, told something, and on again: nothing is lost or done twice. A clock that is set back
    and sockets that are dead afterwards are not shown here; the latter are failed calls, which the
    tests of the client have.
    """
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SLOW)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    said = sparing(repository, "run", "1", "--detach", "--json", environ=environ)
    assert said.json["next_command"] == "sparing watch 001"
    watched = Typed(repository, "watch", "1")
    watched.wait_for("builder reads README.md")
    assert "after the current turn" in sparing(repository, "pause", "1").out
    close_lid(said.json["process"])
    watched.wait_for("sparing resume 001")
    assert watched.end() == 0, "nothing runs any more, so there is nothing to follow"
    for shown in ("builder reads README.md", "plan.md", "builder: $0.", "plan is paused by you"):
        assert shown in watched.screen
    assert sparing(repository, "say", "1", "use Redis").code == 0
    assert sparing(repository, "resume", "1").code == 0
    said = sparing(repository, "run", "1", "--yes", environ=environ)
    assert said.code == 0, said.err
    assert said.err.count("builder (") == 2
    assert "said (terminal): use Redis" in said.err
    assert heard(repository, "implement")
    assert not heard(repository, "done")


def heard(repository: Path, stage: str) -> bool:
    prompt = sparing(repository, "show", "prompt", "builder", "--stage", stage, "--json").json
    return any("use Redis" in block["text"] for block in prompt["blocks"])


def test_nothing_is_kept_that_nobody_could_work_on(tmp_path: Path) -> None:
    """K1: without an agent, a feature exists only if a person wants to keep it."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    environ = {"SPARING_STATE__FOLDER": str(tmp_path / "state"), "HOME": str(tmp_path)}
    for answer, listed in (("\n", "No features yet"), ("y\n", "001")):
        typed = Typed(path, "start", "Greet by name", "--tier", "L1", environ=environ)
        shown = typed.wait_for("keep it for later, until there is an agent? [y/N]: ")
        assert "agent     none: Claude Code is not" in shown
        free = "sparing start 'Greet by name' --tier L1 --backend claude-double"
        assert free in " ".join(shown.split())
        typed.type(answer)
        assert typed.end() == 0
        assert listed in sparing(path, "list", environ=environ).out


def test_a_stand_in_that_needs_the_missing_client_is_not_offered(tmp_path: Path) -> None:
    """K8: with `claude-double` set, the hint said to use `claude-double`."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    environ = {"SPARING_STATE__FOLDER": str(tmp_path / "state"), "HOME": str(tmp_path)}
    environ["SPARING_AGENT__BACKEND"] = "claude-double"
    said = sparing(path, "start", "Greet by name", "--dry-run", environ=environ)
    assert said.code == 0, said.err
    assert "agent     " in said.out + said.err
    assert "--backend claude-double" not in said.out + said.err


def test_a_repository_that_was_cloned_again_has_lost_its_features(tmp_path: Path) -> None:
    """K8: the records outlive the folder; two lines say so, where git would end in a traceback."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    environ = {"SPARING_STATE__FOLDER": str(tmp_path / "state"), **settings(tmp_path)}
    assert sparing(path, "start", "Greet", "--tier", "L1", environ=environ).code == 0
    assert sparing(path, "run", "1", environ=environ).code == 2
    rmtree(path)
    make_repository(path, {"README.md": "# another\n"})
    for words in (("run", "1"), ("approve", "1"), ("reject", "1", "no")):
        said = sparing(path, *words, environ=environ)
        assert said.code == 1, said.out
        first, second = said.err.strip().splitlines()[-2:]
        assert first.startswith("error: the last commit of feature 001, ")
        assert second == "fix: fetch it, or give the feature up: sparing abandon 001 --yes"
    assert sparing(path, "abandon", "1", "--yes", environ=environ).code == 0
