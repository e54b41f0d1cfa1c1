"""A second terminal, and a stand-in for the model: what the first lines say. Covers: K1, I2."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tests.first_hour import SCRIPT, settings
from tests.repositories import git, make_repository
from tests.terminal import sparing
from tests.typed import Typed


def test_a_second_run_shows_what_the_first_one_waits_for(tmp_path: Path) -> None:
    """K1, I2: nothing moves at a gate, so the watcher would stay empty until somebody answers."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    assert sparing(repository, "run", "1", "--no-input", environ=environ).code == 2
    folder = next(Path.home().glob(".local/state/sparing/*"))
    with (folder / "engine.lock").open("a+") as held:
        held.truncate(0)  # the number of the process that ran is left in it
        held.write(f"{os.getpid()}\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        second = Typed(repository, "run", "1", environ=environ)
        second.wait_for("watching it")
        second.wait_for("plan waits for your approval")
        second.wait_for("sparing approve 001")
        assert "nothing is running here" not in second.screen
        watcher = Typed(repository, "watch", "1", environ=environ)
        watcher.wait_for("sparing approve 001")
        watcher.type("\x03")
        assert watcher.end() == 130
        assert "no longer watching; the work continues" in watcher.screen
        assert "nothing is lost" not in watcher.screen  # nothing has been stopped
    assert second.end() == 0


def test_what_the_first_run_does_not_run_is_not_watched(tmp_path: Path) -> None:
    """K1, I2: a watcher of a feature that nobody begins would stay empty."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    folder = next(Path.home().glob(".local/state/sparing/*"))
    with (folder / "engine.lock").open("a+") as held:
        held.truncate(0)  # the number of the process that ran is left in it
        held.write(f"{os.getpid()}\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        for words in (("run", "1"), ("start", "Another", "--tier", "L1")):
            second = Typed(repository, *words, environ=environ)
            if words[0] == "start":
                second.wait_for("run now? [Y/n]")
                second.type("\n")
            number = "001" if words[0] == "run" else "002"
            second.wait_for("has to wait")
            second.wait_for(f"fix: once it has ended: sparing run {number}")
            assert second.end() == 1
            assert "watching it" not in second.screen
    assert sparing(repository, "run", "001", "--no-input", environ=environ).code == 2


def test_a_forecast_names_the_stand_in(tmp_path: Path) -> None:
    """K1: `claude-double` is not a scripted agent, and its user has no script."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    words = ("start", "Greet", "--tier", "L1", "--dry-run", "--backend", "claude-double")
    said = sparing(path, *words)
    assert "a stand-in for the model takes far less" in " ".join(said.out.split())
    assert "\nthe stages:\n  plan " in said.out


def test_one_model_is_named_once(tmp_path: Path) -> None:
    """K1: a flow whose classes of models are all the same one."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    words = ("start", "Greet", "--tier", "L3", "--dry-run", "--model", "claude-haiku-4-5")
    said = sparing(path, *words, environ={"SPARING_AGENT__BACKEND": "claude-double"})
    assert "  models    claude-haiku-4-5\n" in said.out


def test_a_detached_head_asks_for_a_branch(tmp_path: Path) -> None:
    """K1, A4: before anything is written; a wrong name is asked for again."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    git(path, "branch", "next")
    git(path, "switch", "--quiet", "--detach")
    person = Typed(path, "start", "Greet", "--tier", "L1", "--dry-run")
    person.wait_for("start from which branch [main]: ")
    person.type("nxt\r")
    person.wait_for("There is no branch 'nxt' here. There are: main, next.")
    person.type("next\r")
    assert person.end() == 0
    assert "HEAD is detached at" in person.screen
    assert "the feature starts from" not in person.screen


def test_the_branch_that_was_chosen_is_the_features_own(tmp_path: Path) -> None:
    """K1, A4: `run` and the merge use it, and no setting of the repository changes."""
    path, environ = make_repository(tmp_path / "r"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    git(path, "switch", "--quiet", "-c", "next")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "more")
    git(path, "switch", "--quiet", "--detach")
    person = Typed(path, "start", "Greet by name", "--tier", "L1", environ=environ)
    person.wait_for("start from which branch [main]: ")
    person.type("next\r")
    person.wait_for("run now?")
    person.type("n\r")
    assert person.end() == 0
    again = Typed(path, "run", "1", environ=environ)
    again.wait_for("[later]: ")
    again.type("later\r")
    assert again.end() == 2
    branch = git(path, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/feature/")
    assert git(path, "merge-base", branch, "next") == git(path, "rev-parse", "next")
    assert sparing(path, "config", "get", "workspace.base_branch").out.strip() == '""'


def test_an_engine_that_takes_any_feature_begins_it(tmp_path: Path) -> None:
    """K1, I2: behind a page with an engine nothing would ever begin it, for that never ends."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    page = Typed(repository, "serve", "--run", "--port", "0", "--no-open", environ=environ)
    page.wait_for("the link works once", 60)
    second = Typed(repository, "run", "1", environ=environ)
    second.wait_for("it was asked to begin 001; watching it", 60)
    second.wait_for("plan waits for your approval", 60)
    second.wait_for("sparing approve 001", 60)
    second.type("\x03")
    assert second.end(60) == 130
    page.type("\x03")
    assert page.end(60) == 0
