"""The proof that nothing leaves this machine can fail. Covers: G2."""

from __future__ import annotations

import subprocess
import sys

from scripts.loopback import remote, watched

TALK = """
import socket, sys, time
near = socket.create_server(("127.0.0.1", 0))
there = socket.create_connection(near.getsockname())
far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "out":
    far.connect(("192.0.2.1", 9))
    time.sleep(5)
"""
TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 11 1
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1
   2: 0A00020F:C350 010200C0:01BB 01 00000000:00000000 00:00000000 00000000     0        0 13 1
"""
TABLE_6 = """  sl  local_address                         remote_address                        st
   0: 0 00000000000000000000000001000000:1F90 01 a b c d e 21
   1: 0 0000000000000000FFFF00000100007F:1F90 01 a b c d e 22
   2: 0 B80D0120000000000000000001000000:01BB 01 a b c d e 23
"""


def test_a_way_out_is_a_failure() -> None:
    """In a network of its own the way is not there; elsewhere the connection is seen."""
    argv = (sys.executable, "-m", "scripts.loopback", sys.executable, "-c", TALK)
    stay, out = (
        subprocess.run((*argv, where), check=False, capture_output=True, timeout=240)
        for where in ("in", "out")
    )
    assert (stay.returncode, out.returncode) == (0, 1), out.stderr


def test_the_command_s_own_end_is_told() -> None:
    argv = (sys.executable, "-m", "scripts.loopback", "sh", "-c", "exit 7")
    assert subprocess.run(argv, check=False, capture_output=True, timeout=240).returncode == 7


def test_watching_lets_this_machine_talk_to_itself() -> None:
    assert watched((sys.executable, "-c", TALK, "in")) == (0, set())


def test_what_is_on_this_machine_is_told_from_what_is_not() -> None:
    """Loopback, listening, another machine; the same with addresses of 16 bytes."""
    assert list(remote(TABLE)) == [("13", "192.0.2.1:443")]
    assert list(remote(TABLE_6)) == [("23", "2001:db8::1:443")]
