"""A system that can't confine agents: refused in two lines, or by the user's word and told.

Covers: H6, K1
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.small import SCRIPT
from tests.repositories import make_repository, write_files
from tests.terminal import QUICK, Said, sparing

# A filter that any process may set for itself: to this one the kernel has no Landlock.
OLD_SYSTEM = """
import ctypes, os, struct, sys
from sparing.workspace.sandbox.landlock import ENOSYS, LOAD, PASS, answer, libc, prctl, step, when
program = step(LOAD, 0) + when(444, answer(ENOSYS)) + answer(PASS)
buffer = ctypes.create_string_buffer(program, len(program))
header = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(buffer))
prctl(38, 1)
none = ctypes.c_ulong(0)
assert libc.prctl(22, ctypes.c_ulong(2), header, none, none) == 0
os.execv(sys.executable, [sys.executable, "-m", "sparing", *sys.argv[1:]])
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs seccomp"),
]


def on_old_system(where: Path, script: Path, *words: str) -> Said:
    environ = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}
    done = subprocess.run(
        (sys.executable, "-c", OLD_SYSTEM, *words),
        cwd=where,
        env={**os.environ, **QUICK, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def test_it_is_refused_or_goes_on_by_the_users_word(tmp_path: Path) -> None:
    """H6, K1: nothing runs unasked; with the flag it runs, is told, and what it did is told too."""
    main, script = make_repository(tmp_path / "main"), tmp_path / "script.toml"
    hook = main / ".git" / "hooks" / "post-commit"
    write_files(main, {".git/hooks/.keep": ""})
    last = 'stage = "done"\n'
    assert last in SCRIPT
    script.write_text(SCRIPT.replace(last, f"{last}run = ['echo > {hook}']\n"))
    assert sparing(main, "start", "Make a file", "--flow", "L1", "--json").code == 0

    refused = on_old_system(main, script, "run", "--yes")
    what, repair = refused.complaint
    assert refused.code == 1
    assert what.startswith("error: this system can't sandbox agents: unsandboxed: ")
    assert repair.startswith("fix: ")
    assert "--unsandboxed" in repair
    assert "--unsandboxed" in on_old_system(main, script, "doctor").out

    done = on_old_system(main, script, "run", "--yes", "--unsandboxed")
    assert done.code == 0, done.err
    assert "! sandbox unsandboxed: nothing limits it but its client's own rules" in done.err
    assert "changed meanwhile: hooks/post-commit (nothing keeps an agent from it here)" in done.err
    (listed,) = sparing(main, "list", "--json").json["features"]
    assert listed["sandbox"] == "unsandboxed"
