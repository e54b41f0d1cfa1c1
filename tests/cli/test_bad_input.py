"""A person's mistake gets two lines and an exit code; nothing is changed. Covers: K1, H1, I2."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.guard import Guard
from tests.repositories import git, make_repository
from tests.terminal import Said, sparing


def two_lines(said: Said, code: int) -> tuple[str, str]:
    """The mistake's two lines; anything else on the way to them is a failure."""
    assert (said.code, len(said.complaint)) == (code, 2), said
    what, repair = said.complaint
    assert what.startswith("error: ")
    assert repair.startswith("fix: ")
    return what.removeprefix("error: "), repair.removeprefix("fix: ")


def test_not_a_repository(tmp_path: Path) -> None:
    what, _ = two_lines(sparing(tmp_path, "start", "Add rate limiting"), 1)
    assert "not in a git repository" in what
    assert list(tmp_path.iterdir()) == []


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--template=")
    what, repair = two_lines(sparing(tmp_path, "start", "Add rate limiting"), 1)
    assert "no commit" in what
    assert "git commit" in repair


def test_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--template=")
    what, _ = two_lines(sparing(tmp_path, "start", "Add rate limiting"), 1)
    assert "bare" in what


def test_a_detached_head(tmp_path: Path, guard: Guard) -> None:
    path = make_repository(tmp_path)
    git(path, "checkout", "--quiet", "--detach")
    guard.watch(path)
    what, repair = two_lines(sparing(path, "start", "Add rate limiting"), 1)
    assert "detached" in what
    assert "git switch" in repair


def test_a_dirty_tree_is_no_mistake(user_repository: UserRepository) -> None:
    """The user's own work in progress is left alone; two lines say so."""
    said = sparing(user_repository(), "start", "Add rate limiting", "--json")
    assert (said.code, said.json["feature"]) == (0, "001")
    what, repair = said.complaint
    assert "uncommitted changes are left alone" in what
    assert "git commit" in repair


@pytest.mark.parametrize(
    "words", [("approve", "7"), ("show", "7"), ("reject", "7", "no"), ("run", "7")]
)
def test_an_unknown_feature(user_repository: UserRepository, words: tuple[str, ...]) -> None:
    what, repair = two_lines(sparing(user_repository(), *words), 1)
    assert what == "there is no feature '7' here"
    assert repair == "see them all: sparing list"


def test_an_answer_at_the_wrong_stage(user_repository: UserRepository) -> None:
    path = user_repository()
    sparing(path, "start", "Add rate limiting")
    assert two_lines(sparing(path, "approve", "1"), 1) == (
        "feature 001 has not begun",
        "sparing run 001",
    )


def test_a_second_run_of_one_feature(user_repository: UserRepository) -> None:
    """I2: it says who holds it."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting")
    folder = next(Path.home().glob(".local/state/sparing/*"))
    with (folder / "engine.lock").open("a+") as held:
        held.write("4242\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        what, repair = two_lines(sparing(path, "run", "1"), 1)
    assert "another process (id 4242)" in what
    assert repair == "once it has ended: sparing run 001"


def test_a_broken_settings_file(tmp_path: Path, guard: Guard) -> None:
    path = make_repository(tmp_path, {"sparing.toml": "[review]\ncapp = 2\n"})
    guard.watch(path)
    what, repair = two_lines(sparing(path, "status"), 1)
    assert "review.capp" in what
    assert "review.cap" in repair


def test_no_agent_is_set_up(user_repository: UserRepository) -> None:
    path = user_repository()
    sparing(path, "start", "Add rate limiting")
    what, repair = two_lines(sparing(path, "run", "1"), 1)
    assert what.startswith("Claude Code is not ")
    assert "make -C " in repair or "ANTHROPIC_API_KEY" in repair


def no_folder(folder: Path) -> None:
    """As root no mode helps: a file in the folder's place can't be written into either."""
    folder.write_text("not a folder\n")


def corrupt(folder: Path) -> None:
    for database in folder.glob("*/sparing.db"):
        database.write_bytes(b"garbage" * 1000)


@pytest.mark.parametrize(("spoil", "begun"), [(no_folder, False), (corrupt, True)])
def test_a_state_folder_that_can_not_be_used(
    user_repository: UserRepository, tmp_path: Path, spoil: Callable[[Path], None], begun: bool
) -> None:
    """I3"""
    path, folder = user_repository(), tmp_path / "state"
    if begun:
        sparing(path, "start", "Add rate limiting", environ={"SPARING_STATE__FOLDER": str(folder)})
    spoil(folder)
    what, _ = two_lines(sparing(path, "status", environ={"SPARING_STATE__FOLDER": str(folder)}), 1)
    assert "can't be used" in what


def test_a_disk_that_takes_no_more(user_repository: UserRepository) -> None:
    """I3: the write fails as a whole; once there is room the same command works."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting")
    what, _ = two_lines(sparing(path, "start", "Log slow queries", file_bytes=4096), 1)
    assert "can't be used" in what
    assert [f["id"] for f in sparing(path, "list", "--json").json["features"]] == ["001"]
    assert sparing(path, "start", "Log slow queries", "--json").json["feature"] == "002"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("fly",), "no such command 'fly'"),
        (("start",), "missing argument 'TITLE'"),
        (("start", "  "), "a feature is one sentence of at most 200 characters"),
        (("start", "x", "--flow", "L9"), "there is no flow 'L9'"),
        (("status", "--jsno"), "no such option '--jsno'"),
        (("abandon",), "missing argument 'FEATURE'"),
    ],
)
def test_words_that_make_no_sense(
    user_repository: UserRepository, words: tuple[str, ...], what: str
) -> None:
    said, _ = two_lines(sparing(user_repository(), *words), 64)
    assert said.startswith(what)


def test_a_slip_of_the_finger(tmp_path: Path) -> None:
    """K1: the command that was meant is named."""
    assert two_lines(sparing(tmp_path, "strat"), 64)[1].endswith("sparing start")


def test_a_mistake_as_json(tmp_path: Path) -> None:
    """K1: one object on stdout, also for an error."""
    said = sparing(tmp_path, "status", "--json")
    assert said.json["error"]["exit_code"] == said.code == 1


def test_keeping_a_demo_where_something_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    two_lines(sparing(tmp_path, "demo", "--keep", "."), 64)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_rejection_without_words(user_repository: UserRepository) -> None:
    """K1: nobody is there whom an editor could ask."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--json")
    said, repair = two_lines(sparing(path, "reject", "1"), 64)
    assert (said, repair) == ("missing argument 'FEEDBACK'", 'sparing reject 1 "say it here"')


@pytest.mark.parametrize("words", [("status",), ("list", "--json"), ("start", "Add a limit")])
def test_a_folder_that_is_gone(tmp_path: Path, words: tuple[str, ...]) -> None:
    """K1: as after `git worktree remove` in another terminal."""
    (tmp_path / "gone").mkdir()
    script = 'rmdir "$PWD" && exec "$0" -m sparing "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable, *words],
        cwd=tmp_path / "gone", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: the folder you are in no longer exists",
        "fix: cd to one that does",
    ]


def test_a_reader_that_has_seen_enough(user_repository: UserRepository) -> None:
    """K1: `sparing list --json | head` ends without a word."""
    path = user_repository()
    for number in range(3):
        assert sparing(path, "start", f"Add limit number {number}", "--json").code == 0
    script = '{ "$0" -m sparing list --json | head -c 1 >/dev/null; } 2>&1'
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {script}", sys.executable],
        cwd=path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


def test_a_start_that_only_looks_writes_nothing(tmp_path: Path) -> None:
    """K1: plan, price and the first prompt of a feature that does not exist afterwards."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    (tmp_path / "script.toml").write_text("")
    agent = {"SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml")}
    agent |= {"SPARING_STATE__FOLDER": str(tmp_path / "state")}
    words = ("start", "Greet", "--tier", "L1", "--dry-run", "--backend", "scripted")
    said = sparing(path, *words, "--model", "claude-haiku-4-5", environ=agent)
    assert said.code == 0, said.err
    assert not (tmp_path / "state").exists()
    for part in (
        "flow      L1: 3 stages",
        "claude-haiku-4-5 (standard)",
        "the first prompt, to builder on ",
    ):
        assert part in said.out
    assert "nothing was started or written" in said.out
    assert sparing(path, *words, "--json", environ=agent).json["flow"] == "L1"
    assert "No features yet" in sparing(path, "list").out


def test_who_works_is_said_for_one_feature(tmp_path: Path) -> None:
    """K1, G5: --backend and --model stay with the feature; run can say something else."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    (tmp_path / "script.toml").write_text("")
    agent = {"SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml")}
    begun = sparing(path, "start", "Greet", "--tier", "L1", "--backend", "scripted", environ=agent)
    assert begun.code == 0, begun.err
    assert "agent     scripted" in begun.out
    ahead = sparing(path, "run", "1", "--dry-run", environ=agent)
    assert "scripted, no login needed" in ahead.out
    bad = sparing(path, "run", "1", "--model", "no such model!", environ=agent)
    assert "models.strong" in bad.err


def test_a_screen_without_an_agent_says_what_can_be_done(tmp_path: Path) -> None:
    """K1: ways to log in or to install, the demo, a script."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    said = sparing(path, "start", "Greet", "--tier", "L1")
    assert "agent     none: Claude Code is not" in said.out
    assert "or see it all without an agent: sparing demo" in said.out
    assert "or try it here for free" in said.out


def test_nobody_is_told_to_add_all_of_a_folder(tmp_path: Path) -> None:
    """K8: a home folder is no repository, and must not become one by a copied line."""
    said = sparing(tmp_path, "status")
    assert "git add" not in said.err
    assert "sparing demo" in said.err


def test_a_group_of_commands_alone_names_them(tmp_path: Path) -> None:
    """K8: not the whole help in one line."""
    said = sparing(tmp_path, "config")
    assert said.err == (
        "error: sparing config needs one of: get, set, show\nfix: sparing config --help\n"
    )
