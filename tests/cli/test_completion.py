"""Completion in shells: what can be completed, and that it is quick.

Covers: K1
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.terminal import sparing

SCRIPT = """
source ./script
COMP_WORDS=(sparing start x --tier L) COMP_CWORD=4
_sparing_completion sparing
echo "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(tmp_path: Path, shell: str) -> None:
    assert "_SPARING_COMPLETE" in sparing(tmp_path, "completion", shell).out


def test_zsh_loads_its_completion_system_first(tmp_path: Path) -> None:
    """K1: a new user's .zshrc does not; `compdef` would not be found."""
    script = sparing(tmp_path, "completion", "zsh").out
    assert script.startswith("#compdef sparing")
    lines = [line.strip() for line in script.splitlines()]
    found = lines.index("compdef _sparing_completion sparing")
    assert lines[found - 1].endswith("{ autoload -Uz compinit && compinit }")


def test_fish_shows_a_description_with_commas_whole(tmp_path: Path) -> None:
    """K1: `Which agents take over, in this order, …` was shown as `Which agents take over`."""
    script = sparing(tmp_path, "completion", "fish").out
    assert 'set -l metadata (string split -m 1 "," $completion);' in script
    assert 'string split ","' not in script


def test_features_are_completed(user_repository: UserRepository) -> None:
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--json")
    environ = {"_SPARING_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    found = sparing(path, environ={**environ, "COMP_WORDS": "sparing approve 0"})
    assert found.out.split() == ["plain,001"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("start x --tier L", ["L1", "L2", "L3"]),
        ("rerun 1 d", ["done"]),
        ("show 1 s", ["summary"]),
        ("show 9 s", ["spec", "summary"]),
        ("show 1 c", ["checks"]),
        ("edit 1 pl", ["plan"]),
        ("config get caps.feature_", ["caps.feature_tokens", "caps.feature_usd"]),
        ("config set review.panel m", ["merged"]),
        ("start x --after 0", ["001"]),
        ("demo --tier L", ["L1", "L2", "L3"]),
        ("config g", ["get"]),
        ("cost --b", ["--by"]),
        ("cost --by st", ["stage"]),
    ],
)
def test_a_shell_completes_what_is_known(
    user_repository: UserRepository, words: str, found: list[str]
) -> None:
    """K1: tiers, the stages of that feature's flow, documents, settings and their values."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--tier", "L1", "--json")
    environ = {"_SPARING_COMPLETE": "bash_complete", "COMP_CWORD": str(len(words.split()))}
    said = sparing(path, environ={**environ, "COMP_WORDS": f"sparing {words}"})
    assert said.out.split() == [f"plain,{one}" for one in found]


def test_a_real_shell_runs_the_script(tmp_path: Path) -> None:
    """K1: bash loads the script that is printed for it and gets its words."""
    (tmp_path / "script").write_text(sparing(tmp_path, "completion", "bash").out)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (found.stdout, found.stderr) == ("L1 L2 L3\n", "")


@pytest.mark.parametrize("words", ["sparing st", "sparing start x --tier L", "sparing rerun 1 d"])
def test_completing_loads_no_command(user_repository: UserRepository, words: str) -> None:
    """K1: nobody waits seconds for Tab; the table of commands is enough."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--tier", "L1", "--json")
    asked = {"_SPARING_COMPLETE": "bash_complete", "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "sparing"],
        cwd=path,
        env={**os.environ, **asked, "COMP_WORDS": words},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"pydantic", "rich", "jinja2", "sparing.cli.start.start", "sparing.cli.gate.rerun"}
    assert done.stdout
    assert "sparing.cli.main" in loaded
    assert loaded & heavy == set()
