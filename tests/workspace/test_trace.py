"""What a set-up reads is seen by watching it, and what was seen decides when a person is asked.

Covers: H9
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.setup.input_files import differences, ingredients, recipe_at
from sparing.workspace.setup.run import Means, equip
from sparing.workspace.setup.setup_plan import Command, SetupPlan
from sparing.workspace.setup.trace import (
    UNSEEN,
    Traced,
    TraceKind,
    forget_times,
    read_calls,
    read_times,
    trace_kind,
)
from sparing.workspace.setup.traced_runs import learn, learned_from
from tests.repositories import make_repository, write_files
from tests.workspace.features import make_worktree
from tests.workspace.setup_ways import change_files

KNOWN = ("a.txt", "deep/b.txt", "link", 'odd "name\n.txt', "seen.txt")
SCRIPT = (
    "cat lists/all.txt; cat extra.conf; cd tools; . ./more.sh; test -e ../local/one;"
    " echo made > ../made; cat ../made; python3 -c 'open(\"../odd name.txt\")'"
)
FILES = {
    "tools/setup.sh": f"{SCRIPT}\n",
    "tools/more.sh": "true\n",
    "lists/all.txt": "a\n",
    "odd name.txt": "1\n",
    "package.json": "{}\n",
    "app.py": "A = 1\n",
}
COMMAND = "sh tools/setup.sh"


def calls(folder: Path, *lines: str) -> Traced:
    (folder / "calls.1").write_text("".join(f"{line}\n" for line in lines))
    return read_calls(folder, (Path("/wt"), Path("/sparing/work")), KNOWN)


def test_files_that_were_opened_count_and_others_do_not(tmp_path: Path) -> None:
    """H9: by any of the worktree's names, through a link, from any folder; not what was written,
    listed or only asked about, and nothing outside."""
    found = calls(
        tmp_path,
        'openat(AT_FDCWD</wt>, "a.txt", O_RDONLY|O_CLOEXEC) = 3</wt/a.txt>',
        'openat(AT_FDCWD</wt>, "/sparing/work/deep/b.txt", O_RDONLY) = 3</wt/deep/b.txt>',
        'openat(4</wt/deep>, "../link", O_RDONLY) = 3</wt/seen.txt>',
        'newfstatat(AT_FDCWD</wt>, "odd \\"name\\n.txt", {st_mode=S_IFREG|0644, ...}, 0) = 0',
        'openat(AT_FDCWD</wt>, "deep", O_RDONLY|O_DIRECTORY) = 3</wt/deep>',
        'openat(AT_FDCWD</etc>, "a.txt", O_RDONLY) = 3</etc/a.txt>',
        "a line that is none",
    )
    assert found == Traced(TraceKind.CALLS, ("a.txt", "deep/b.txt", "link", "seen.txt"))


def test_names_are_read_as_strace_writes_them(tmp_path: Path) -> None:
    line = 'openat(AT_FDCWD</wt>, "odd \\"name\\n.txt", O_RDONLY) = 3</wt/odd \\"name\\n.txt>'
    assert calls(tmp_path, line).read == ('odd "name\n.txt',)
    probe = 'access("\\303\\266.txt", F_OK) = -1 ENOENT (No such file or directory)'
    assert calls(tmp_path, probe).absent == ("ö.txt",)


def test_a_look_in_vain_is_kept_with_the_folder_it_was_made_from(tmp_path: Path) -> None:
    """H9: older calls do not say where they start; the process was seen there before."""
    gone = "-1 ENOENT (No such file or directory)"
    found = calls(
        tmp_path,
        f'access("setup.cfg", R_OK) = {gone}',
        'chdir("deep") = 0',
        f'readlink("x", 0x7ffe, 10) = {gone}',
        'chdir("nowhere") = -1 ENOENT (No such file or directory)',
        f'execve("./y", ["y"], 0x7ffe /* 8 vars */) = {gone}',
        f'openat(AT_FDCWD</wt>, "z", O_RDONLY) = {gone}',
        'openat(AT_FDCWD</wt>, "forbidden", O_RDONLY) = -1 EACCES (Permission denied)',
        f'stat("zz", 0x7ffe) = {gone}',
        f'openat(AT_FDCWD</wt>, "/etc/none", O_RDONLY) = {gone}',
    )
    assert found == Traced(TraceKind.CALLS, (), ("deep/x", "deep/y", "setup.cfg", "z", "zz"))


@given(st.binary(max_size=200))
def test_no_trace_breaks_its_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("trace")
    (folder / "calls.1").write_bytes(b'open("' + data + b'") = 3\n' + data)
    assert read_calls(folder, (Path("/wt"),), KNOWN).kind is TraceKind.CALLS


def test_times_of_access_say_what_was_read(tmp_path: Path) -> None:
    """H9: where nothing can be watched."""
    write_files(tmp_path, {"a.txt": "1", "b.txt": "2"})
    forget_times(tmp_path, ("a.txt", "b.txt", "gone.txt"))
    (tmp_path / "a.txt").read_text()
    assert read_times(tmp_path, ("a.txt", "b.txt", "gone.txt"), tmp_path / "probe") == Traced(
        TraceKind.TIMES, ("a.txt",)
    )
    assert not (tmp_path / "probe").exists()


def test_what_is_learned_adds_up_and_is_as_good_as_the_worst_look(tmp_path: Path) -> None:
    plan = SetupPlan((Command(("make",), "Makefile"),))
    assert learned_from(tmp_path) == {}
    learn(tmp_path, plan, Traced(TraceKind.CALLS, ("a",), ("b", "c"), ("d", "e")))
    both = learn(tmp_path, plan, Traced(TraceKind.TIMES, ("b", "d"), (), ("f",)))
    assert both == Traced(TraceKind.TIMES, ("a", "b", "d"), ("c",), ("e", "f"))
    assert learned_from(tmp_path) == {plan.digest: both}
    (tmp_path / "setup-reads.json").write_text('{"x": {"kind": "guess"}, "y": 3}')
    assert learned_from(tmp_path) == {}


def means(folder: Path) -> Means:
    for name in ("caches", "scratch"):
        (folder / name).mkdir(exist_ok=True)
    sandbox = CheckSandbox(folder / "scratch", folder / "sample" / ".git")
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    return Means(environ, folder / "caches", 60.0, sandbox, folder)


def watched(folder: Path, files: dict[str, str], command: str) -> Worktree:
    worktree = make_worktree(make_repository(folder / "sample", files))
    recipe = recipe_at(worktree.repository, worktree.tip(), (command,), ())
    (done,) = equip(worktree, recipe, means(folder)).done
    assert done.command == command
    return worktree


def changed(folder: Path, worktree: Worktree, base: str, change: dict[str, str]) -> set[str]:
    known = learned_from(folder)
    before = recipe_at(worktree.repository, base, (COMMAND,), (), known)
    head = change_files(worktree, change, f"s{len(change)}{min(change)}")
    now = recipe_at(worktree.repository, head, (COMMAND,), (), known)
    return set(differences(worktree.repository, before, now))


def test_a_script_is_watched_in_its_sandbox(tmp_path: Path) -> None:
    """H9: a person is asked about files that it read or looked for, whatever they are called,
    and not about others."""
    worktree = watched(tmp_path, FILES, COMMAND)
    (seen,) = learned_from(tmp_path).values()
    assert seen.read == ("lists/all.txt", "odd name.txt", "tools/more.sh", "tools/setup.sh")
    base = worktree.tip()
    assert changed(tmp_path, worktree, base, {"app.py": "A = 2\n"}) == set()
    assert seen.kind is trace_kind()
    if seen.kind is not TraceKind.CALLS:
        return  # without strace looks in vain are not seen, and all telling names count
    assert {"extra.conf", "local/one"} <= {*seen.absent}
    assert "made" not in seen.absent
    assert changed(tmp_path, worktree, base, {"package.json": '{"a": 1}'}) == set()
    assert changed(tmp_path, worktree, base, {"lists/all.txt": "b\n"}) == {"lists/all.txt"}
    told = {"lists/all.txt", "odd name.txt"}
    assert changed(tmp_path, worktree, base, {"odd name.txt": "2\n"}) == told
    assert "extra.conf" in changed(tmp_path, worktree, base, {"extra.conf": "x\n"})
    assert "local/one" in changed(tmp_path, worktree, base, {"local/one": "x\n"})
    # A new one of a telling name, in a folder that may have been listed.
    assert "GNUmakefile" in changed(tmp_path, worktree, base, {"GNUmakefile": "x:\n"})


def test_a_set_up_that_nobody_could_watch_depends_on_all_files(tmp_path: Path) -> None:
    """H9: of a package manager it is known what it reads; a script may read anything."""
    worktree = make_worktree(make_repository(tmp_path / "sample", FILES))
    files = Snapshot(worktree.repository, worktree.tip())
    script = SetupPlan((Command(tuple(shlex.split(COMMAND)), "a test"),))
    assert ingredients(script, files, UNSEEN) == frozenset(FILES)
    manager = SetupPlan((Command(("npm", "ci"), "a test"),))
    assert ingredients(manager, files, UNSEEN) == {"package.json"}
    assert ingredients(script, files, Traced()) < frozenset(FILES)


def test_a_command_that_fails_is_told_as_without_a_watch(tmp_path: Path) -> None:
    worktree = make_worktree(make_repository(tmp_path / "sample", FILES))
    recipe = recipe_at(worktree.repository, worktree.tip(), ("sh -c 'echo no; exit 3'",), ())
    with pytest.raises(Exception, match="set-up failed: sh -c 'echo no; exit 3': no"):
        equip(worktree, recipe, means(tmp_path))
    assert learned_from(tmp_path) == {}
    assert not list((tmp_path / "scratch").iterdir())
