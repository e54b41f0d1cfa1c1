"""What an agent changes of its set-up runs only after a person has agreed to the difference.

The set-up's program is a stand-in on PATH that notes the whole folder it was started in: the base
commit's files have to be all it sees, whatever way an agent tries.

Covers: K2, H7
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.config.load import sources_here
from sparing.desk import control
from sparing.desk.history import events_since
from sparing.desk.office import Office, open_office
from sparing.desk.prospect import agree, prospect
from sparing.desk.setups import changed_setup, decide_setup
from sparing.engine.jobs import Job, JobKind
from sparing.engine.outfit import outfit
from sparing.engine.surroundings import Surroundings
from sparing.engine.tickets import Ticket
from sparing.records.features import FeatureRow
from sparing.workspace.ingredients import differences, recipe_at
from sparing.workspace.worktree import Worktree
from tests.repositories import make_repository, write_files
from tests.workspace.features import commit, make_worktree

AT = 1_767_225_600.0
MINE = "chosen by the agent\n"
PROGRAM = """#!/bin/sh
mkdir -p "$PIP_CACHE_DIR"
rm -rf "$PIP_CACHE_DIR/seen"
cp -a . "$PIP_CACHE_DIR/seen"
echo run >> "$PIP_CACHE_DIR/runs"
"""


def change_files(worktree: Worktree, files: Mapping[str, str], step: str) -> str:
    """An agent's change, committed. `-> x` makes a link, nothing at all removes."""
    for name, content in files.items():
        path = worktree.path / name
        path.unlink(missing_ok=True)
        if content.startswith("-> "):
            path.symlink_to(content.removeprefix("-> "))
        elif content:
            write_files(worktree.path, {name: content})
    made = commit(worktree, step=step)
    assert {one.path for one in made.files} == set(files)
    return made.commit


class Scene:
    """A repository after `sparing init`: its commands stand in sparing.toml."""

    def __init__(self, folder: Path, files: Mapping[str, str], *setup: str) -> None:
        listed = ", ".join(f"'{one}'" for one in setup)
        settings = {"sparing.toml": f"[workspace]\nsetup = [{listed}]\n"}
        path = make_repository(folder / "sample", {**settings, **files})
        tools = folder / "tools"
        tools.mkdir()
        for name in ("pip", "npm", "uv", "poetry", "pnpm", "cargo", "install-all"):
            (tools / name).write_text(PROGRAM)
            (tools / name).chmod(0o755)
        self.office: Office = open_office(path)
        self.row: FeatureRow = control.start(self.office, "Greet by name", "L1", {}, AT)
        self.around = Surroundings(
            self.office.folder, self.office.database, self.office.repository, sources_here(path),
            headless=True, environ={"PATH": f"{tools}:/usr/bin:/bin"},
        )  # fmt: skip
        self.worktree: Worktree = self.around.worktree(self.row, self.row.head)
        self.steps = 0
        agree(self.office, prospect(self.office).setup, agreed=True)

    @property
    def caches(self) -> Path:
        return self.office.folder.path / "caches" / "pip"

    def seen(self) -> str:
        """All that the set-up's program had before it, names and bytes."""
        root = self.caches / "seen"
        found = sorted(path for path in root.rglob("*") if path.name != ".git")
        return "\n".join(
            f"{path.relative_to(root)}\n{path.read_text() if path.is_file() else ''}"
            for path in found
        )

    def runs(self) -> int:
        return len((self.caches / "runs").read_text().splitlines())

    def opened(self) -> list[tuple[str, str]]:
        """What was told by now."""
        self.steps += 1
        job = Job(JobKind.OPEN, "plan", self.row.head, "open")
        ticket = Ticket(
            f"{self.row.feature.key}.g0.0.{self.steps}.0-open", self.row.feature.key, AT
        )
        outfit(self.around, self.row, self.worktree, ticket, job)
        return [(one.kind, one.text) for one in events_since(self.office, 0)]

    def work(self, files: Mapping[str, str]) -> None:
        self.steps += 1
        made = change_files(self.worktree, files, f"s{self.steps}")
        self.row = replace(self.row, head=made)

    def decide(self, *, agreed: bool) -> tuple[str, ...]:
        found = changed_setup(self.office, self.row)
        decide_setup(found, agreed=agreed)
        return found.files

    def vanish(self) -> None:
        shutil.rmtree(self.worktree.path)
        self.worktree = self.around.worktree(self.row, self.worktree.tip())


def test_a_worktree_made_again_is_set_up_from_the_base(tmp_path: Path) -> None:
    """H7: a new requirement is not installed because a folder vanished."""
    scene = Scene(tmp_path, {"requirements.txt": "tinywords\n"}, "pip install -r requirements.txt")
    scene.opened()
    scene.work({"requirements.txt": f"tinywords\n{MINE}", "app.py": "import tinywords\n"})
    scene.vanish()
    told = scene.opened()
    assert scene.runs() == 2
    assert MINE not in scene.seen()
    assert (scene.worktree.path / "requirements.txt").read_text() == f"tinywords\n{MINE}"
    (line,) = [text for kind, text in told if kind == "warning"]
    assert "requirements.txt" in line
    assert "sparing trust --setup 001" in line


PIP, NPM, MAKE = "pip install -r requirements.txt", "npm ci", "make setup"
WORDS = {"requirements.txt": "tinywords\n"}
PACKAGE = {"package.json": '{"name": "x"}\n', "package-lock.json": "{}\n"}
RECIPE = {"Makefile": "-include more/*.mk\nsetup: deps\ndeps:\n\tinstall-all\n"}
NESTED = {
    "requirements.txt": "-r deep/all.txt\n-chard.txt\n-e ./tiny\n",
    "deep/all.txt": "--constraint=../soft.txt\n",
    "hard.txt": "a\n",
    "soft.txt": "b\n",
    "tiny/setup.py": "exec(open('tiny/version').read())\n",
    "tiny/version": "V = 1\n",
}
LINKED = {"requirements.txt": "tinywords\n", "lists/other.txt": "a\n"}
PROJECT = {
    "pyproject.toml": "[build-system]\nbuild-backend = 'own.build'\nbackend-path = ['.']\n",
    "own/build.py": "B = 1\n",
    "uv.lock": "a\n",
}
SCRIPT = {"tools/get.sh": "#!/bin/sh\n. tools/more.sh\ninstall-all\n", "tools/more.sh": "true\n"}

WAYS = {
    "a requirement": (WORDS, PIP, {"requirements.txt": MINE}),
    "an index of packages": (WORDS, PIP, {"requirements.txt": f"--index-url {MINE}"}),
    "a nested list": (NESTED, PIP, {"deep/all.txt": MINE}),
    "a constraint": (NESTED, PIP, {"hard.txt": MINE}),
    "a nested constraint": (NESTED, PIP, {"soft.txt": MINE}),
    "a package by its path": (NESTED, PIP, {"tiny/setup.py": MINE}),
    "what its setup.py runs": (NESTED, PIP, {"tiny/version": MINE}),
    "a list behind a link": (LINKED, PIP, {"requirements.txt": "-> lists/other.txt"}),
    "a list that is renamed": (WORDS, PIP, {"requirements.txt": "", "requirements/a.txt": MINE}),
    "a list for a pattern": (WORDS, "sh -c \"cat req*.txt; install-all\"", {"req-dev.txt": MINE}),
    "settings of pip": (WORDS, PIP, {"pip.conf": f"[global]\nindex-url = {MINE}"}),
    "a module in front of Python's": (WORDS, f"python3 -m {PIP}", {"logging.py": MINE}),
    "a module in front of pip": (WORDS, f"python3 -m {PIP}", {"pip/__main__.py": MINE}),
    "a version of Python": (WORDS, PIP, {".python-version": MINE}),
    "variables": (WORDS, PIP, {".envrc": MINE}),
    "a submodule": (WORDS, PIP, {".gitmodules": MINE}),
    "a build requirement": (PROJECT, "uv sync", {"pyproject.toml": f"# {MINE}"}),
    "a source of uv": (PROJECT, "uv sync", {"pyproject.toml": f"[tool.uv.sources]\n# {MINE}"}),
    "a build backend": (PROJECT, "uv sync", {"own/build.py": MINE}),
    "a lock file alone": (PROJECT, "uv sync", {"uv.lock": MINE}),
    "settings of uv": (PROJECT, "uv sync", {"uv.toml": MINE}),
    "a lock file of npm": (PACKAGE, NPM, {"package-lock.json": MINE}),
    "a registry": (PACKAGE, NPM, {".npmrc": f"registry={MINE}"}),
    "a postinstall": (PACKAGE, NPM, {"package.json": f'{{"scripts": {{"postinstall": "{MINE}'}),
    "a package of a workspace": (PACKAGE, NPM, {"parts/one/package.json": MINE}),
    "a build of node-gyp": (PACKAGE, NPM, {"binding.gyp": MINE}),
    "a recipe": (RECIPE, MAKE, {"Makefile": f"setup:\n\tinstall-all # {MINE}"}),
    "a recipe that goes before": (RECIPE, MAKE, {"GNUmakefile": f"setup:\n\tinstall-all # {MINE}"}),
    "an included recipe": (RECIPE, MAKE, {"more/a.mk": f"deps:\n\techo {MINE}"}),
    "a script": (SCRIPT, "sh tools/get.sh", {"tools/get.sh": f"install-all # {MINE}"}),
    "what a script reads": (SCRIPT, "sh tools/get.sh", {"tools/more.sh": f"true # {MINE}"}),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_told_of(tmp_path: Path, way: str) -> None:
    """H7: whichever file an agent changes, its set-up is no longer what somebody agreed to."""
    files, command, change = WAYS[way]
    worktree = make_worktree(make_repository(tmp_path / "sample", {"app.py": "A = 1\n", **files}))
    base = recipe_at(worktree.repository, worktree.tip(), (command,), ())
    first = change_files(worktree, {"app.py": "A = 2\n"}, "s1")
    assert recipe_at(worktree.repository, first, (command,), ()).digest == base.digest
    now = recipe_at(worktree.repository, change_files(worktree, change, "s2"), (command,), ())
    assert set(differences(worktree.repository, base, now)) == set(change)
    assert now.digest != base.digest


def test_no_way_leads_to_an_installation_that_nobody_was_asked_about(tmp_path: Path) -> None:
    """H7: an agent tries all of them at once; the set-up sees the files of the base."""
    files = {name: text for one, _, _ in WAYS.values() for name, text in one.items()}
    change = {name: text for _, _, one in WAYS.values() for name, text in one.items()}
    run = [(one, names) for _, one, names in WAYS.values() if "python3" not in one]
    commands = dict.fromkeys(one for one, _ in run)
    scene = Scene(tmp_path, {**files, **LINKED, **NESTED}, *commands)
    scene.work(change)
    scene.vanish()
    (line,) = [text for kind, text in scene.opened() if kind == "warning"]
    assert [name for _, names in run for name in names if name not in line] == []
    assert scene.runs() == len(commands)
    assert MINE.strip() not in scene.seen()
    assert {name for name in change if (scene.caches / "seen" / name).exists()} <= {*files}


def test_what_a_person_agreed_to_is_installed(tmp_path: Path) -> None:
    """K2: from the commit that was agreed to, before the next turn; what comes later is not."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.opened()
    scene.work({"requirements.txt": f"tinywords\n{MINE}", "app.py": "A = 1\n"})
    scene.opened()
    assert scene.runs() == 1
    found = changed_setup(scene.office, scene.row)
    assert (found.files, found.others) == (("requirements.txt",), ("app.py",))
    assert f"+{MINE}" in found.diff
    scene.decide(agreed=True)
    agreed = scene.row.head
    scene.work({"app.py": "A = 2\n"})
    assert scene.opened()[-1] == ("setup", f"{PIP} (as you agreed, from {agreed[:10]})")
    assert scene.runs() == 2
    assert MINE in scene.seen()
    assert "A = 1" in scene.seen()
    assert (scene.worktree.path / "app.py").read_text() == "A = 2\n"
    scene.opened()
    assert scene.runs() == 2
    scene.work({"requirements.txt": "another\n"})
    assert scene.opened()[-1][1].startswith("the feature changes what its set-up loads")
    assert "-tinywords\n" in changed_setup(scene.office, scene.row).diff
    scene.vanish()
    scene.opened()
    assert scene.runs() == 3
    assert MINE in scene.seen()
    assert "another" not in scene.seen()


def test_an_agreement_does_not_outlive_its_commit(tmp_path: Path) -> None:
    """H7: the same list on a branch that no longer has the commit is asked about again."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.work({"requirements.txt": MINE})
    scene.decide(agreed=True)
    with scene.worktree.held() as git:
        git.run("update-ref", scene.worktree.ref, scene.row.feature.base_commit)
    scene.work({"requirements.txt": MINE, "tool.py": "T = 1\n"})
    scene.opened()
    assert MINE not in scene.seen()


def test_a_no_is_remembered_and_told_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path, WORDS, PIP)
    scene.opened()
    scene.work({"requirements.txt": MINE})
    told = scene.opened()
    assert scene.opened() == told
    scene.decide(agreed=False)
    scene.vanish()
    assert [kind for kind, _ in scene.opened()] == ["setup", "warning", "setup"]
    assert MINE not in scene.seen()


def test_a_set_up_that_a_feature_brings_waits_for_a_person(tmp_path: Path) -> None:
    """K2: the base had none; nothing runs until somebody agrees."""
    scene = Scene(tmp_path, {"README.md": "# Sample\n"}, "auto")
    assert scene.opened() == []
    scene.work(PACKAGE)
    ((kind, line),) = scene.opened()
    assert (kind, "package-lock.json" in line) == ("warning", True)
    assert not scene.caches.exists()
    scene.decide(agreed=True)
    assert scene.opened()[-1][0] == "setup"
    assert scene.runs() == 1


def test_a_lane_is_set_up_from_the_base(tmp_path: Path) -> None:
    """H7: a worktree for a task begins at the branch's head, its set-up does not."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.work({"requirements.txt": MINE})
    scene.worktree = scene.around.worktree(scene.row, scene.row.head, "1")
    assert scene.opened() == [("setup", PIP)]
    assert MINE not in scene.seen()
    assert (scene.worktree.path / "requirements.txt").read_text() == MINE


def test_nothing_that_git_ignores_is_within_reach(tmp_path: Path) -> None:
    """H7: an agent's own program lies where a set-up looks for one; it stays, and is not seen."""
    scene = Scene(tmp_path, {**WORDS, ".gitignore": ".venv\n.npmrc\n"}, PIP)
    scene.opened()
    write_files(scene.worktree.path, {".venv/bin/pip": MINE, ".npmrc": MINE, "note.txt": MINE})
    (scene.worktree.path / ".git").unlink()
    scene.worktree = scene.around.worktree(scene.row, scene.row.head)
    scene.opened()
    assert scene.runs() == 2
    assert MINE not in scene.seen()
    for name in (".venv/bin/pip", ".npmrc", "note.txt"):
        assert (scene.worktree.path / name).read_text() == MINE
