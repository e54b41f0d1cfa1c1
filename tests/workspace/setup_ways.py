"""Ways by which an agent may try to have something of its choice installed, and its commits."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.workspace.git.worktree import Worktree
from tests.repositories import write_files
from tests.workspace.features import commit, files_of

MINE = "chosen by the agent\n"
PIP, NPM, MAKE = "pip install -r requirements.txt", "npm ci", "make setup"
WORDS = {"requirements.txt": "tinywords\n"}
PACKAGE = {"package.json": '{"name": "x"}\n', "package-lock.json": "{}\n"}
RUN = {"package.json": '{"scripts": {"setup": "node tools/get.js"}}', "tools/get.js": "1\n"}
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
CRATE = {"Cargo.toml": "[package]\nname = 'x'\n", "src/lib.rs": "\n"}
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
    "a script of npm": (RUN, "npm run setup", {"tools/get.js": MINE}),
    "a recipe": (RECIPE, MAKE, {"Makefile": f"setup:\n\tinstall-all # {MINE}"}),
    "a recipe that goes before": (RECIPE, MAKE, {"GNUmakefile": f"setup:\n\tinstall-all # {MINE}"}),
    "an included recipe": (RECIPE, MAKE, {"more/a.mk": f"deps:\n\techo {MINE}"}),
    "a script": (SCRIPT, "sh tools/get.sh", {"tools/get.sh": f"install-all # {MINE}"}),
    "what a script reads": (SCRIPT, "sh tools/get.sh", {"tools/more.sh": f"true # {MINE}"}),
    "a shrinkwrap": (PACKAGE, NPM, {"npm-shrinkwrap.json": MINE}),
    "hooks of pnpm": (PACKAGE, "pnpm install", {".pnpmfile.cjs": MINE}),
    "a workspace of pnpm": (PACKAGE, "pnpm install", {"pnpm-workspace.yaml": MINE}),
    "a yarn of its own": (PACKAGE, "yarn install", {".yarnrc.yml": f"yarnPath: own.cjs # {MINE}"}),
    "a plugin of yarn": (PACKAGE, "yarn install", {".yarn/plugins/own.cjs": MINE}),
    "settings of bun": (PACKAGE, "bun install", {"bunfig.toml": MINE}),
    "a version of node": (PACKAGE, NPM, {".nvmrc": MINE}),
    "another source of crates": (CRATE, "cargo fetch", {".cargo/config.toml": MINE}),
    "a toolchain": (CRATE, "cargo fetch", {"rust-toolchain.toml": MINE}),
    "a build script": (CRATE, "cargo fetch", {"build.rs": MINE}),
    "a workspace of go": ({"go.mod": "module x\n"}, "go mod download", {"go.work": MINE}),
    "settings of poetry": (PROJECT, "poetry install", {"poetry.toml": MINE}),
    "settings of bundler": ({"Gemfile": "a\n"}, "bundle install", {".bundle/config": MINE}),
    "an index of easy_install": (WORDS, PIP, {"setup.cfg": f"[easy_install]\nindex_url={MINE}"}),
    "a version of any tool": (WORDS, PIP, {".tool-versions": MINE}),
    "settings of mise": (WORDS, PIP, {"mise.toml": MINE}),
}  # fmt: skip


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
    assert set(files_of(worktree, made)) == set(files)
    return made.commit
