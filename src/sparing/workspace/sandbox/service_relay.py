"""Makes servers of this machine reachable, at their own addresses, from a network of its own.

The program's network has nothing but its own loopback. For each service that a person has agreed
to, a socket listens there, at the same address and port; connections are accepted by a process
outside, in the machine's own network, which connects to that service and to nothing else. So the
program reaches these servers and nothing else.

Standard library only, and of that only what is quick to import: `entry` says why.
"""

import _socket
import os
import select
import struct

from sparing.workspace.sandbox.landlock import Policy, checked, libc, prctl
from sparing.workspace.sandbox.name_lookup import (
    CLOSE_ON_EXEC,
    DEATH_SIGNAL,
    KILL,
    NO_WAITING,
    STREAM,
    Wire,
    family_of,
    keep_only,
)

SOCKET_LEVEL, REUSE_ADDRESS = 1, 2
MOST_WAITING, MOST_CONNECTIONS, PIECE = 128, 256, 1 << 16
RIGHTS = 1
READ, WRITE, GONE = select.POLLIN, select.POLLOUT, select.POLLHUP | select.POLLERR


def start(policy: Policy) -> None:
    """Start the relay before the network is left; the policy then holds the socket to it."""
    if not (policy["service"] and policy["own_network"]):
        policy["service"].clear()
        return
    ours, theirs = _socket.socketpair(1, STREAM)
    if os.fork():
        ours.close()
        policy["service_line"] = [str(theirs.detach())]
        return
    try:
        prctl(DEATH_SIGNAL, KILL)
        relay(ours.detach(), [place(one) for one in policy["service"]])
    except OSError:
        pass  # a program that finds nobody there says so itself
    finally:
        os._exit(0)


def hand_over(policy: Policy) -> None:
    """Listen at each address in the program's own network, and pass the sockets to the relay."""
    for line in policy["service_line"]:
        with Wire(fileno=int(line)) as wire:
            listening = [listen(*place(one)) for one in policy["service"]]
            names = struct.pack(f"{len(listening)}i", *(one.fileno() for one in listening))
            wire.sendmsg([b"1"], [(SOCKET_LEVEL, RIGHTS, names)])
            for one in listening:
                one.close()


def place(service: str) -> tuple[str, int]:
    """Split an address such as `127.0.0.1:5432` or `[::1]:5432`."""
    host, _, port = service.rpartition(":")
    return host.strip("[]"), int(port)


def listen(host: str, port: int) -> Wire:
    wire = Wire(family_of(host), STREAM | CLOSE_ON_EXEC | NO_WAITING)
    wire.setsockopt(SOCKET_LEVEL, REUSE_ADDRESS, 1)
    wire.bind((host, port))
    wire.listen(MOST_WAITING)
    return wire


def relay(line: int, services: list[tuple[str, int]]) -> None:
    """Relay connections until we are killed with the supervisor."""
    keep_only([], line)
    with Wire(fileno=line) as heard:
        room = _socket.CMSG_SPACE(4 * len(services))
        passed = heard.recvmsg(1, room)[1]
    if passed:
        names = struct.unpack(f"{len(services)}i", passed[0][2][: 4 * len(services)])
        Relay(dict(zip(names, services, strict=True))).run()


def accepted(listening: Wire) -> int:
    """Accept a connection; `accept` itself is in the part of the library that is slow to import."""
    return checked(libc.accept4(listening.fileno(), None, None, CLOSE_ON_EXEC), "accept")


class Relay:
    def __init__(self, listening: dict[int, tuple[str, int]]) -> None:
        self.listening = {number: (Wire(fileno=number), to) for number, to in listening.items()}
        self.wires: dict[int, Wire] = {}
        self.other: dict[int, int] = {}
        """By descriptor: the other end of the connection."""
        self.held: dict[int, bytes] = {}
        """By descriptor: what is still to be sent there."""
        self.closed: set[int] = set()
        """Descriptors at their end of input."""

    def run(self) -> None:
        while True:
            poll = select.poll()
            if len(self.wires) < 2 * MOST_CONNECTIONS:
                for number in self.listening:
                    poll.register(number, READ)
            for number in filter(self.is_heard, self.wires):
                poll.register(number, self.wanted(number))
            for number, event in poll.poll():
                if number in self.listening:
                    self.accept(*self.listening[number])
                elif number in self.wires:
                    self.serve(number, event)

    def wanted(self, number: int) -> int:
        """The events to wait for: one end is read only when the other has taken all before."""
        reads = READ if number not in self.closed and not self.held[self.other[number]] else 0
        return reads | (WRITE if self.held[number] else 0)

    def is_heard(self, number: int) -> bool:
        """False while it waits for its other end: that it is gone would be told all the time."""
        return bool(self.held[number]) or not self.held[self.other[number]]

    def accept(self, here: Wire, to: tuple[str, int]) -> None:
        there = Wire(family_of(to[0]), STREAM | CLOSE_ON_EXEC)
        try:
            inside = Wire(fileno=accepted(here))
        except OSError:
            there.close()
            return
        try:
            there.connect(to)
        except OSError:
            inside.close()
            there.close()
            return
        for one, other in ((inside, there), (there, inside)):
            one.setblocking(False)
            self.wires[one.fileno()] = one
            self.other[one.fileno()] = other.fileno()
            self.held[one.fileno()] = b""

    def serve(self, number: int, event: int) -> None:
        try:
            if event & WRITE:
                self.send(number)
            if number not in self.wires:
                return
            if event & READ or (event & GONE and number not in self.closed):
                self.receive(number)
            elif event & GONE:
                self.end(number)
        except BlockingIOError:
            return
        except OSError:
            self.end(number)

    def receive(self, number: int) -> None:
        data = self.wires[number].recv(PIECE)
        other = self.other[number]
        if data:
            self.held[other] += data
            self.send(other)
            return
        self.closed.add(number)
        self.finish(other)

    def send(self, number: int) -> None:
        data = self.held[number]
        if data:
            self.held[number] = data[self.wires[number].send(data) :]
        self.finish(number)

    def finish(self, number: int) -> None:
        """Tell an end that no more comes, once it has taken all; if both know, they are closed."""
        other = self.other[number]
        if self.held[number] or other not in self.closed:
            return
        self.wires[number].shutdown(1)
        if number in self.closed and not self.held[other]:
            self.end(number)

    def end(self, number: int) -> None:
        for one in (number, self.other[number]):
            self.wires.pop(one).close()
            self.held.pop(one)
            self.closed.discard(one)
        self.other.pop(self.other.pop(number))
