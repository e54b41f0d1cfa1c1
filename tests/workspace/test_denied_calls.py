"""Which system calls the sandbox refuses, by the names that the kernel's own tables have.

Covers: H6
"""

from __future__ import annotations

import os
import struct

import pytest

from sparing.workspace.sandbox import landlock
from sparing.workspace.sandbox.entry import KEYS

X86 = {
    101: "ptrace", 310: "process_vm_readv", 311: "process_vm_writev", 298: "perf_event_open",
    321: "bpf", 323: "userfaultfd", 248: "add_key", 249: "request_key", 250: "keyctl",
    272: "unshare", 308: "setns", 165: "mount", 166: "umount2", 155: "pivot_root", 161: "chroot",
    304: "open_by_handle_at", 312: "kcmp",
}  # fmt: skip
ARM = {
    117: "ptrace", 270: "process_vm_readv", 271: "process_vm_writev", 241: "perf_event_open",
    280: "bpf", 282: "userfaultfd", 217: "add_key", 218: "request_key", 219: "keyctl",
    97: "unshare", 268: "setns", 40: "mount", 39: "umount2", 41: "pivot_root", 51: "chroot",
    265: "open_by_handle_at", 272: "kcmp",
}  # fmt: skip
EVERYWHERE = {
    425: "io_uring_setup", 428: "open_tree", 429: "move_mount", 430: "fsopen", 431: "fsconfig",
    432: "fsmount", 433: "fspick", 438: "pidfd_getfd", 442: "mount_setattr",
}  # fmt: skip
REFUSED = {**(ARM if os.uname().machine == "aarch64" else X86), **EVERYWHERE}


def answer_to(number: int, program: bytes) -> int:
    """What the filter says to a call without arguments, run here as the kernel would."""
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    machine = landlock.ARCHITECTURES[os.uname().machine]
    at, held = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == landlock.RETURN:
            return value
        if code == landlock.LOAD:
            held = {0: number, 4: machine}.get(value, 0)
        elif code == landlock.MASK:
            held &= value
        else:
            holds = {
                landlock.EQUAL: held == value,
                landlock.AT_LEAST: held >= value,
                landlock.ANY_BIT: bool(held & value),
            }[code]
            at += yes if holds else no


@pytest.mark.parametrize("number", REFUSED, ids=REFUSED.values())
def test_calls_that_lead_around_the_sandbox_are_refused(number: int) -> None:
    """H6"""
    program = landlock.filter_program({key: [] for key in KEYS})
    assert answer_to(number, program) == landlock.EPERM


def test_no_other_call_is_refused_by_its_number() -> None:
    """H6: tools run; a socket and its pair are judged by what they ask for."""
    program = landlock.filter_program({key: [] for key in KEYS})
    refused = {number for number in range(500) if answer_to(number, program) == landlock.EPERM}
    assert refused == {*REFUSED, landlock.SOCKET, landlock.SOCKET_PAIR}


def test_machines_are_known_by_the_numbers_of_their_programs() -> None:
    """H6: what the kernel calls them is the number in every ELF file, 64 bits, little-endian."""
    wide_and_little = 0x8000_0000 | 0x4000_0000
    machines = {"x86_64": 62, "aarch64": 183}
    found = {name: number | wide_and_little for name, number in machines.items()}
    assert found == landlock.ARCHITECTURES
