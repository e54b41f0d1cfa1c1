"""Checks start the programs behind pyenv's shims, as the shims would.

Covers: H7, K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.checks.run import Check, CheckSandbox, run_check
from sparing.workspace.sandbox.toolchains import past_shims, tool_roots

REST = "/usr/local/bin:/usr/bin:/bin"


def pyenv(root: Path, version: str, *installed: str) -> Path:
    (root / "shims").mkdir(parents=True)
    (root / "versions").mkdir()
    for name in installed:
        (root / "versions" / name / "bin").mkdir(parents=True)
    (root / "version").write_text(version)
    return root


@pytest.mark.parametrize(
    ("version", "first"),
    [
        ("3.12.1\n", ("3.12.1",)),
        ("3.12.1\n3.11.7\n", ("3.12.1", "3.11.7")),
        ("3.9.9\n", ()),
        ("system\n", ()),
        ("", ()),
    ],
)
def test_versions_go_before_the_shims(tmp_path: Path, version: str, first: tuple[str, ...]) -> None:
    root = pyenv(tmp_path / ".pyenv", version, "3.12.1", "3.11.7")
    found = past_shims(f"{root}/shims:{REST}", tmp_path / "worktree")
    versions = [f"{root}/versions/{name}/bin" for name in first]
    assert found == ":".join([*versions, f"{root}/shims", REST])


def test_a_version_of_the_worktree_is_left_to_the_shim(tmp_path: Path) -> None:
    root = pyenv(tmp_path / ".pyenv", "3.12.1", "3.12.1")
    (tmp_path / ".python-version").write_text("3.11.7\n")
    path = f"{root}/shims:{REST}"
    assert past_shims(path, tmp_path / "packages" / "one") == path


def test_folders_called_shims_and_others_stay_as_they_are(tmp_path: Path) -> None:
    path = f"{tmp_path}/shims:{REST}"
    assert past_shims(path, tmp_path) == path


def test_a_check_runs_the_program_itself(tmp_path: Path) -> None:
    root = pyenv(tmp_path / ".pyenv", "1.0", "1.0")
    for folder, word in (("shims", "shim"), ("versions/1.0/bin", "program")):
        program = root / folder / "tool"
        program.write_text(f"#!/bin/sh\necho {word}\n")
        program.chmod(0o755)
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    sandbox = CheckSandbox(tmp_path / "scratch", None, (root,))
    check = Check("test", ("tool",), "tests/")
    result = run_check(check, worktree, 600, {"PATH": f"{root}/shims:{REST}"}, sandbox)
    assert result.output.strip() == "program"


@pytest.mark.parametrize(
    ("folder", "login"),
    [
        (".docker/bin", ".docker/config.json"),
        (".docker/bin", ".docker/run/docker.sock"),
        (".fly/bin", ".fly/config.yml"),
        (".pulumi/bin", ".pulumi/credentials.json"),
        (".rye/shims", ".rye/credentials"),
        (".gem/bin", ".gem/credentials"),
        (".claude/bin", ".claude/.credentials.json"),
        (".claude/bin", ".claude/projects/a/session.jsonl"),
        (".config/bin", ".config/gh/hosts.yml"),
        (".local/share/bin", ".local/share/keyrings/login.keyring"),
        (".local/bin", ".local/share/opencode/auth.json"),
        (".cargo/bin", ".cargo/credentials.toml"),
        (".config/composer/vendor/bin", ".config/composer/auth.json"),
        (".local/share/mise/installs/go/1.22/bin", ".local/share/mise/trusted-configs/a"),
        (".tool/versions/bin", ".tool/versions/login.json"),
    ],
)
def test_a_login_next_to_programs_is_not_readable(tmp_path: Path, folder: str, login: str) -> None:
    """H11: a folder of PATH does not open what its tool keeps beside it."""
    for path in (tmp_path / folder / "tool", tmp_path / login):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    roots = tool_roots(f"{tmp_path / folder}:{REST}", tmp_path)
    assert any((tmp_path / folder).is_relative_to(root) for root in roots)
    assert not [root for root in roots if (tmp_path / login).is_relative_to(root)]


@pytest.mark.parametrize(
    ("folder", "needed"),
    [
        (".pyenv/shims", ".pyenv/versions/3.12/lib/python3.12/os.py"),
        (".nvm/versions/node/v22/bin", ".nvm/versions/node/v22/lib/node_modules/npm/index.js"),
        (".sdkman/candidates/java/21/bin", ".sdkman/candidates/java/21/conf/security/a"),
        (".asdf/shims", ".asdf/installs/node/22/bin/node"),
        (".volta/bin", ".volta/tools/image/node/22/bin/node"),
        (".local/share/mise/installs/go/1.22/bin", ".local/share/mise/installs/go/1.22/src/fmt/a"),
        (".local/go/bin", ".local/go/src/fmt/print.go"),
        (".local/go/bin", ".local/go/pkg/tool/compile"),
        (".sdkman/candidates/maven/3.9/bin", ".sdkman/candidates/maven/3.9/boot/a.jar"),
        (".asdf/installs/erlang/27/bin", ".asdf/installs/erlang/27/erts-15.0/bin/beam.smp"),
        (".local/apache-maven/bin", ".local/apache-maven/boot/a.jar"),
        (".config/composer/vendor/bin", ".config/composer/vendor/autoload.php"),
        ("go/bin", "go/pkg/mod/a.go"),
        ("miniconda3/bin", "miniconda3/etc/profile.d/conda.sh"),
    ],
)
def test_what_a_tool_loads_is_readable(tmp_path: Path, folder: str, needed: str) -> None:
    """K2"""
    for path in (tmp_path / folder / "tool", tmp_path / needed):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    roots = tool_roots(f"{tmp_path / folder}:{REST}", tmp_path)
    assert [root for root in roots if (tmp_path / needed).is_relative_to(root)]
