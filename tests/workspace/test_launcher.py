"""What a process can do and know in the sandbox, and what it leaves behind: nothing.

Covers: H6
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sparing import sandbox_path
from sparing.errors import SandboxRefused, StateError
from sparing.workspace.sandbox.launcher import level_reached, wrap
from sparing.workspace.sandbox.policy import (
    ProcessLimits,
    Reach,
    SandboxAccess,
    SandboxLevel,
    settle_level,
)
from sparing.workspace.sandbox.toolchains import tool_roots
from tests.workspace.launched import PATH, Place, launch, make_place, python, sh

TOP = level_reached().level
LEVELS = [level for level in SandboxLevel if level <= TOP]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


@pytest.mark.parametrize("level", LEVELS)
def test_an_author_can_work(place: Place, level: SandboxLevel) -> None:
    """H6: edits, private temp, its own HOME, git to look at history; the orchestrator commits."""
    script = (
        "echo new > made.py && mv made.py kept.py && mkdir sub && touch $TMPDIR/t $HOME/h"
        " && git status --short && git log --format=%s && git config user.name"
        " && cat app.py && echo fine > /dev/null"
    )
    done = sh(place, place.policy(level=level), script)
    assert done == (0, "?? kept.py\nfirst commit\nSparing agent\nAPP = 1\n", "")
    assert (place.worktree / "kept.py").read_text() == "new\n"


def test_an_author_cannot_commit(place: Place) -> None:
    done = sh(place, place.policy(), "git add -A")
    assert done.code == 128
    assert "index.lock" in done.err


@pytest.mark.parametrize("level", LEVELS[1:])
def test_a_reviewer_reads_and_writes_nowhere(place: Place, level: SandboxLevel) -> None:
    """H6: reviewers read-only, but for a private folder that goes away."""
    script = "cat app.py; echo x > app.py; rm app.py; touch new; touch $TMPDIR/t && echo scratch"
    done = sh(place, place.policy(SandboxAccess.REVIEWER, level=level), script)
    assert done.out == "APP = 1\nscratch\n"
    assert sorted(path.name for path in place.worktree.iterdir()) == [".git", "app.py"]
    assert (place.worktree / "app.py").read_text() == "APP = 1\n"


@pytest.mark.parametrize("level", LEVELS)
def test_its_environment_is_the_list_and_nothing_else(
    place: Place, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H6: also when a client library hands over everything it has."""
    monkeypatch.setenv("AWS_SECRET", "of the user")
    policy = place.policy(environment={"PATH": PATH, "GIVEN": "yes"}, level=level)
    wrapped = wrap(policy, ("env",), place.scratch)
    everything = {**os.environ, **wrapped.env}
    argv, fds = wrapped.argv, wrapped.pass_fds
    out = subprocess.run(argv, env=everything, pass_fds=fds, capture_output=True, check=True).stdout
    wrapped.cleanup()
    known = dict(line.split("=", 1) for line in out.decode().splitlines())
    private = sandbox_path.PRIVATE if level is SandboxLevel.SEALED else wrapped.folder
    assert known == {
        "PATH": PATH,
        "GIVEN": "yes",
        "LANG": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "HOME": f"{private}/home",
        "TMPDIR": f"{private}/tmp",
        "SHELL": wrapped.shell,
    }


def test_no_value_of_the_environment_is_written_down(place: Place) -> None:
    """H5: names stand in the policies, values nowhere."""
    secret = "value-" + "of-a-key"
    policy = place.policy(environment={"KEY": secret}, secrets=frozenset({"KEY"}))
    wrapped = wrap(policy, ("true",), place.scratch)
    texts = [path.read_bytes() for path in wrapped.folder.rglob("*") if path.is_file()]
    wrapped.cleanup()
    assert len(texts) >= 3
    assert not any(secret.encode() in text for text in texts)


def test_its_folder_goes_away_whatever_it_did_to_it(place: Place) -> None:
    outside = place.root / "outside"
    outside.mkdir(mode=0o750)
    script = f"cd $TMPDIR && mkdir -p a/b && touch a/b/c && ln -s {outside} l && chmod 0 a/b a"
    assert sh(place, place.policy(), script).code == 0
    assert list(place.scratch.iterdir()) == []
    assert outside.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("level", LEVELS)
def test_much_goes_both_ways_at_once(place: Place, level: SandboxLevel) -> None:
    """H6: the relay of messages never stands still while both sides wait for it."""
    text = "line of a message\n" * 100_000
    done = launch(place, place.policy(level=level), "cat", stdin=text)
    assert (done.code, done.out == text) == (0, True)


def test_exit_codes_are_the_programs_own(place: Place) -> None:
    policy = place.policy()
    codes = [sh(place, policy, script).code for script in ("true", "exit 7", "kill -9 $$")]
    assert codes == [0, 7, 137]
    missing = launch(place, policy, "no-such-program")
    assert missing == (127, "", "sandbox: no-such-program: No such file or directory\n")


def test_what_it_complains_stays_apart_unless_asked(place: Place) -> None:
    script = "echo out; echo err >&2; echo more"
    assert sh(place, place.policy(), script) == (0, "out\nmore\n", "err\n")
    assert sh(place, place.policy(), script, merged=True) == (0, "out\nerr\nmore\n", "")


def test_who_inherits_the_input_of_a_client_cannot_speak_for_it(place: Place) -> None:
    """H6: input and output are two lines, each with one direction."""
    done = sh(place, place.policy(), "sh -c 'echo forged >&0'; echo mine", stdin="go\n")
    assert done.out == "mine\n"


def test_it_runs_under_asyncio(place: Place) -> None:
    async def run() -> bytes:
        wrapped = wrap(place.policy(), ("cat",), place.scratch)
        process = await asyncio.create_subprocess_exec(
            *wrapped.argv,
            env=wrapped.env,
            pass_fds=wrapped.pass_fds,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate(b"hello\n")
        wrapped.cleanup()
        return out

    assert asyncio.run(run()) == b"hello\n"


def test_a_client_library_takes_it_as_a_program(place: Place) -> None:
    """H6: for those that know nothing but the path of a program and add arguments of their own."""
    wrapped = wrap(place.policy(), ("printf", "%s|"), place.scratch)
    argv = (str(wrapped.program), "a b", "c")
    out = subprocess.run(argv, env=wrapped.env, capture_output=True, check=True).stdout
    wrapped.cleanup()
    assert out == b"a b|c|"


def test_a_wall_that_cannot_be_built_stops_everything(place: Place) -> None:
    """H6: never less confined than the policy says."""
    wrapped = wrap(
        place.policy(level=min(SandboxLevel.CALLS, TOP)), ("touch", "ran"), place.scratch
    )
    with (wrapped.folder / "policy").open("ab") as file:
        file.write(b"no such part\x001\x00")
    argv, fds = wrapped.argv, wrapped.pass_fds
    done = subprocess.run(argv, cwd=place.worktree, pass_fds=fds, capture_output=True, check=False)
    wrapped.cleanup()
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr.startswith(b"sandbox: policy: ")
    assert not (place.worktree / "ran").exists()


def test_its_rules_are_never_in_its_own_reach(place: Place) -> None:
    with pytest.raises(ValueError, match="writable"):
        wrap(place.policy(), ("true",), place.worktree / "scratch")


def test_no_room_for_its_folder_is_said_in_two_lines(place: Place) -> None:
    (place.root / "scratch").write_text("in the way")
    with pytest.raises(StateError, match="private folder"):
        wrap(place.policy(), ("true",), place.scratch)


@pytest.mark.parametrize(
    ("limits", "script", "complaint"),
    [
        (
            ProcessLimits(file_bytes=1000),
            "with open('big', 'wb') as f: f.write(bytes(5000))",
            "File too large",
        ),
        (ProcessLimits(memory_bytes=1 << 28), "bytearray(1 << 29)", "MemoryError"),
        (ProcessLimits(cpu_seconds=1), "while True: pass", ""),
    ],
    ids=["file", "memory", "time"],
)
def test_limits_hold(place: Place, limits: ProcessLimits, script: str, complaint: str) -> None:
    done = python(place, place.policy(limits=limits), script)
    assert done.code != 0
    assert complaint in done.err


def test_a_fork_bomb_stays_small(place: Place) -> None:
    """H6: counted for root too, if the kernel can; unsealed, the gap is told."""
    script = "import os, time\nfor n in range(900):\n  if os.fork() == 0: time.sleep(600)\nprint(n)"
    done = python(place, place.policy(limits=ProcessLimits(processes=400), level=TOP), script)
    if TOP is SandboxLevel.SEALED:
        assert (done.code, done.out) == (1, "")
        assert "BlockingIOError" in done.err
    else:
        assert any("number of processes" in gap for gap in level_reached().gaps)


def test_without_ports_it_has_a_network_to_itself(place: Place) -> None:
    """H7: servers of a test suite run; nobody else is there."""
    script = (
        "import socket as s, multiprocessing as m, os, pty\n"
        "a = s.create_server(('127.0.0.1', 0)); b = s.create_connection(a.getsockname())\n"
        "m.Lock(); pty.openpty(); print('served')"
    )
    done = python(place, place.policy(messages=False), script)
    assert done.out == ("served\n" if TOP is SandboxLevel.SEALED else ""), done.err


def test_level_is_settled_by_what_is_reached_or_by_the_user() -> None:
    """H6: refused below the shell's level, in two lines; on the user's word it goes on."""
    sealed, shell = Reach(SandboxLevel.SEALED, 7, False), Reach(SandboxLevel.SHELL, 3, False)
    files = Reach(SandboxLevel.FILES, 3, True)
    assert settle_level(sealed) is SandboxLevel.SEALED
    assert sealed.gaps == ()
    assert settle_level(shell) is SandboxLevel.SHELL
    assert [gap.split(",")[0] for gap in shell.gaps] == [
        "modes and dates of files outside",
        "other branches",
        "which TCP ports a client calls (Landlock 3",
        "signals to other processes (Landlock 3",
    ]
    with pytest.raises(SandboxRefused) as refused:
        settle_level(files)
    assert "the agent's key, from the commands it runs" in refused.value.what
    assert "--unsandboxed" in refused.value.repair
    assert settle_level(files, unsandboxed=True) is SandboxLevel.FILES
    assert (
        settle_level(Reach(SandboxLevel.UNSANDBOXED, 0, False), unsandboxed=True)
        is SandboxLevel.UNSANDBOXED
    )
    with pytest.raises(SandboxRefused, match="as root"):
        settle_level(Reach(SandboxLevel.UNSANDBOXED, 0, True, False), unsandboxed=True)


def test_every_level_has_words() -> None:
    assert len({level.words for level in SandboxLevel}) == len(SandboxLevel)
    assert all(level.words.startswith(level.name.lower()) for level in SandboxLevel)


def test_tools_of_the_user_are_readable_and_their_secrets_are_not() -> None:
    home = Path("/home/ada")
    path = "/usr/bin:/home/ada/.nvm/v20/bin:/home/ada/bin:/home/ada/.local/bin:relative:/home/ada"
    assert tool_roots(path, home) == (
        home / ".nvm" / "v20" / "bin",
        home / "bin",
        home / ".local" / "bin",
    )
    assert tool_roots("/home/ada/.cargo/bin", home) == (home / ".cargo/bin", home / ".rustup")
    elsewhere = Path("/srv/ada/.cargo/bin")
    assert tool_roots(str(elsewhere), home) == (elsewhere,)


def test_what_is_asked_for_bounds_the_level(place: Place) -> None:
    lower = replace(place.policy(), level=SandboxLevel.FILES)
    wrapped = wrap(lower, ("true",), place.scratch)
    wrapped.cleanup()
    assert wrapped.level is min(SandboxLevel.FILES, TOP)


@pytest.mark.parametrize(("port", "allowed"), [(443, ["53", "443"]), (8471, ["8471"])])
def test_whoever_calls_the_web_may_look_up_names(
    tmp_path: Path, port: int, allowed: list[str]
) -> None:
    """H6: through a relay, since datagrams are refused; who calls this machine needs none."""
    place = make_place(tmp_path)
    wrapped = wrap(place.policy(ports=frozenset({port})), ("true",), place.scratch)
    fields = (wrapped.folder / "policy").read_text().split("\0")
    wrapped.cleanup()
    pairs = [*zip(fields[0::2], fields[1::2], strict=False)]
    assert [value for key, value in pairs if key == "port"] == allowed
    assert [value for key, value in pairs if key == "names"] == (["1"] if port == 443 else [])
    assert "RES_OPTIONS" not in wrapped.env
