"""Stays outside the sandbox while the program runs: relays messages, reaps, ends everything.

Nothing that the program started outlives it, it does not outlive the supervisor, and the supervisor
ends when the orchestrator does. Standard library only, as `sandbox` says.
"""

import ctypes
import os
import select
import struct

from sparing.workspace.sandbox import landlock, mounts, name_lookup, service_relay
from sparing.workspace.sandbox.landlock import Policy, libc, prctl
from sparing.workspace.sandbox.meter import Meter

HUP, INT, KILL, ALRM, TERM, CHLD = 1, 2, 9, 14, 15, 17
GRACE_SECONDS = 2
# Whoever writes no more than this to a pipe that is ready is not blocked by it.
PIECE = 4096
DEATH_SIGNAL, DUMPABLE, SUBREAPER = 1, 4, 36
CLOSE_ON_EXEC = 0o2000000
LIMIT_REACHED = 122
"""The exit code of a program that was stopped at a limit; `failure` knows it too."""


class ByteFlow:
    """Bytes on their way from one descriptor to another, a piece at a time."""

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self.held = b""
        self.open = True

    def waits_for(self) -> tuple[int, int]:
        return (self.sink, select.POLLOUT) if self.held else (self.source, select.POLLIN)

    def own_ends(self) -> tuple[int, ...]:
        """Descriptors other than the standard ones; held elsewhere they would hide an end."""
        return tuple(end for end in (self.source, self.sink) if end > 2)

    def move(self) -> bool:
        """Move one piece; False if the other end no longer reads."""
        if self.held:
            try:
                self.held = self.held[os.write(self.sink, self.held[:PIECE]) :]
            except OSError:
                self.held, self.open = b"", False
            return self.open
        try:
            self.held = os.read(self.source, 1 << 16)
        except OSError:
            self.held = b""
        if not self.held:
            self.open = False
            os.close(self.sink)
        return True


def supervise(policy: Policy, lifeline: int) -> None:
    """Fork and supervise; returns only in the process that is to become the program."""
    prctl(SUBREAPER, 1)
    parent = os.getppid()
    if lifeline < 0:
        prctl(DEATH_SIGNAL, TERM)
    if policy["seal"]:
        name_lookup.start(policy)
        service_relay.start(policy)
        mounts.separate()
    prctl(DUMPABLE, 0)
    signals = listen_to_signals()
    alive, breath = os.pipe()
    flows, theirs = lay_flows() if policy["messages"] else ((), ())
    pid = os.fork()
    if pid == 0:
        for descriptor in (breath, *(end for flow in flows for end in flow.own_ends())):
            os.close(descriptor)
        take_descriptors(theirs)
        return settle(policy, alive)
    for descriptor in (alive, *theirs):
        os.close(descriptor)
    meter = Meter(policy)
    code = watch(pid, signals, flows, lifeline, parent, meter)
    for flow in flows[1:]:
        drain(flow)
    reap()
    if meter.words:
        os.write(2, f"\nsandbox: stopped: {meter.words}\n".encode())
        code = LIMIT_REACHED
    os._exit(code)


def settle(policy: Policy, alive: int) -> None:
    """Die with the supervisor; if sealed, leave the namespace's first process to watch."""
    prctl(DEATH_SIGNAL, KILL)
    if ready({alive: select.POLLIN}, 0):
        os._exit(1)
    if policy["seal"]:
        mounts.seal(policy)
        service_relay.hand_over(policy)
        signals = listen_to_signals()
        pid = os.fork()
        if pid:
            os.close(0)
            os.close(1)
            os._exit(watch(pid, signals))


def lay_flows() -> tuple[tuple[ByteFlow, ByteFlow], tuple[int, int]]:
    """Make the message channels: sockets, because a pipe could be reopened through /proc."""
    ours_in, theirs_in = socket_pair()
    ours_out, theirs_out = socket_pair()
    # Or what inherits the input of the client could write to it, and so to us.
    libc.shutdown(theirs_in, 1)
    libc.shutdown(ours_out, 1)
    return (ByteFlow(0, ours_in), ByteFlow(ours_out, 1)), (theirs_in, theirs_out)


def take_descriptors(theirs: tuple[int, ...]) -> None:
    if not theirs:
        return
    seen, out = os.fstat(2), os.fstat(1)
    merged = (seen.st_dev, seen.st_ino) == (out.st_dev, out.st_ino)
    os.dup2(theirs[0], 0)
    os.dup2(theirs[1], 1)
    if merged:
        os.dup2(theirs[1], 2)
    for descriptor in theirs:
        os.close(descriptor)


def socket_pair() -> tuple[int, int]:
    pair = (ctypes.c_int * 2)()
    landlock.checked(libc.socketpair(1, 1 | CLOSE_ON_EXEC, 0, pair), "socketpair")
    return pair[0], pair[1]


def listen_to_signals() -> int:
    wanted = sum(1 << (number - 1) for number in (HUP, INT, ALRM, TERM, CHLD))
    mask = wanted.to_bytes(128, "little")
    libc.signal(CHLD, None)
    libc.sigprocmask(0, mask, None)
    return landlock.checked(libc.signalfd(-1, mask, CLOSE_ON_EXEC), "signalfd")


def watch(
    pid: int,
    signals: int,
    flows: tuple[ByteFlow, ...] = (),
    lifeline: int = -1,
    parent: int | None = None,
    meter: Meter | None = None,
) -> int:
    """Wait until the program has ended; its exit code, or 128 plus the signal that ended it."""
    while True:
        wanted = {signals: select.POLLIN}
        wanted |= dict(flow.waits_for() for flow in flows if flow.open)
        if lifeline >= 0:
            wanted[lifeline] = select.POLLIN
        found = metered(pid, wanted, meter)
        if lifeline in found:
            os.kill(pid, KILL)
            lifeline = -1
        for position, flow in enumerate(flows):
            # Nobody reads what the program says any more: it is of no use.
            if flow.open and flow.waits_for()[0] in found and not flow.move() and position:
                os.kill(pid, KILL)
        if signals in found:
            code = obey(pid, signals, parent)
            if code is not None:
                return code


def metered(pid: int, wanted: dict[int, int], meter: Meter | None) -> set[int]:
    """Descriptors that are ready; a program that has exceeded a limit is killed meanwhile."""
    found = ready(wanted, meter.pause_ms if meter else None)
    if meter and meter.is_full(pid):
        os.kill(pid, KILL)
    return found


def ready(wanted: dict[int, int], patience: int | None) -> set[int]:
    poll = select.poll()
    for descriptor, events in wanted.items():
        poll.register(descriptor, events)
    return {descriptor for descriptor, _ in poll.poll(patience)}


def obey(pid: int, signals: int, parent: int | None) -> int | None:
    number = struct.unpack_from("I", os.read(signals, 128))[0]
    if number == CHLD:
        return reaped(pid)
    orphaned = parent is not None and os.getppid() != parent
    os.kill(pid, KILL if number == ALRM or orphaned else number)
    libc.alarm(GRACE_SECONDS)
    return None


def reaped(pid: int) -> int | None:
    """Reap dead children; returns the exit code if the program is among them."""
    code: int | None = None
    try:
        while True:
            dead, status = os.waitpid(-1, os.WNOHANG)
            if dead == 0:
                return code
            if dead == pid:
                ended = os.waitstatus_to_exitcode(status)
                code = ended if ended >= 0 else 128 - ended
    except ChildProcessError:
        return code


def drain(flow: ByteFlow) -> None:
    """Pass on what was sent before the end, without waiting for those who only hold it open."""
    while flow.open and (flow.held or ready({flow.source: select.POLLIN}, 0)):
        flow.move()


def reap() -> None:
    """Kill and reap all that the program left behind, which are our children by now."""
    mine = f"/proc/self/task/{os.getpid()}/children"
    while True:
        file = os.open(mine, os.O_RDONLY)
        children = os.read(file, 1 << 16).split()
        os.close(file)
        if not children:
            return
        for child in children:
            os.kill(int(child), KILL)
        os.waitpid(-1, 0)
