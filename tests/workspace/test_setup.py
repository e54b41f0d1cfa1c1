"""A fresh worktree becomes usable, after a person has agreed, and nothing of that is committed.

Covers: K2, H5, H7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import ConfigError
from sparing.workspace.git.commit import changed_paths, list_folder
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.setup.files import Folder
from sparing.workspace.setup.input_files import Recipe
from sparing.workspace.setup.lent_files import lend, matching, take_back
from sparing.workspace.setup.run import Equipped, Means, SetupFailed, equip, is_equipped
from sparing.workspace.setup.setup_plan import (
    Command,
    SetupPlan,
    answer_of,
    detect,
    plan_setup,
    remember,
)
from tests.conftest import UserRepository
from tests.guard import Guard
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, files_of, make_worktree

PIP = ".venv/bin/python -m pip install --quiet"
VENV = "python3 -m venv .venv"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ()),
        ({"uv.lock": "", "pyproject.toml": ""}, ("uv sync --frozen",)),
        ({"poetry.lock": ""}, ("poetry install --no-interaction",)),
        ({"requirements.txt": "# nothing yet\n"}, ()),
        ({"requirements-dev.txt": "pytest\n"}, (VENV, f"{PIP} -r requirements-dev.txt")),
        (
            {"pyproject.toml": "[project]\noptional-dependencies = {dev = [], docs = []}\n"},
            (VENV, f"{PIP} -e '.[dev]'"),
        ),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, ()),
        ({"pyproject.toml": "not toml ["}, ()),
        ({"package.json": '{"scripts": {"test": "node --test"}}'}, ()),
        ({"package.json": "[", "package-lock.json": "{}"}, ()),
        ({"package.json": '{"name": "x"}', "package-lock.json": "{}"}, ("npm ci",)),
        ({"package.json": '{"name": "x"}', "pnpm-lock.yaml": ""},
         ("pnpm install --frozen-lockfile",)),
        (
            {"package.json": '{"devDependencies": {"jest": "*"}}'},
            ("npm install --no-package-lock",),
        ),
        ({"Cargo.toml": "", "Cargo.lock": ""}, ("cargo fetch --locked",)),
        ({"go.mod": "module x\n"}, ()),
        ({"go.mod": "module x\n", "go.sum": "x\n"}, ("go mod download",)),
        ({"Makefile": "setup: a\n\ttrue\n", "uv.lock": ""}, ("make setup",)),
        ({"Makefile": "install:\n\ttrue\nsetup := 1\n"}, ()),
    ],
)  # fmt: skip
def test_what_a_repository_needs(
    tmp_path: Path, files: dict[str, str], found: tuple[str, ...]
) -> None:
    """K2"""
    write_files(tmp_path, files)
    assert tuple(command.words for command in detect(Folder(tmp_path))) == found


def test_a_setting_goes_before_what_is_found(tmp_path: Path) -> None:
    write_files(tmp_path, {"go.sum": ""})
    both = plan_setup(Folder(tmp_path), ("auto", "make 'two words'"), (".env",))
    assert [one.argv for one in both.commands] == [("go", "mod", "download"), ("make", "two words")]
    assert plan_setup(Folder(tmp_path), (), ()).empty
    with pytest.raises(ConfigError, match="not a command line"):
        plan_setup(Folder(tmp_path), ("echo '",), ())


def test_an_answer_holds_for_what_was_shown(tmp_path: Path) -> None:
    """H7: other commands, or other files to copy, are asked about again."""
    plan = SetupPlan((Command(("npm", "ci"), "package-lock.json"),), (".env",))
    assert answer_of(tmp_path, plan) is None
    remember(tmp_path, plan, agreed=True)
    remember(tmp_path, SetupPlan(), agreed=False)
    assert (answer_of(tmp_path, plan), answer_of(tmp_path, SetupPlan())) == (True, False)
    assert answer_of(tmp_path, plan._replace(copy=(".env", "secrets/*"))) is None
    other = plan._replace(commands=(Command(("npm", "install"), "package.json"),))
    assert answer_of(tmp_path, other) is None
    (tmp_path / "setup.json").write_text("[broken")
    assert answer_of(tmp_path, plan) is None


def means(tmp_path: Path, limit_seconds: float = 600) -> Means:
    return Means({"PATH": "/usr/local/bin:/usr/bin:/bin"}, tmp_path / "caches", limit_seconds)


def recipe_of(worktree: Worktree, *lines: str) -> Recipe:
    plan = SetupPlan(tuple(Command(("sh", "-c", line), "a test") for line in lines))
    return Recipe(worktree.tip(), plan, ())


def test_nothing_of_a_setup_is_committed(user_repository: UserRepository, tmp_path: Path) -> None:
    """K2: new files are not seen by git, changed ones are put back, the agent's work is."""
    worktree = make_worktree(user_repository({"lock.txt": "1\n"}))
    base = worktree.tip()
    recipe = recipe_of(
        worktree,
        "mkdir -p deps/deep src/made && touch deps/deep/x src/made/y 'src/odd [1].txt'",
        "echo 2 > lock.txt",
    )
    assert len(equip(worktree, recipe, means(tmp_path)).done) == 2
    assert changed_paths(worktree, base) == ()
    assert (worktree.path / "deps/deep/x").exists()
    write_files(worktree.path, {"deps/deep/later": "", "src/work.py": "WORK = 1\n"})
    change = commit(worktree)
    assert files_of(worktree, change) == ["src/work.py"]
    assert is_equipped(worktree, recipe, worktree.path)
    assert equip(worktree, recipe, means(tmp_path)) == Equipped()


def test_a_secret_that_a_setup_writes_is_in_no_ref(
    user_repository: UserRepository, tmp_path: Path
) -> None:
    """H5: what a set-up changes in a file that git knows is dropped, and kept nowhere."""
    value = "the-known-" + "value-1234567890"
    worktree = make_worktree(user_repository({".npmrc": "a=1\n"}))
    equip(worktree, recipe_of(worktree, f"echo token={value} >> .npmrc"), means(tmp_path))
    assert (worktree.path / ".npmrc").read_text() == "a=1\n"
    assert git(worktree.path, "for-each-ref", "refs/sparing") == ""
    left = [path for path in worktree.path.parent.rglob("*") if path.is_file()]
    assert not any(value.encode() in path.read_bytes() for path in left)


def test_a_setup_that_fails_or_hangs(user_repository: UserRepository, tmp_path: Path) -> None:
    """K2: what is wrong and what repairs it; it is tried again the next time."""
    worktree = make_worktree(user_repository())
    recipe = recipe_of(worktree, "echo no such package; exit 3")
    with pytest.raises(SetupFailed) as caught:
        equip(worktree, recipe, means(tmp_path))
    assert caught.value.what.endswith("no such package")
    assert "workspace.setup" in caught.value.repair
    assert not is_equipped(worktree, recipe, worktree.path)
    with pytest.raises(SetupFailed) as caught:
        equip(worktree, recipe_of(worktree, "sleep 600"), means(tmp_path, 0.2))
    assert "stopped after 0.2 s" in caught.value.what
    assert "sparing config set workspace.setup_seconds" in caught.value.repair


def test_a_setup_whose_program_is_not_installed(
    user_repository: UserRepository, tmp_path: Path
) -> None:
    """K2: the repair is to install it; a sentence of the program's own ends where ours begins."""
    worktree = make_worktree(user_repository())
    plan = SetupPlan((Command(("no-such-program", "sync"), "a test"),))
    recipe = Recipe(worktree.tip(), plan, ())
    with pytest.raises(SetupFailed) as caught:
        equip(worktree, recipe, means(tmp_path))
    assert caught.value.what == (
        "set-up failed: no-such-program sync: no-such-program is not installed"
    )
    assert caught.value.repair.startswith("install no-such-program, or set other commands")
    with pytest.raises(SetupFailed) as caught:
        equip(worktree, recipe_of(worktree, "echo It is broken.; exit 3"), means(tmp_path))
    assert caught.value.what.endswith(": It is broken")


FILES = {".gitignore": ".env*\n", "config/app.toml": "x = 1\n"}


def test_copies_are_lent_and_taken_back(tmp_path: Path, guard: Guard) -> None:
    """H5: an author has them, no commit does, and a reviewer finds nothing."""
    checkout = make_repository(tmp_path / "checkout", {"README.md": "# Sample\n", **FILES})
    write_files(checkout, {".env": "KEY=1\n", "config/.env.local": "L=2\n", "plain.local": "p\n"})
    guard.watch(checkout)
    worktree = make_worktree(checkout)
    patterns = (".env", "**/*.local", "config/app.toml", "README.md")
    lent = lend(checkout, worktree, patterns)
    assert lent == (".env", "config/.env.local", "plain.local")
    assert (worktree.path / ".env").read_text() == "KEY=1\n"
    assert (worktree.path / "plain.local").stat().st_mode & 0o777 == 0o600
    write_files(worktree.path, {"work.txt": "work\n"})
    made = commit(worktree).commit
    assert list_folder(worktree.repository, made, ".") == list_folder(
        worktree.repository, worktree.tip(), "."
    )
    assert "plain.local" not in list_folder(worktree.repository, made, ".")
    assert take_back(worktree) == lent
    assert not any((worktree.path / path).exists() for path in lent)
    assert take_back(worktree) == lent
    assert lend(checkout, worktree, patterns) == lent


@pytest.mark.parametrize("pattern", [".git/config", ".g*/config", "link", "folder", "large"])
def test_what_is_never_lent(tmp_path: Path, pattern: str) -> None:
    checkout = make_repository(tmp_path)
    (checkout / "link").symlink_to("/etc/passwd")
    (checkout / "folder").mkdir()
    (checkout / "large").write_bytes(b"x" * 1_000_001)
    assert matching(checkout, (pattern,)) == ()
