"""Runs one program in the kernel's sandbox: `python -I -S entry.py POLICY LIFELINE argv…`.

A process of its own with a single thread, started by what `launcher.wrap` returns. It imports
nothing that is slow to import, because every agent's turn, every check and every command of an
agent's shell waits for it. A restriction that can't be set ends it with 125: the program never runs
with fewer restrictions than the policy says.

POLICY is a file of `key NUL value NUL` pairs and holds no secret. LIFELINE is a descriptor whose
end means that the orchestrator is gone, or `-`. `entry.py probe` says what this kernel offers.
"""

import os
import sys

if __name__ == "__main__":
    # In isolated mode nothing leads to our own package. Last, so that nothing in it can be taken
    # for a module of the standard library.
    sys.path.append(__file__.removesuffix("/sparing/workspace/sandbox/entry.py"))

from sparing.workspace.sandbox import landlock, mounts, name_lookup, supervisor
from sparing.workspace.sandbox.landlock import Policy, libc

BROKEN, NOT_RUNNABLE, NOT_FOUND = 125, 126, 127
PIPE, FILE_TOO_BIG = 13, 25

KEYS = (
    *("supervise", "messages", "landlock", "seccomp", "seal", "own_network", "names"),
    *("read", "list", "write", "carve", "cover", "cover_with", "port", "listen"),
    *("keep", "set"),
    *("root", "bind", "bind_at", "service", "service_line"),
    *("processes", "file_bytes", "cpu_seconds", "memory_bytes", "tree_bytes", "disk_bytes"),
    "disk_in",
)


def main(argv: list[str]) -> None:
    if argv == ["probe"]:
        probe()
        return
    policy = read_policy(argv[0])
    lifeline = -1 if argv[1] == "-" else int(argv[1])
    if policy["supervise"]:
        supervisor.supervise(policy, lifeline)
    become(policy, argv[2:])


def read_policy(path: str) -> Policy:
    policy: Policy = {key: [] for key in KEYS}
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    data = os.read(file, os.fstat(file).st_size)
    os.close(file)
    fields = os.fsdecode(data).split("\0")
    for key, value in zip(fields[0::2], fields[1::2], strict=False):
        policy[key].append(value)
    return policy


def become(policy: Policy, argv: list[str]) -> None:
    """Apply the restrictions and replace this process by the program; never returns."""
    landlock.limit_resources(policy)
    landlock.drop_privileges()
    if policy["landlock"]:
        landlock.landlock(policy)
    if policy["seccomp"]:
        forbid_calls(policy)
    given = os.environ  # noqa: TID251 - ours to be cut down to what the program may know
    environment = {name: given[name] for name in policy["keep"] if name in given}
    environment |= dict(pair.split("=", 1) for pair in policy["set"])
    for number in (PIPE, FILE_TOO_BIG):
        libc.signal(number, None)
    libc.sigprocmask(2, bytes(128), None)
    if policy["supervise"]:
        os.closerange(3, 1 << 16)
    try:
        os.execvpe(argv[0], argv, environment)
    except OSError as error:
        complain(f"{argv[0]}: {error.strerror}")
        os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE)


def forbid_calls(policy: Policy) -> None:
    """Forbid system calls; names are looked up through the relay or over TCP, as UDP is refused."""
    if policy["names"] and not (policy["seal"] and name_lookup.is_ready(policy)):
        policy["set"].append(name_lookup.OVER_TCP)
        policy["names"].clear()
    try:
        listener = landlock.seccomp(policy)
    except OSError:
        if not policy["names"]:
            raise
        policy["set"].append(name_lookup.OVER_TCP)
        policy["names"].clear()
        listener = landlock.seccomp(policy)
    if listener >= 0:
        name_lookup.hand_over(policy, listener)


def complain(words: str) -> None:
    os.write(2, f"sandbox: {words}\n".encode())


def probe() -> None:
    """One line: Landlock's version, then 1 or 0 for seccomp, namespaces and a root of our own."""
    try:
        version = landlock.landlock_version()
    except OSError:
        version = 0
    parts = ("seccomp", "seal", "root")
    found = " ".join([str(version), *(f"{works(part):d}" for part in parts)]) + "\n"
    os.write(1, found.encode())


def works(part: str, *given: str) -> bool:
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] == 0
    policy: Policy = {key: [] for key in KEYS} | {"own_network": ["1"]}
    if part == "seccomp":
        landlock.drop_privileges()
        landlock.seccomp(policy)
    elif part == "inside":
        os.chdir("/")  # where we are called from may lie below the folder that is tried
        mounts.seal(policy | {"root": list(given)})
    else:
        mounts.separate()
        os._exit(0 if works("inside", *(("/tmp",) if part == "root" else ())) else BROKEN)
    os._exit(0)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, KeyError) as error:
        # Also in a child that was forked on the way: it must not go on as its parent.
        place = getattr(error, "filename", None) or "policy"
        complain(f"{place}: {getattr(error, 'strerror', error)}")
        os._exit(BROKEN)
