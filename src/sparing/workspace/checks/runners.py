"""Which settings decide what a test runner, a linter or a type check does, and in which files."""

from __future__ import annotations

import re
from typing import NamedTuple


class Setting(NamedTuple):
    file: str
    """A file name pattern; one with a slash is a path from the root."""
    part: str = ""
    """Which of its sections, tables or lines count; empty if the whole file does."""


class Runner(NamedTuple):
    words: re.Pattern[str]
    """The pattern that recognises it in a command."""
    settings: tuple[Setting, ...]


def _runner(words: str, *settings: str) -> Runner:
    """Make a runner; a setting is a file name, or that and a section pattern after a bar."""
    split = (one.partition("|") for one in settings)
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
    return Runner(pattern, tuple(Setting(file, part) for file, _, part in split))


RUNNERS = (
    _runner(
        r"pytest|py\.test|tox|nox|coverage",
        "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "conftest.py",
        "tox.ini|pytest", "setup.cfg|tool:pytest", "pyproject.toml|tool.pytest",
    ),
    _runner(
        "tox", "tox.ini|tox|testenv.*|base", "setup.cfg|tox:tox|testenv.*", "tox.toml",
        "pyproject.toml|tool.tox",
    ),
    _runner("nox", "noxfile.py"),
    _runner("ruff", "ruff.toml", ".ruff.toml", "pyproject.toml|tool.ruff"),
    _runner("mypy", "mypy.ini", ".mypy.ini", "setup.cfg|mypy.*", "pyproject.toml|tool.mypy"),
    _runner(
        "(?:based)?pyright", "pyrightconfig.json",
        "pyproject.toml|tool.pyright|tool.basedpyright",
    ),
    _runner("flake8", ".flake8", "setup.cfg|flake8", "tox.ini|flake8"),
    _runner("pylint", ".pylintrc", "pylintrc", "setup.cfg|pylint.*", "pyproject.toml|tool.pylint"),
    _runner(
        "npm|npx|yarn|pnpm|bun|node|jest|vitest|mocha|ava|tap|eslint|tsc",
        "jest.config.*", "vitest.config.*", "vitest.workspace.*", ".mocharc*", "ava.config.*",
        ".taprc", "karma.conf.*", "playwright.config.*", "cypress.config.*", ".eslintrc*",
        "eslint.config.*", ".eslintignore", "tsconfig*.json", "biome.json*", ".babelrc*",
        "babel.config.*", ".swcrc", ".nycrc*", ".c8rc*", "bunfig.toml", ".yarnrc*", ".pnp.*",
        ".pnpmfile.cjs", ".npmrc|script-shell|node-options|shell|prefix|ignore-scripts",
    ),
    _runner("vitest", "vite.config.*"),
    _runner(
        "cargo", ".cargo/config.toml", ".cargo/config", "build.rs", "rust-toolchain*",
        "clippy.toml", ".clippy.toml",
        "Cargo.toml|lib|bin|test|bench|example|profile|workspace|lints|patch|replace|package.build",
    ),
    _runner("ctest|cmake", "CMakeLists.txt", "*.cmake", "CMakePresets.json"),
    _runner("go", "go.work", "go.mod|replace|toolchain|exclude", ".golangci.*"),
)  # fmt: skip

STARTS = frozenset(
    {
        *("sitecustomize.py", "usercustomize.py", "pyvenv.cfg", ".env", ".envrc", ".pdbrc"),
        *(".python-version", ".tool-versions", "mise.toml", ".mise.toml", ".nvmrc"),
        *(".node-version",),
    }
)
"""Files that programs read when they start, no matter who started them."""
BUILT = (".pth", ".pyc", ".pyo", ".so", ".pyd", ".egg", ".whl", ".egg-link", ".node")
"""Endings of files that are not source, so that no one can review what they do."""
INSTALLED = frozenset(
    {".venv", "venv", "node_modules", ".tox", ".nox", "__pycache__", "__pypackages__"}
)
"""Folders that belong to an environment, not to a commit."""
TOOLS = frozenset(
    {
        *("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "coverage", "tox"),
        *("nox", "xdist", "pytest_cov", "hypothesis", "mypy", "ruff", "pylint", "flake8"),
    }
)
"""Modules of runners; one of the same name in the repository would shadow them."""
