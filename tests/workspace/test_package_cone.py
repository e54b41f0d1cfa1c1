"""Which folders the worktree of one package holds.

Covers: K2
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.project.sparse_package import chosen_cone, package_folders
from tests.repositories import make_repository
from tests.workspace.features import snapshot

FILES = {
    "api/package.json": '{"name": "@acme/api", "dependencies": {"@acme/db": "workspace:*"}}',
    "libs/db/package.json": '{"name": "@acme/db", "devDependencies": {"tools": "file:../tools"}}',
    "libs/tools/package.json": '{"name": "tools"}',
    "web/package.json": '{"name": "@acme/web", "dependencies": {"@acme/api": "*"}}',
    "py/a/pyproject.toml": '[project]\nname = "a"\ndependencies = ["my-lib>=1"]\n',
    "py/lib/pyproject.toml": '[project]\nname = "my_lib"\n',
    "go/x/go.mod": "module example.com/x\nrequire example.com/y v1.0.0\n",
    "go/y/go.mod": "module example.com/y\n",
    "rs/Cargo.toml": '[package]\nname = "rs"\n[dependencies]\ncore = { path = "../rscore" }\n',
    "rscore/Cargo.toml": '[package]\nname = "another"\n',
    ".github/ci.yml": "",
    ".editorconfig": "",
}


@pytest.mark.parametrize(
    ("root", "folders"),
    [
        ("api", ("api", "libs/db", "libs/tools")),
        ("web", ("api", "libs/db", "libs/tools", "web")),
        ("libs/tools", ("libs/tools",)),
        ("py/a", ("py/a", "py/lib")),
        ("go/x", ("go/x", "go/y")),
        ("rs", ("rs", "rscore")),
    ],
)
def test_a_package_and_what_it_depends_on(
    tmp_path: Path, root: str, folders: tuple[str, ...]
) -> None:
    """K2: by name or by path, and what those depend on in turn."""
    assert package_folders(snapshot(make_repository(tmp_path / "r", FILES)), root) == folders


class Given(NamedTuple):
    root: str = "rs"
    sparse: str = "auto"
    sparse_above: int = 3
    sparse_folders: tuple[str, ...] = ("py",)


@pytest.mark.parametrize(
    ("given", "cone"),
    [
        (Given(), (".github", "docs/f", "py", "rs", "rscore")),
        (Given(sparse_above=1_000), ()),
        (Given(sparse="on", sparse_above=1_000), (".github", "docs/f", "py", "rs", "rscore")),
        (Given(sparse="off"), ()),
        (Given(root=""), ()),
        (Given(sparse_folders=("py", "py/a")), (".github", "docs/f", "py", "rs", "rscore")),
    ],
)
def test_when_a_worktree_is_sparse(tmp_path: Path, given: Given, cone: tuple[str, ...]) -> None:
    """K2: by the setting, and by how many files there are."""
    repo = find_repository(make_repository(tmp_path / "r", FILES))
    assert chosen_cone(repo, head(repo).commit, given, ("docs/f",)) == cone
