"""A server of this machine for checks without a network: it, and nobody else. Covers: H4, K2."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparing.workspace.checks.discover import Check
from sparing.workspace.checks.run import CheckResult, CheckSandbox, run_check
from sparing.workspace.sandbox.service_relay import Relay

ASKS = """
import socket, threading
def ask(size):
    wire = socket.create_connection(("127.0.0.1", {port}), 5)
    threading.Thread(target=lambda: (wire.sendall(b"x" * size), wire.shutdown(1))).start()
    got = 0
    while data := wire.recv(65536):
        got += len(data)
    return got
print([ask(size) for size in (1, 1000, 3000000)])
for place in (("127.0.0.1", {other}), ("10.1.2.3", {port})):
    try:
        socket.create_connection(place, 2)
        print("reached", place)
    except OSError as error:
        print("not reached", place[0])
"""


@contextmanager
def echo_server() -> Generator[int]:
    """Answers with what it hears; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    wire, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(wire,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def answer(wire: socket.socket) -> None:
    with wire:
        while data := wire.recv(65536):
            wire.sendall(data)


def asked(tmp_path: Path, port: int, other: int, services: tuple[str, ...]) -> CheckResult:
    (tmp_path / "work").mkdir(exist_ok=True)
    check = Check("test", (sys.executable, "-c", ASKS.format(port=port, other=other)), "here")
    sandbox = CheckSandbox(tmp_path / "scratch", services=services)
    return run_check(check, tmp_path / "work", 600, {"PATH": "/usr/bin:/bin"}, sandbox)


def test_the_named_server_is_reached_and_no_other(tmp_path: Path) -> None:
    """H4: neither another port of this machine nor the same port elsewhere; large answers arrive
    whole, and an end that says it is done is heard."""
    with echo_server() as port, echo_server() as other:
        found = asked(tmp_path, port, other, (f"127.0.0.1:{port}",))
        assert found.passed, found.output
        assert found.output.splitlines() == [
            "[1, 1000, 3000000]", "not reached 127.0.0.1", "not reached 10.1.2.3",
        ]  # fmt: skip
        nothing = asked(tmp_path, port, other, ())
        assert not nothing.passed
        assert "Connection refused" in nothing.output


def test_a_server_that_does_not_run_ends_the_connection(tmp_path: Path) -> None:
    """K2: a check hears of it at once."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    found = asked(tmp_path, port, 1, (f"127.0.0.1:{port}",))
    assert "ConnectionResetError" in found.output or "[0, 0, 0]" in found.output


@contextmanager
def relayed(port: int) -> Generator[int]:
    """A relay to a server, as it runs outside of the sandbox; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        own = listening.getsockname()[1]
        child = os.fork()
        if not child:
            Relay({os.dup(listening.fileno()): ("127.0.0.1", port)}).run()
    yield own
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.parametrize("size", [1, 3_000_000, 8_000_000])
def test_an_answer_arrives_whole_although_both_sides_said_that_they_are_done(size: int) -> None:
    """K2: as a client that says so after its question, and reads more slowly than it is told."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            wire, _ = server.accept()
            with wire:
                while wire.recv(65536):
                    pass
                wire.sendall(b"x" * size)

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        with relayed(server.getsockname()[1]) as port, socket.socket() as wire:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.connect(("127.0.0.1", port))
            wire.sendall(b"question")
            wire.shutdown(socket.SHUT_WR)
            serving.join(2)  # by then the system holds most of it, or all
            time.sleep(0.2)
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            got = 0
            while data := wire.recv(65536):
                got += len(data)
    assert got == size
