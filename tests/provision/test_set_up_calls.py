"""Who a set-up can call: its proxy, and nobody else on this machine or any other.

Covers: H9
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from sparing.provision.setup_resources import set_up_means
from sparing.workspace.checks.run import Check, run_check
from tests.engine.setup_scene import Scene
from tests.provision.test_set_up_network import SYSTEM, scene_of, served
from tests.repositories import write_files

ELSEWHERE = """
import os, socket
from urllib.parse import urlsplit
port = urlsplit(os.environ["HTTPS_PROXY"]).port
def tried(name, family, kind, address, said=b"GET / HTTP/1.0\\r\\n\\r\\n"):
    try:
        with socket.socket(family, kind) as wire:
            wire.settimeout(2)
            wire.connect(address)
            wire.send(said)
            print(name, "reached" if wire.recv(100) else "closed")
    except OSError as error:
        print(name, "refused:", error)
inet, stream, datagram = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
tried("another host at the tunnel's port", inet, stream, ("127.0.0.2", port))
tried("a name server", inet, datagram, ("127.0.0.2", port), b"x")
tried("the user's server", inet, stream, ("127.0.0.1", int(os.environ["OTHER"])))
tried("the same in IPv6", socket.AF_INET6, stream, ("::ffff:127.0.0.1", int(os.environ["OTHER"])))
tried("a socket file", socket.AF_UNIX, stream, os.environ["DOOR"])
tried("an abstract socket", socket.AF_UNIX, stream, "\\0" + os.environ["NAME"])
tried("a machine's own socket", 40, stream, (2, port))
tried("the user's server by no address", inet, stream, ("0.0.0.0", int(os.environ["OTHER"])))
tried("the same in its own IPv6", socket.AF_INET6, stream, ("::1", int(os.environ["OTHER"])))
tried("an address of a cloud's own", inet, stream, ("169.254.169.254", 80))
tried("a packet of its own", 17, socket.SOCK_RAW, ("lo", 0))
tried("another socket of the kernel", 30, stream, (2, port))
"""


CALLS = ELSEWHERE.count("\ntried(")


def heard_elsewhere(scene: Scene, other: int, door: Path, name: str) -> list[str]:
    write_files(scene.worktree.path, {"elsewhere.py": ELSEWHERE})
    with set_up_means(scene.around, scene.row, logins=True) as means:
        assert means.sandbox is not None
        given = {**means.sandbox.given, "OTHER": str(other), "DOOR": str(door), "NAME": name}
        port = urlsplit(given["HTTPS_PROXY"]).port or 0
        with listening("127.0.0.2", port) as heard:
            check = Check("set-up", ("python3", "elsewhere.py"), "a test")
            box = means.sandbox._replace(given=given)
            done = run_check(check, scene.worktree.path, 600.0, means.environ, box)
    assert done.passed, done.output
    return [*done.output.splitlines(), *(f"heard {one}" for one in heard)]


@contextmanager
def listening(host: str, port: int) -> Generator[list[bytes]]:
    """Another host, as far as a sandbox is concerned: who called it, by TCP and UDP."""
    heard: list[bytes] = []
    with socket.socket() as plain, socket.socket(type=socket.SOCK_DGRAM) as wire:
        for one in (plain, wire):
            one.bind((host, port))
            one.settimeout(0.2)
        plain.listen()
        yield heard
        with suppress(TimeoutError), plain.accept()[0] as caller:
            heard.append(caller.recv(100))
        with suppress(TimeoutError):
            heard.append(wire.recv(100))


def called(folder: Path) -> list[str]:
    """What came of each way to call somebody but the proxy; what was heard is said, too."""
    folder.mkdir(exist_ok=True)
    door, name = folder / "door", f"sparing-{folder.name}"
    with ExitStack() as stack, served() as other:
        for address in (str(door), f"\0{name}"):
            wire = stack.enter_context(socket.socket(socket.AF_UNIX))
            wire.bind(address)
            wire.listen()
        told = heard_elsewhere(scene_of(folder / "s", SYSTEM), other.port, door, name)
        return [*told, *(f"heard {one}" for one in other.asked)]


def test_the_tunnel_s_port_leads_to_the_tunnel_alone(tmp_path: Path) -> None:
    """H9: not to the same port of any other host, where somebody may listen on all of them."""
    told = called(tmp_path)
    assert len(told) == CALLS
    assert [line for line in told if " refused: " not in line] == []
