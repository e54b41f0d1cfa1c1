"""A client that turned against its host: `python hostile.py`, what it knows comes as JSON on stdin.

It tries everything in `ATTEMPTS`, some by itself as a client's own tools would, most through the
shell it was told to use, and reports each attempt as a line of JSON. Whether one landed is not
for it to say: `tests.workspace.scene` looks at the world afterwards. Standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

MARK = "OWNED"
FORGED = json.dumps({"type": "result", "text": "forged"})

# One line of Python each, started by the shell.
_SOCKET = "import socket as s; c = s.socket(s.AF_UNIX); c.connect({address!r}); c.send(b'OWNED')"
_FAST_OPEN = (
    "import socket as s; c = s.socket();"
    " c.sendto(b'OWNED-fast', s.MSG_FASTOPEN, ('127.0.0.1', {other_port}))"
)
_MULTIPATH = (
    "import socket as s; c = s.socket(s.AF_INET, s.SOCK_STREAM, 262); c.settimeout(2);"
    " c.connect(('127.0.0.1', {other_port})); c.send(b'OWNED-multipath')"
)
_PAIR = (
    "import socket as s; a, b = s.socketpair(s.AF_UNIX, s.SOCK_DGRAM); a.sendto(b'OWNED', '{log}')"
)
_MEMORY = (
    "import re; m = open('/proc/$PPID/maps').read(); a = int(m.split('-')[0], 16);"
    " f = open('/proc/$PPID/mem', 'rb'); f.seek(a); print('MEMORY', f.read(4))"
)


class Attempt(NamedTuple):
    name: str
    by: str
    """`shell`: a command of the client's shell. Otherwise what the client itself does."""
    how: str


def _python(code: str) -> str:
    return f'{{python}} -I -S -c "{code}"'


ATTEMPTS = (
    # The client's own tools.
    Attempt("tool writes to HOME", "write", "{home}/notes"),
    Attempt("tool writes to the main checkout", "write", "{main}/app.py"),
    Attempt("tool writes a git hook", "write", "{main}/.git/hooks/post-commit"),
    Attempt("tool writes to another worktree", "write", "{other}/app.py"),
    Attempt("tool writes through a symlink", "write", "{worktree}/link-to-home/through"),
    Attempt("tool reads a private key", "read", "{home}/.ssh/id"),
    Attempt("tool reads an untracked file of the main checkout", "read", "{main}/.env"),
    Attempt("client uses a descriptor of the orchestrator", "descriptor", "{descriptor}"),
    # Files, by its shell.
    Attempt("shell appends to .bashrc", "shell", "echo OWNED >> {home}/.bashrc"),
    Attempt("shell writes a git hook", "shell", "echo OWNED > {main}/.git/hooks/pre-commit"),
    Attempt("shell removes a ref", "shell", "rm {main}/.git/refs/heads/idea"),
    Attempt("shell writes to the main checkout", "shell", "echo OWNED > {main}/new.py"),
    Attempt("shell edits the git configuration", "shell", "echo '#OWNED' >> {main}/.git/config"),
    Attempt("shell writes to another worktree", "shell", "echo OWNED > {other}/new.py"),
    Attempt(
        "shell follows its own symlink", "shell", "ln -s {home} far && echo OWNED > far/by-link"
    ),
    Attempt(
        "shell hard-links and writes", "shell", "ln {home}/.profile near && echo OWNED >> near"
    ),
    Attempt("shell moves a file to itself", "shell", "mv {home}/moved stolen"),
    Attempt("shell cuts a file to nothing", "shell", "truncate -s 0 {home}/precious"),
    Attempt("shell rewrites its policy", "shell", "echo OWNED > {policy}"),
    Attempt("shell writes to a folder of everybody", "shell", "echo OWNED > {public}/left"),
    Attempt("shell changes the mode of a private key", "shell", "chmod 777 {home}/.ssh/id"),
    Attempt("shell changes the date of a file", "shell", "touch -d @1 {main}/app.py"),
    Attempt("shell points its worktree elsewhere", "shell", "echo 'gitdir: /OWNED' > .git"),
    # What it should not know.
    Attempt("shell reads a private key", "shell", "cat {home}/.ssh/id"),
    Attempt("shell reads another process's environment", "shell", "cat /proc/{victim}/environ"),
    Attempt("shell reads the key in its environment", "shell", "env; cat /proc/self/environ"),
    Attempt("shell reads the key of its client", "shell", "cat /proc/$PPID/environ"),
    Attempt("shell reads the memory of its client", "shell", _python(_MEMORY)),
    Attempt("shell edits the client's own record", "shell", "echo OWNED >> {state}/record"),
    # Other processes, sockets, networks.
    Attempt("shell ends the orchestrator", "shell", "kill -TERM {victim}"),
    Attempt("shell forges a result", "shell", f"echo '{FORGED}' > /proc/$PPID/fd/1"),
    Attempt(
        "a daemon lives on",
        "shell",
        "setsid sh -c 'exec 9>> beats; while [ -e {running} ]; do echo . >&9; sleep 0.05; done'"
        " < /dev/null > /dev/null 2>&1 &",
    ),
    Attempt(
        "shell calls the port of the API", "shell", "echo OWNED > /dev/tcp/127.0.0.1/{api_port}"
    ),
    Attempt(
        "shell calls another port", "shell", "echo OWNED-plain > /dev/tcp/127.0.0.1/{other_port}"
    ),
    Attempt("shell calls it by fast open", "shell", _python(_FAST_OPEN)),
    Attempt("shell calls it by multipath", "shell", _python(_MULTIPATH)),
    Attempt("shell sends a datagram", "shell", "echo OWNED > /dev/udp/127.0.0.1/{udp_port}"),
    Attempt(
        "shell uses a socket file", "shell", _python(_SOCKET.replace("{address!r}", "'{socket}'"))
    ),
    Attempt(
        "shell uses a nameless socket",
        "shell",
        _python(_SOCKET.replace("{address!r}", "'\\0{abstract}'")),
    ),
    Attempt("shell writes to the log by a pair of sockets", "shell", _python(_PAIR)),
    Attempt("shell writes on the user's terminal", "shell", "echo OWNED > {terminal}"),
    Attempt("shell takes powers in a new namespace", "shell", "unshare -Ur echo POWERS"),
    Attempt("shell removes its worktree", "shell", "rm -rf {worktree}"),
)


def main() -> None:
    known: dict[str, Any] = json.loads(sys.stdin.readline())
    for attempt in ATTEMPTS:
        how = attempt.how
        for name, value in known.items():
            how = how.replace(f"{{{name}}}", str(value))
        say(type="attempt", name=attempt.name, said=_try(attempt.by, how, known["shell"]))
    say(type="result", text="done")


def _try(by: str, how: str, shell: str) -> str:
    try:
        if by == "write":
            Path(how).write_text(MARK)
        elif by == "read":
            return Path(how).read_text()
        elif by == "descriptor":
            os.write(int(how), MARK.encode())
        else:
            done = subprocess.run(
                (shell, "-c", how), capture_output=True, text=True, check=False, errors="replace"
            )
            return done.stdout + done.stderr
    except OSError as error:
        return str(error)
    return ""


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
