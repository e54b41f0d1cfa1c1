"""A sandboxed program that may call the web finds hosts by name, and sends datagrams to nobody.

Covers: H6
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.name_lookup import nameservers, refusal
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.workspace.launched import make_place, sh
from tests.workspace.own_network import answer_to

sealed = pytest.mark.skipif(
    level_reached().level is not SandboxLevel.SEALED, reason="needs namespaces"
)
LOOK_UP = """
import socket, os
print(os.environ.get("RES_OPTIONS"))
for name in ("registry.example", "nowhere.example"):
    try:
        print(sorted({one[4][0] for one in socket.getaddrinfo(name, 80)}))
    except socket.gaierror as error:
        print(error.strerror)
"""
SEND = """
import socket
near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
near.bind(("127.0.0.1", 5300))
far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
print(far.getblocking(), far.get_inheritable())
far.sendto(b"hello", ("127.0.0.1", 5300))
print(near.recv(9))
far.sendto(b"hello", ("127.0.0.1", 5353))
for kind, protocol in ((socket.SOCK_DGRAM, socket.IPPROTO_ICMP), (socket.SOCK_RAW, 255)):
    try:
        socket.socket(socket.AF_INET, kind, protocol)
    except OSError as error:
        print(error.strerror)
"""


def run(tmp_path: Path, script: str, registry: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "tree").mkdir()
    line = (sys.executable, "-m", "tests.workspace.own_network", str(tmp_path / "tree"), registry)
    argv = (*line, "/usr", "/usr/bin/env", sys.executable, "-c", script)
    return subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)


@sealed
def test_a_name_is_found_where_tcp_ends_after_one_answer(tmp_path: Path) -> None:
    """H6: getaddrinfo asks twice at once; over TCP the second question was lost."""
    done = run(tmp_path, LOOK_UP, str(tmp_path))
    assert done.stdout == "None\n['127.0.0.1']\nName or service not known\n", done.stderr


@sealed
def test_a_resolver_that_is_gone_is_said_at_once(tmp_path: Path) -> None:
    done = run(tmp_path, LOOK_UP, "-")
    assert done.stdout.count("Temporary failure in name resolution") == 2, done.stderr


@sealed
def test_datagrams_stay_in_a_network_of_their_own(tmp_path: Path) -> None:
    """H6: they reach the program itself and the relay; pings and raw sockets are refused."""
    done = run(tmp_path, SEND, "-")
    refused = "Operation not permitted\n"
    assert done.stdout == f"False False\nb'hello'\n{refused * 2}", done.stderr


def test_nameservers_are_those_that_a_c_library_asks() -> None:
    text = "# a\nsearch lan\nnameserver 10.0.0.1\n nameserver fe80::1%eth0\nnameserver ::1\n"
    assert nameservers(text) == ("10.0.0.1", "::1")
    assert nameservers("") == ("127.0.0.1",)
    assert nameservers("nameserver 1.1.1.1\n" * 5) == ("1.1.1.1",) * 3


@given(st.binary(min_size=12, max_size=600))
def test_a_refusal_answers_just_that_question(question: bytes) -> None:
    said = refusal(question)
    assert said[:2] == question[:2]
    assert said[2] & 0x80
    assert said[3] & 0x0F == 2
    assert said[4:] == question[4:]


def test_the_nameserver_of_the_tests_knows_one_name() -> None:
    head = bytes(2) + b"\1\0\0\1" + bytes(6)
    assert answer_to(head + b"\x08registry\x07example\x00\0\1\0\1")[-4:] == b"\x7f\0\0\1"
    assert answer_to(head + b"\x01x\x00\0\1\0\1")[3] & 15 == 3


@pytest.mark.skipif(level_reached().level < SandboxLevel.SHELL, reason="needs seccomp")
def test_without_namespaces_names_are_looked_up_over_tcp(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    policy = place.policy(ports=frozenset({443}), level=SandboxLevel.SHELL)
    done = sh(place, policy, "echo $RES_OPTIONS")
    assert (done.code, done.out) == (0, "use-vc\n")
