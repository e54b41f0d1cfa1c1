"""Commands that only look start on systems that are not Linux, and without its modules.

Covers: K1, H6
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sparing.errors import SandboxRefused
from sparing.workspace.sandbox.policy import Reach, SandboxLevel, settle_level
from tests.repositories import make_repository

ELSEWHERE = """
import sys, sysconfig, zoneinfo

sysconfig.get_config_vars()  # a file of this platform's name
sys.platform = "{platform}"


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {missing}:
            raise ImportError(f"{{name}} does not exist")


sys.meta_path.insert(0, Missing())
for name in {missing}:
    sys.modules.pop(name, None)
from sparing.cli.main import main

sys.exit(main({words}))
"""
EVERYTHING = """
import importlib, os, pkgutil, resource, select, signal, socket, sys, sysconfig, time
import urllib.request, zoneinfo

sysconfig.get_config_vars()
for module, names in {absent}.items():
    for name in names:
        vars(sys.modules[module]).pop(name, None)
sys.platform = "{platform}"
import sparing

for found in pkgutil.walk_packages(sparing.__path__, "sparing."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
"""
ABSENT = {
    "os": (
        *("O_PATH", "O_TMPFILE", "O_DIRECT", "O_NOATIME", "copy_file_range", "eventfd"),
        *("getxattr", "listxattr", "setxattr", "removexattr", "memfd_create", "pidfd_open"),
        *("posix_fallocate", "posix_fadvise", "sched_getaffinity", "sched_setaffinity", "setns"),
        *("unshare", "splice", "fdatasync", "pipe2", "getresuid", "getrandom"),
    ),
    "resource": ("prlimit", "RUSAGE_THREAD", "RLIMIT_NICE", "RLIMIT_SIGPENDING"),
    "select": ("epoll",),
    "signal": ("SIGPWR", "SIGSTKFLT", "SIGRTMIN", "SIGRTMAX", "pidfd_send_signal", "sigtimedwait"),
    "socket": ("AF_NETLINK", "AF_PACKET", "AF_VSOCK", "SO_PEERCRED", "SO_BINDTODEVICE"),
    "time": ("CLOCK_BOOTTIME", "CLOCK_TAI"),
}
"""What Python has on Linux and lacks on macOS."""
MISSING = ("sparing.workspace.sandbox.landlock", "sparing.workspace.sandbox.supervisor")
"""They load the C library of Linux and its numbers."""


@pytest.mark.parametrize("platform", ["darwin", "linux"])
@pytest.mark.parametrize("words", [["--version"], ["status"], ["start", "--help"]])
def test_a_command_starts_without_what_only_linux_has(
    tmp_path: Path, platform: str, words: list[str]
) -> None:
    where = make_repository(tmp_path / "sample")
    script = ELSEWHERE.format(platform=platform, missing=MISSING, words=words)
    done = subprocess.run(
        (sys.executable, "-c", script),
        cwd=where,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("platform", ["darwin", "linux"])
def test_every_module_can_be_imported_without_what_only_linux_has(platform: str) -> None:
    """K1: also one that was added yesterday, and one that only a rare command loads."""
    script = EVERYTHING.format(platform=platform, absent=ABSENT)
    done = subprocess.run(
        (sys.executable, "-c", script), capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_no_sandbox_is_a_clear_choice() -> None:
    """H6: refused in two lines, of which the second names the option."""
    nothing = Reach(SandboxLevel.UNSANDBOXED, 0, root=False, powers_dropped=False)
    with pytest.raises(SandboxRefused) as refused:
        settle_level(nothing)
    assert "--unsandboxed" in refused.value.repair
    assert settle_level(nothing, unsandboxed=True) is SandboxLevel.UNSANDBOXED
