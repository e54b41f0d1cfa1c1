"""`make install` on a machine without uv and pipx, and with one of them. Covers: K8."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = """#!/bin/sh
# Python as the Makefile needs it: a version, an environment, packages.
echo "$*" >> "$HOME/asked"
case "$1 $2" in
"-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip") cd "${0%/*}" && printf '#!/bin/sh\\necho sparing runs\\n' > sparing && chmod +x sparing ;;
esac
"""
TOOL = '#!/bin/sh\necho "$(basename "$0") $*" >> "$HOME/asked"\n'
PARTS = "[claude,api,charts,web]"


def install(home: Path, *tools: str) -> subprocess.CompletedProcess[str]:
    """With these programs on the PATH, and what a shell has anyway."""
    folder = home / "programs"
    folder.mkdir(exist_ok=True)
    for name in ("sh", "mkdir", "cp", "ln", "chmod", "echo", "basename", "make"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(shutil.which(name) or name)
    for name, text in (("python3", PYTHON), *((tool, TOOL) for tool in tools)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environ = {"HOME": str(home), "PATH": str(folder)}
    return subprocess.run(
        ("make", "--no-print-directory", "-f", str(ROOT / "Makefile"), "install"),
        cwd=ROOT, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_a_tool_manager_it_gets_an_environment_of_its_own(tmp_path: Path) -> None:
    """K8: the command stands where both managers would put it; a second time it is renewed."""
    for _ in range(2):
        done = install(tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[1:] == [
            "note: sparing is in a folder that is not on your PATH",
            'fix: export PATH="$HOME/.local/bin:$PATH"',
            "installed; try: sparing doctor",
        ]
    command = tmp_path / ".local" / "bin" / "sparing"
    assert command.resolve() == tmp_path / ".local/share/sparing/venv/bin/sparing"
    assert subprocess.check_output((command,), text=True) == "sparing runs\n"
    assert f"-m pip install --upgrade {ROOT}{PARTS}" in (tmp_path / "asked").read_text()
    (tmp_path / "programs" / "sparing").symlink_to(command)
    assert install(tmp_path).stdout.splitlines()[1:] == ["installed; try: sparing doctor"]


@pytest.mark.parametrize(
    ("tools", "asked"),
    [
        (("uv", "pipx"), f"uv tool install --force {ROOT}{PARTS}"),
        (("pipx",), f"pipx install --force {ROOT}{PARTS}"),
    ],
)
def test_a_tool_manager_is_used_where_there_is_one(
    tmp_path: Path, tools: tuple[str, ...], asked: str
) -> None:
    """K8"""
    assert install(tmp_path, *tools).returncode == 0
    assert (tmp_path / "asked").read_text().splitlines()[1:] == [asked]
    assert not (tmp_path / ".local").exists()


def test_an_old_python_is_two_lines(tmp_path: Path) -> None:
    """K1"""
    install(tmp_path)
    old = tmp_path / "programs" / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path / "programs")}
    argv = ("make", "-f", str(ROOT / "Makefile"), "PYTHON=old", "install")
    done = subprocess.run(argv, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "error: Python 3.11 or newer is needed", "fix: make PYTHON=python3.12 install",
    ]  # fmt: skip
