"""An environment is made once for all worktrees that would be set up alike, and given as copies.

Covers: H9
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sparing.workspace.checks.installed_packages import is_sealed, kept_for, tools_of
from sparing.workspace.checks.live_output import running_commands
from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.setup.environments import (
    UNUSED_SECONDS,
    Conditions,
    Environments,
    contents,
    environment_name,
)
from sparing.workspace.setup.input_files import recipe_at
from sparing.workspace.setup.run import Means, equip, while_copying
from tests.repositories import make_repository, write_files
from tests.workspace.setup_ways import change_files

FILES = {"list.txt": "one\n", "app.py": "A = 1\n", ".gitignore": ".venv\n"}
COMMAND = "sh -c 'mkdir -p .venv/bin; cp list.txt .venv/bin/tool; echo run >> $PIP_CACHE_DIR'"


class Ground:
    """A repository whose set-up counts how often it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = find_repository(make_repository(folder / "sample", FILES))
        self.base = self.worktree("base").tip()
        for name in ("caches", "scratch"):
            (folder / name).mkdir(exist_ok=True)

    def worktree(self, name: str) -> Worktree:
        git = self.repository.git()
        commit = git.run("rev-parse", "HEAD").decode().strip()
        path = self.folder / "worktrees" / name
        return ensure_worktree(self.repository, path, f"feature/{name}", commit)

    def equip(self, worktree: Worktree, commit: str = "", lent: tuple[str, ...] = ()) -> bool:
        """Whether commands had to run."""
        recipe = recipe_at(self.repository, commit or self.base, (COMMAND,), ())
        return bool(equip(worktree, recipe, self.means, prepare=lambda: lent).done)

    @property
    def means(self) -> Means:
        writable = (self.folder / "caches",)
        sandbox = CheckSandbox(self.folder / "scratch", self.repository.git_dir, writable=writable)
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        return Means(environ, self.folder / "caches", 60.0, sandbox, self.folder)

    @property
    def runs(self) -> int:
        return len((self.folder / "caches" / "pip").read_text().splitlines())


def tool(worktree: Worktree) -> Path:
    return worktree.path / ".venv" / "bin" / "tool"


def test_worktrees_that_are_set_up_alike_share_one_run(tmp_path: Path) -> None:
    """H9: each has a copy of its own; what is done to one reaches neither the other nor ours."""
    ground = Ground(tmp_path)
    one, two = ground.worktree("one"), ground.worktree("two")
    assert (ground.equip(one), ground.equip(two), ground.runs) == (True, False, 1)
    places = (tool(one), tool(two), tools_of(one.path) / "tool", tools_of(two.path) / "tool")
    assert [place.read_text() for place in places] == ["one\n"] * 4
    assert len({place.stat().st_ino for place in places}) == 3
    assert {place.stat().st_nlink for place in places} == {1}
    tool(one).write_text("changed\n")
    assert [place.read_text() for place in places[1:]] == ["one\n"] * 3
    assert kept_for(one.path) == kept_for(two.path)
    for worktree in (one, two):
        assert changed_paths(worktree, worktree.tip()) == ()


def test_other_ingredients_make_another_one_and_others_do_not(tmp_path: Path) -> None:
    """H9: what was read decides; a change of any other file builds nothing."""
    ground = Ground(tmp_path)
    one = ground.worktree("one")
    ground.equip(one)
    other = change_files(one, {"app.py": "A = 2\n"}, "s1")
    two = ground.worktree("two")
    assert not ground.equip(two, other)
    more = change_files(one, {"list.txt": "two\n"}, "s2")
    three = ground.worktree("three")
    assert ground.equip(three, more)
    assert tool(three).read_text() == "two\n"
    assert not ground.equip(ground.worktree("four"))
    assert ground.runs == 2


def test_files_that_are_lent_decide_too(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    one = ground.worktree("one")
    ground.equip(one, lent=(".env",))
    assert ground.equip(ground.worktree("two"))
    write_files(tmp_path, {"a": "1", "b": "2"})
    assert contents(tmp_path, ("a",)) != contents(tmp_path, ("b",))
    assert ground.runs == 2


def test_place_programs_and_sources_of_packages_decide(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    recipe = recipe_at(ground.repository, ground.base, ("python3 -m venv .venv",), ())
    tools = tmp_path / "bin"
    write_files(tools, {"python3": "1"})
    (tools / "python3").chmod(0o755)
    usual = Conditions(Path("/sparing/work"), str(tools))
    names = [environment_name(recipe, usual)]
    names += [
        environment_name(recipe, other)
        for other in (
            usual._replace(place=tmp_path),
            usual._replace(path="/nowhere"),
            usual._replace(lent=((".env", "1"),)),
            usual._replace(network="x"),
        )
    ]
    (tools / "python3").write_text("22")
    names.append(environment_name(recipe, usual))
    assert len({*names}) == len(names)


def test_two_at_once_build_one(tmp_path: Path) -> None:
    """H9: lanes begin together."""
    ground = Ground(tmp_path)
    lanes = [ground.worktree(name) for name in ("one", "two", "three")]
    with ThreadPoolExecutor(len(lanes)) as pool:
        ran = sorted(pool.map(ground.equip, lanes))
    assert (ran, ground.runs) == ([False, False, True], 1)
    assert all(tool(lane).read_text() == "one\n" for lane in lanes)


def test_whoever_waited_for_too_long_builds_it_too(tmp_path: Path) -> None:
    """I3: a lock that nobody lets go of stops nothing."""
    store = Environments(tmp_path / "environments")
    with store.building("one", 0.0), store.building("one", 0.0):
        assert True


def test_whoever_waits_sees_that_packages_are_copied(tmp_path: Path) -> None:
    """K1: thousands of files take long, and nothing is printed meanwhile."""
    ground = Ground(tmp_path)
    worktree, scratch = ground.worktree("one"), ground.folder / "scratch"
    shown = while_copying(ground.means, worktree, lambda: [*running_commands(scratch)])
    assert [(one.name, one.command) for one in shown] == [("set-up", "copying installed packages")]
    assert [*running_commands(scratch)] == []


def test_half_of_one_is_never_given(tmp_path: Path) -> None:
    """I1: after a kill while it was kept."""
    store = Environments(tmp_path / "environments")
    write_files(tmp_path, {"wt/.venv/x": "1", "environments/new-1-one/files/.venv/x": "half"})
    target = tmp_path / "target"
    target.mkdir()
    assert not store.give("one", target)
    store.keep("one", tmp_path / "wt", (".venv",))
    assert store.give("one", target)
    assert (target / ".venv/x").read_text() == "1"


def test_what_nobody_uses_is_taken_away(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    one = ground.worktree("one")
    ground.equip(one)
    store = Environments(tmp_path / "environments")
    (store.keep("unused", one.path, (".venv",)).parent / "used").touch()
    write_files(store.folder, {"new-7-x/files/y": "half"})
    now = (store.folder / "unused" / "used").stat().st_mtime
    store.prune(one.path.parent, now + UNUSED_SECONDS - 60)
    assert store.find("unused")
    os.utime(store.folder / "unused" / "used", (now, now))
    store.prune(one.path.parent, now + UNUSED_SECONDS + 60)
    assert not store.find("unused")
    assert not (store.folder / "new-7-x").exists()
    assert is_sealed(one.path)
    assert not ground.equip(ground.worktree("two"))
