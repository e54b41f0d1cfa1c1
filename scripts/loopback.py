"""Run a command where only this machine can be reached, or watch that nothing else is.

`python -m scripts.loopback COMMAND…` gives the command a network of its own that has loopback and
no other interface. Where the system does not allow that, it looks at the sockets of the command
and all its descendants while they run, and fails if one of them is connected to another machine.
Looking can miss a connection of a few milliseconds; the network of its own can't.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x1 | 0x40
CHILD_SUBREAPER = 36
ELSEWHERE = ("192.0.2.1", 9)
"""An address that no machine has; whoever finds a way to it has a way out."""
UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH)
LOOK_SECONDS = 0.02
ALONE = "PYTEST_ALONE"
"""Tells tests that look at the network themselves that there should be nothing but loopback."""
PROC = Path("/proc")
_LIBRARY = ctypes.CDLL(None, use_errno=True)


def main(command: Sequence[str]) -> int:
    if not command:
        sys.stderr.write("error: no command\nfix: python -m scripts.loopback COMMAND\n")
        return 64
    if enter_own_network():
        _say(f"a network of its own: {', '.join(interfaces())}; no way to another machine")
        told = {**os.environ, ALONE: "1"}
        return _exit_code(subprocess.run(command, check=False, env=told).returncode)
    _say("no network of its own is allowed here: watching sockets instead")
    code, seen = watched(command)
    for line in sorted(seen):
        _say(f"connected to another machine: {line}")
    _say(f"{len(seen)} connections to other machines seen")
    return code or (1 if seen else 0)


def enter_own_network() -> bool:
    """Whether this process and its children now have loopback and nothing else."""
    uid, gid = os.getuid(), os.getgid()
    if _unshare(NEW_NETWORK):
        pass
    elif _unshare(NEW_USER | NEW_NETWORK):
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{uid} {uid} 1"),
            ("gid_map", f"{gid} {gid} 1"),
        ):
            (PROC / "self" / name).write_text(text)
    else:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))
    assert not reaches_out(), "a network of its own, and yet a way out"
    return True


def interfaces() -> list[str]:
    return [name for _, name in socket.if_nameindex()]


def reaches_out() -> bool:
    """Whether the system knows a way to another machine; nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError as error:
            return error.errno not in UNREACHABLE
    return True


def watched(command: Sequence[str]) -> tuple[int, set[str]]:
    """The command's exit code, and every connection to another machine that was seen."""
    _LIBRARY.prctl(CHILD_SUBREAPER, 1, 0, 0, 0)  # a daemon stays a descendant of ours
    seen: set[str] = set()
    with subprocess.Popen(command) as child:
        while child.poll() is None:
            for pid in descendants(os.getpid()):
                seen.update(connections(pid))
            time.sleep(LOOK_SECONDS)
    return _exit_code(child.returncode), seen


def descendants(pid: int) -> list[int]:
    parents = dict(_parents())
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def connections(pid: int) -> Iterator[str]:
    """What a process is connected to on other machines."""
    own = set(_sockets(pid))
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        try:
            table = (PROC / str(pid) / "net" / kind).read_text()
        except OSError:  # it has ended
            continue
        for inode, address in remote(table):
            if inode in own:
                yield f"{kind} {address}"


def remote(table: str) -> Iterator[tuple[str, str]]:
    """Inode and far end of each socket of such a table that does not stay on this machine."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        host, port = fields[2].split(":")
        words = struct.unpack(f">{len(host) // 8}I", bytes.fromhex(host))
        address = ip_address(struct.pack(f"={len(words)}I", *words))
        mapped = getattr(address, "ipv4_mapped", None) or address
        if not (mapped.is_loopback or mapped.is_unspecified):
            yield fields[9], f"{mapped}:{int(port, 16)}"


def _exit_code(code: int) -> int:
    """As a shell counts a process that was killed."""
    return code if code >= 0 else 128 - code


def _unshare(flags: int) -> bool:
    return _LIBRARY.unshare(flags) == 0


def _parents() -> Iterator[tuple[int, int]]:
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # The name in parentheses may hold blanks and parentheses itself.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        yield int(folder.name), int(fields[1])


def _sockets(pid: int) -> Iterator[str]:
    try:
        links = [link.readlink() for link in (PROC / str(pid) / "fd").iterdir()]
    except OSError:
        return
    for link in links:
        match = re.fullmatch(r"socket:\[(\d+)\]", str(link))
        if match:
            yield match[1]


def _say(words: str) -> None:
    sys.stderr.write(f"loopback: {words}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
