"""Namespaces for one process: others are invisible, files outside are read-only.

Its folders may have constant paths: a root of our own holds everything that the host's has, and the
worktree and the private folder at paths that are the same in every worktree and on every machine.
As in `landlock`, each function changes the process that calls it, for good, or raises OSError.
"""

import ctypes
import os
import struct

from sparing.workspace.sandbox.landlock import Policy, checked, libc, system_call

NEW_NS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE, UNBINDABLE, NOSUID_NODEV = 0x1000, 0x4000, 0x40000, 0x20000, 6
DETACH = 2
SHARED = "/dev/shm"
PIVOT_ROOT = 41 if os.uname().machine == "aarch64" else 155


def separate() -> None:
    """Enter a user namespace, which permits the rest, and in which ids stay the same."""
    user, group = os.getuid(), os.getgid()
    checked(libc.unshare(NEW_USER | NEW_PID | NEW_IPC), "user namespace")
    write_text("/proc/self/setgroups", "deny")
    write_text("/proc/self/uid_map", f"{user} {user} 1")
    write_text("/proc/self/gid_map", f"{group} {group} 1")


def seal(policy: Policy) -> None:
    """Make all but the allowed paths read-only; unlike Landlock this covers modes and dates too."""
    folder = os.getcwd()  # noqa: PTH109 - pathlib is slow to import
    network = NEW_NET if policy["own_network"] else 0
    checked(libc.unshare(NEW_NS | network), "mount namespace")
    mount("", "/", "", PRIVATE | RECURSIVE)
    for root in policy["root"]:
        change_root(root, tuple(zip(policy["bind"], policy["bind_at"], strict=True)))
    for path in sorted(policy["write"]):
        mount(path, path, "", BIND | RECURSIVE)
    set_read_only("/", True, RECURSIVE)
    for path in policy["write"]:
        set_read_only(path, False, RECURSIVE)
    for path in policy["carve"]:
        mount(path, path, "", BIND)
        set_read_only(path, True, 0)
    for shown, path in zip(policy["cover_with"], policy["cover"], strict=True):
        mount(shown, path, "", BIND)
        set_read_only(path, True, 0)
    furnish(policy)
    if network:
        raise_loopback()
    os.chdir(seen_as(folder, policy))


def change_root(root: str, places: tuple[tuple[str, str], ...]) -> None:
    """Make a root with everything of the host, and further folders at the given paths."""
    mount("tmpfs", root, "tmpfs", NOSUID_NODEV, b"mode=755,size=1m")
    # Or it would be part of itself.
    mount("", root, "", UNBINDABLE)
    for entry in os.scandir("/"):
        bring_in(entry, f"{root}/{entry.name}")
    for source, target in places:
        os.makedirs(f"{root}{target}", 0o755)  # noqa: PTH103 - pathlib is slow to import
        mount(source, f"{root}{target}", "", BIND | RECURSIVE)
    os.chdir(root)
    system_call("root folder", PIVOT_ROOT, b".", b".")
    checked(libc.umount2(b".", DETACH), "the host's root folder")
    os.chdir("/")


def bring_in(entry: os.DirEntry[str], target: str) -> None:
    """Bind an entry into the new root; an unavailable one, such as a hung mount, stays empty."""
    try:
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), target)  # noqa: PTH115, PTH211
            return
        if entry.is_dir():
            os.mkdir(target, 0o755)  # noqa: PTH102
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        mount(entry.path, target, "", BIND | RECURSIVE)
    except OSError:
        pass


def seen_as(folder: str, policy: Policy) -> str:
    """The path that a folder of the host has in here."""
    for source, target in zip(policy["bind"], policy["bind_at"], strict=True):
        if folder == source or folder.startswith(f"{source}/"):
            return target + folder[len(source) :]
    return folder


def furnish(policy: Policy) -> None:
    """Mount own shared memory and terminals, and an own /proc where the host allows that."""
    own_shared_memory(policy)
    mount("devpts", "/dev/pts", "devpts", 0, b"newinstance,ptmxmode=0666,mode=0620")
    mount("/dev/pts/ptmx", "/dev/ptmx", "", BIND)
    try:
        mount("proc", "/proc", "proc", NOSUID_NODEV)
        for limit in policy["processes"]:
            # The limit of `limit_resources` does not count for root; this one does, from 301 on.
            write_text("/proc/sys/kernel/pid_max", str(max(int(limit), 301)))
    except OSError:
        pass


def own_shared_memory(policy: Policy) -> None:
    """Mount it; what the policy names there stays in place, as writable as it was."""
    kept: dict[str, int] = {}
    for path in sorted({*policy["read"], *policy["write"]}):
        inside = path.startswith(f"{SHARED}/")
        within = path.startswith(tuple(f"{one}/" for one in kept))
        if inside and not within and os.path.isdir(path):  # noqa: PTH112 - pathlib is slow to import
            kept[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)
    mount("tmpfs", SHARED, "tmpfs", NOSUID_NODEV, b"size=512m")
    for path, folder in kept.items():
        os.makedirs(path, 0o755, exist_ok=True)  # noqa: PTH103 - pathlib is slow to import
        mount(f"/proc/self/fd/{folder}", path, "", BIND | RECURSIVE)
        os.close(folder)
    policy["write"].append(SHARED)


def mount(source: str, target: str, kind: str, flags: int, options: bytes | None = None) -> None:
    result = libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options
    )
    checked(result, f"mount {target}")


def set_read_only(path: str, wanted: bool, depth: int) -> None:
    change = struct.pack("4Q", wanted, not wanted, 0, 0)
    flags = 0x8000 if depth else 0
    system_call(f"mount flags of {path}", 442, -100, os.fsencode(path), flags, change, 32)


def raise_loopback() -> None:
    """Bring up 127.0.0.1 in the own network, which has nothing else: servers of tests run there."""
    wire = checked(libc.socket(2, 1, 0), "socket")
    up = struct.pack("16sH14x", b"lo", 0x41)
    checked(libc.ioctl(wire, ctypes.c_ulong(0x8914), up), "loopback")
    os.close(wire)


def write_text(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)
