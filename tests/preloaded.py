"""Processes of `sparing` that need not load it first: forked from one that has.

A process of its own costs a second of loading before it does anything, and the tests begin some
hundreds. `Preloaded` keeps one process with every module loaded and nothing begun; each call is a
fork of it with its own folder, environment, output and limits, and may be killed like any other.
`make test-nightly` begins real ones instead, each with its own seed of hashes.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.patience import Patience

ROOT = Path(__file__).parents[1]


class Ended(NamedTuple):
    code: int
    out: bytes
    err: bytes


class Preloaded:
    """One process that forks; it ends with the one that began it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, "-m", "tests.preloaded", str(theirs.fileno())),
                cwd=ROOT, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self.close)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()

    def run(
        self,
        words: tuple[str, ...],
        where: Path,
        environ: Mapping[str, str],
        limit_seconds: float,
        file_bytes: int | None,
    ) -> Ended:
        asked = [words, str(where), dict(environ), file_bytes]
        out, their_out = os.pipe()
        err, their_err = os.pipe()
        socket.send_fds(self._socket, [_line(asked)], [their_out, their_err])
        os.close(their_out)
        os.close(their_err)
        pid = _answer(self._socket)
        try:
            said = _read_all((out, err), Patience(limit_seconds))
        except TimeoutError as late:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(words, limit_seconds) from late
        finally:
            os.close(out)
            os.close(err)
            code = _answer(self._socket)
        return Ended(code, *said)


_here = threading.local()


def preloaded() -> Preloaded:
    """The one of this thread; begun when it is first asked for."""
    if getattr(_here, "pid", None) != os.getpid():
        _here.pid, _here.value = os.getpid(), Preloaded()
    return _here.value


def serve(channel: socket.socket) -> None:
    """Fork for every line that is asked; returns in the child that is to be `sparing`."""
    while True:
        asked, fds = _receive(channel)
        if not asked:
            sys.exit(0)
        pid = os.fork()
        if pid == 0:
            channel.close()
            _become(asked, fds)
            return
        for fd in fds:
            os.close(fd)
        channel.sendall(_line(pid))
        channel.sendall(_line(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))


def _become(asked: list[Any], fds: list[int]) -> None:
    words, where, environ, file_bytes = asked
    os.chdir(where)
    os.environ.clear()
    os.environ.update(environ)
    for ours, theirs in zip(fds, (1, 2), strict=True):
        os.dup2(ours, theirs)
        os.close(ours)
    if file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    sys.argv = ["sparing", *words]
    sys.path[0] = where


def _receive(channel: socket.socket) -> tuple[list[Any], list[int]]:
    data, fds, _, _ = socket.recv_fds(channel, 1 << 16, 2)
    while data and not data.endswith(b"\n"):
        data += channel.recv(1 << 16)
    return (json.loads(data) if data else []), fds


def _answer(channel: socket.socket) -> int:
    """One line; the second may follow at once, so no more than a line is taken."""
    data = b""
    while not data.endswith(b"\n"):
        more = channel.recv(1)
        if not more:
            raise AssertionError("the process that forks has ended")
        data += more
    return json.loads(data)


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _read_all(fds: tuple[int, int], patience: Patience) -> tuple[bytes, bytes]:
    found = {fd: bytearray() for fd in fds}
    left = set(fds)
    while left:
        ready, _, _ = select.select(list(left), [], [], 1.0)
        if not patience.left:
            raise TimeoutError
        for fd in ready:
            data = os.read(fd, 1 << 16)
            found[fd] += data
            if not data:
                left.discard(fd)
    return bytes(found[fds[0]]), bytes(found[fds[1]])


def _load_everything() -> None:
    import sparing

    for found in pkgutil.walk_packages(sparing.__path__, "sparing."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    _load_late()
    gc.freeze()
    if threading.active_count() != 1:
        raise AssertionError("a module begins a thread when it is imported: it can't be forked")


LATE = ("pydantic.dataclasses", "sqlalchemy.dialects.sqlite", "idna")
"""Loaded by libraries when they are first used."""


def _load_late() -> None:
    """What each process would load or compile when it first needs it, and none can change: the
    price list, the templates of prompts, dataclasses that are built late."""
    from sparing.economy.prices import listed_prices
    from sparing.prompts import render

    for name in LATE:
        importlib.import_module(name)
    listed_prices("claude-sonnet-4-5")
    for kind in ("roles", "stages", "skills", "blocks", "turns", "documents"):
        for name in render.names(kind):
            getattr(render, "_template")(kind, name)  # noqa: B009
    for module in [one for name, one in sys.modules.items() if name.startswith("sparing.")]:
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value):
                fields(value)


def _code_of_main() -> int:
    try:
        runpy.run_module("sparing", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _end_with(code: int) -> None:
    """All that an interpreter does at its end but taking a thousand modules apart."""
    for library, name in ((threading, "_shutdown"), (atexit, "_run_exitfuncs")):
        getattr(library, name)()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _load_everything()
    serve(socket.socket(fileno=int(sys.argv[1])))
    _end_with(_code_of_main())
