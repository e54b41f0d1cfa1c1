"""The kernel's restrictions on one process: Landlock, seccomp, limits, capabilities.

Each function restricts the process that calls it, for good, or raises OSError. Only
`sandbox` may call them, in a process that was started for it. Standard library only, and of that
only what is quick to import: `sandbox` says why.
"""

import ctypes
import os
import resource
import struct

Policy = dict[str, list[str]]

NEW_ANY = 0x7E020000

READ, LIST, WRITE_FILE, DEVICE_IOCTL = 1 | 4 | 8, 8, 2, 1 << 15
MAKE_DEVICES = 1 << 6 | 1 << 11
ON_FILES = 1 | 2 | 4 | 1 << 14 | DEVICE_IOCTL

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def prctl(option: int, value: int) -> int:
    rest = (ctypes.c_ulong(0),) * 3
    return checked(libc.prctl(option, ctypes.c_ulong(value), *rest), f"prctl {option}")


def system_call(what: str, number: int, *args: int | bytes | None) -> int:
    passed = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return checked(libc.syscall(ctypes.c_long(number), *passed), what)


# Landlock: which files may be opened, which ports called, who may be signalled.


DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
# Ours alone once we are sealed in; otherwise those of the user.
TERMINALS = ("/dev/pts", "/dev/ptmx")
SERVE_PORT, CALL_PORT = 1, 2


def landlock_version() -> int:
    return system_call("landlock", 444, None, 0, 1)


def landlock(policy: Policy) -> None:
    version = landlock_version()
    files = (1 << 13) - 1
    for bit, since in ((13, 2), (14, 3), (15, 5)):
        files |= (version >= since) << bit
    ports = 0 if policy["own_network"] else 3
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = system_call("landlock", 444, struct.pack("3Q", files, ports, 3)[:size], size, 0)
    for path in (*policy["read"], *own_processes(policy)):
        allow(rules, path, READ)
    for path in policy["list"]:
        allow(rules, path, LIST)
    for path in policy["write"]:
        allow(rules, path, files & ~MAKE_DEVICES)
    for path in (*DEVICES, *(TERMINALS if policy["seal"] else ())):
        allow(rules, path, (READ | WRITE_FILE | DEVICE_IOCTL) & files)
    for key, right in (("port", CALL_PORT), ("listen", SERVE_PORT)):
        for port in policy[key] if version >= 4 else ():
            system_call("landlock port", 445, rules, 2, struct.pack("2Q", right, int(port)), 0)
    system_call("landlock", 446, rules, 0)
    os.close(rules)


def own_processes(policy: Policy) -> tuple[str, ...]:
    """/proc, if it shows only our own processes: otherwise our number there is a different one."""
    if not policy["seal"]:
        return ()
    seen = os.readlink("/proc/self")  # noqa: PTH115
    return ("/proc",) if seen == str(os.getpid()) else ()


def allow(rules: int, path: str, access: int) -> None:
    """Allow access to a path; missing ones are ignored, since lists name what a host may have."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return
    if os.fstat(place).st_mode & 0o170000 != 0o040000:
        access &= ON_FILES
    system_call(f"landlock {path}", 445, rules, 1, struct.pack("=Qi", access, place), 0)
    os.close(place)


# Seccomp: system calls that no tool needs and that lead around the rest of the sandbox.

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ARM = os.uname().machine == "aarch64"
# ptrace, process_vm_*, perf, bpf, userfaultfd, keys, unshare, setns, mounts, chroot, handles, kcmp
NAMED = (
    (117, 270, 271, 241, 280, 282, 217, 218, 219, 97, 268, 40, 39, 41, 51, 265, 272)
    if ARM
    else (101, 310, 311, 298, 321, 323, 248, 249, 250, 272, 308, 165, 166, 155, 161, 304, 312)
)
# io_uring, the newer mount calls, pidfd_getfd, mount_setattr: one number everywhere
DENIED = (*NAMED, 425, 428, 429, 430, 431, 432, 433, 438, 442)
CLONE, CLONE3, IOCTL = (220, 435, 29) if ARM else (56, 435, 16)
SOCKET, SOCKET_PAIR = (198, 199) if ARM else (41, 53)
# number, argument that holds the flags: a fast open connects without asking Landlock
SENDING = ((206, 3), (211, 2), (269, 3)) if ARM else ((44, 3), (46, 2), (307, 3))
FAST_OPEN = 0x20000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, MASK, RETURN = 32, 21, 53, 69, 84, 6
PASS, EPERM, ENOSYS, DIE = 0x7FFF0000, 0x50001, 0x50026, 0x80000000
ASK = 0x7FC00000
SECCOMP, SET_FILTER, WITH_LISTENER = 277 if ARM else 317, 1, 8


def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def argument(position: int) -> bytes:
    return step(LOAD, 16 + 8 * position)


def answer(value: int) -> bytes:
    return step(RETURN, value)


def when(number: int, body: bytes) -> bytes:
    """Apply `body` to one system call; it must end with an answer."""
    return step(EQUAL, number, 0, len(body) // 8) + body


def unless_equal(value: int) -> bytes:
    return step(EQUAL, value, 1, 0) + answer(EPERM)


def socket_rule(policy: Policy) -> bytes:
    """Sockets: all of inet in an own network, TCP alone with ports, else only netlink."""
    if policy["own_network"]:
        inet = answer(PASS)
    elif policy["port"]:
        # Not only "a stream": Landlock does not see other protocols than TCP.
        inet = argument(1) + step(MASK, 15) + datagram_rule(policy) + unless_equal(1) + argument(2)
        inet += step(EQUAL, 0, 2, 0) + unless_equal(6) + answer(PASS)
    else:
        inet = answer(EPERM)
    families = argument(0) + step(EQUAL, 16, 0, 1) + answer(PASS)
    families += step(EQUAL, 2, 2, 0) + step(EQUAL, 10, 1, 0) + answer(EPERM)
    return families + inet


def datagram_rule(policy: Policy) -> bytes:
    """Leave UDP to `name_lookup`, if it runs, which supplies a socket of another network."""
    if not policy["names"]:
        return b""
    body = argument(2) + step(EQUAL, 0, 2, 0) + unless_equal(17) + answer(ASK)
    return step(EQUAL, 2, 0, len(body) // 8) + body


def pair_rule() -> bytes:
    """Allow stream and packet pairs: datagram pairs could be used to reach any socket file."""
    kind = argument(1) + step(MASK, 15)
    return kind + step(EQUAL, 5, 2, 0) + unless_equal(1) + answer(PASS)


def filter_program(policy: Policy) -> bytes:
    terminal = step(EQUAL, 0x5412, 1, 0) + step(EQUAL, 0x541C, 0, 1) + answer(EPERM)
    return b"".join(
        (
            step(LOAD, 4) + step(EQUAL, ARCHITECTURES[os.uname().machine], 1, 0) + answer(DIE),
            step(LOAD, 0) + step(AT_LEAST, 0x40000000, 0, 1) + answer(EPERM),
            *(when(number, answer(EPERM)) for number in DENIED),
            # Its flags lie behind a pointer; every library then takes the older call.
            when(CLONE3, answer(ENOSYS)),
            when(CLONE, argument(0) + without_bits(NEW_ANY)),
            when(IOCTL, argument(1) + terminal + answer(PASS)),
            *(when(n, argument(at) + without_bits(FAST_OPEN)) for n, at in SENDING),
            when(SOCKET, socket_rule(policy)),
            when(SOCKET_PAIR, pair_rule()),
            answer(PASS),
        )
    )


def without_bits(bits: int) -> bytes:
    return step(ANY_BIT, bits, 0, 1) + answer(EPERM) + answer(PASS)


def seccomp(policy: Policy) -> int:
    """Set the filter; the descriptor on which another process receives calls left to it, or -1.

    The kernel blocks such a call until it is answered.
    """
    program = filter_program(policy)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(buffer))
    if policy["names"]:
        return system_call("seccomp", SECCOMP, SET_FILTER, WITH_LISTENER, header)
    none = ctypes.c_ulong(0)
    checked(libc.prctl(22, ctypes.c_ulong(2), header, none, none), "seccomp")
    return -1


# What is left of a process's own powers.


def drop_privileges() -> None:
    """Drop all capabilities for good; no program that is started gives one back."""
    for capability in range(64):
        if libc.prctl(24, ctypes.c_ulong(capability)) < 0:
            break
    none = ctypes.c_ulong(0)
    libc.prctl(47, ctypes.c_ulong(4), none, none, none)
    prctl(38, 1)
    checked(libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24)), "capabilities")


def limit_resources(policy: Policy) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    kinds = {
        "processes": resource.RLIMIT_NPROC,
        "file_bytes": resource.RLIMIT_FSIZE,
        "cpu_seconds": resource.RLIMIT_CPU,
        # Not RLIMIT_AS: runtimes reserve far more addresses than they ever fill.
        "memory_bytes": resource.RLIMIT_DATA,
    }
    for name, kind in kinds.items():
        for value in policy[name]:
            most = resource.getrlimit(kind)[1]
            limit = int(value) if most == resource.RLIM_INFINITY else min(int(value), most)
            resource.setrlimit(kind, (limit, limit))
