"""Shell lines that stand in running text of README, docs/ and CONTRIBUTING.md can be typed, too.

Covers: K4, K8
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sparing.agents.acp.gemini import GEMINI
from sparing.agents.acp.opencode import OPENCODE
from sparing.agents.codex.client import TESTED as CODEX_TESTED
from tests.copyable import ROOT, inline_shell
from tests.repositories import commit_files, git, make_repository

REASONS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("copyable.toml").read_text("utf-8")
)["inline_reasons"]
UNTYPED = {one for some in REASONS.values() for one in some}
TYPED = sorted({line.words for line in inline_shell()} - UNTYPED)
PACKAGES = {"@openai/codex": CODEX_TESTED} | {one.package: one.tested for one in (GEMINI, OPENCODE)}


def of(program: str) -> list[str]:
    return [words for words in TYPED if words.split()[0] == program]


def test_every_shell_line_in_running_text_is_typed_or_has_a_reason() -> None:
    """K8: one of another program needs a test here, or a reason in copyable.toml."""
    assert sorted(TYPED) == sorted([*of("git"), *of("npm"), *of("pip")])
    assert {line.words for line in inline_shell()} >= UNTYPED


@pytest.mark.parametrize("words", of("git"))
def test_a_git_line_works_in_a_repository_with_a_feature(words: str, tmp_path: Path) -> None:
    """K8: where a line abbreviates the branch, the whole name is meant."""
    where = make_repository(tmp_path / "sample")
    git(where, "switch", "--quiet", "--create", "feature/001-greet")
    commit_files(where, {"greeting.txt": "Hello\n"}, "Greet")
    git(where, *shlex.split(words.replace("001-…", "001-greet"))[1:])


@pytest.mark.parametrize("words", of("npm"))
def test_an_npm_line_names_a_client_in_the_version_that_is_tested(words: str) -> None:
    """K8: `make clients` installs the same packages, and the conformance suite runs them."""
    found = re.fullmatch(r"npm install -g (@?[\w/-]+)(?:@([\w.]+))?", words)
    assert found, words
    package, version = found.groups()
    assert version in (None, PACKAGES[package])
    assert f"{package}@{PACKAGES[package]}" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.parametrize("words", of("pip"))
def test_a_pip_line_finds_the_package_in_a_clone(words: str, tmp_path: Path) -> None:
    """K8: pip resolves it from the sources; `make package` installs the wheel for real."""
    offline = ("--dry-run", "--no-deps", "--no-index", "--no-build-isolation", "--quiet")
    asked = (sys.executable, "-m", *shlex.split(words), *offline)
    done = subprocess.run(
        asked,
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
