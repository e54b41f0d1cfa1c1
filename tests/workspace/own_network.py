"""A network with a nameserver and a package registry of ours, for a command in the sandbox.

`python -m tests.workspace.own_network FOLDER ROOT READABLE COMMAND…` runs the command with FOLDER
as its worktree; ROOT is served at http://registry.example/ as it lies there. The nameserver speaks
UDP; over TCP it closes the connection after one answer, as some routers do. Prints what the
command printed and ends with its exit code.
"""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from scripts.loopback import enter_own_network
from sparing.workspace.sandbox.launcher import wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy

NAME = b"\x08registry\x07example\x00"
RESOLVER = {Path("/etc/resolv.conf"): "nameserver 127.0.0.1\n"}
ADDRESS_RECORD, MISSING, NOTHING_MORE = 1, b"\x81\x83", b"\x81\x80"


def answer_to(question: bytes) -> bytes:
    """127.0.0.1 for the registry, no IPv6, and no other name."""
    name, kind = question[12 : question.index(b"\0", 12) + 1], question[-4:]
    end = 12 + len(name)
    kind = question[end : end + 4]
    known = name.lower() == NAME
    found = known and kind[1] == ADDRESS_RECORD
    head = question[:2] + (NOTHING_MORE if known else MISSING) + b"\0\1\0" + bytes([found])
    record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1" if found else b""
    return head + b"\0\0\0\0" + name + kind + record


class Datagram(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        data, line = self.request
        line.sendto(answer_to(data), self.client_address)


class OneAnswer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        data = self.rfile.read(int.from_bytes(self.rfile.read(2)))
        found = answer_to(data)
        self.wfile.write(len(found).to_bytes(2) + found)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(root: str) -> None:
    listeners = (
        socketserver.ThreadingUDPServer(("127.0.0.1", 53), Datagram),
        socketserver.ThreadingTCPServer(("127.0.0.1", 53), OneAnswer),
        ThreadingHTTPServer(("127.0.0.1", 80), partial(Quiet, directory=root)),
    )
    for one in listeners:
        threading.Thread(target=one.serve_forever, daemon=True).start()


def main(worktree: str, root: str, readable: str, *argv: str) -> int:
    assert enter_own_network()
    if root != "-":
        serve(root)
    environment = {"PATH": os.environ["PATH"], "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    policy = SandboxPolicy(
        SandboxAccess.AUTHOR, Path(worktree), environment, covered=RESOLVER,
        readable=tuple(map(Path, readable.split(os.pathsep))),
        ports=frozenset({80}), messages=False,
    )  # fmt: skip
    wrapped = wrap(policy, argv, Path(worktree).parent / "scratch")
    try:
        line = subprocess.run(
            wrapped.argv, env=wrapped.env, pass_fds=wrapped.pass_fds, cwd=worktree, check=False
        )
    finally:
        wrapped.cleanup()
    return line.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
