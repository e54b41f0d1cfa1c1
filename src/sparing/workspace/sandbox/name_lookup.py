"""Name lookup for a program that may not use UDP: a relay to the host's resolver.

The sandbox refuses UDP, and not every resolver speaks TCP, or keeps a connection for the second
question that getaddrinfo asks. So a process outside has a network of its own that contains only a
responder at each nameserver's address. Whenever the program asks the kernel for a datagram socket
it is given one of that network: what it sends reaches the relay or nothing.

The relay passes questions and answers on as they are. Standard library only, and of that only what
is quick to import: `entry` says why.
"""

import _socket
import ctypes
import os
import select
import struct

from sparing.workspace.sandbox import mounts
from sparing.workspace.sandbox.landlock import Policy, checked, libc, prctl

INET, INET6, NETLINK, STREAM, DATAGRAM, RAW = 2, 10, 16, 1, 2, 3
CLOSE_ON_EXEC, NO_WAITING = 0o2000000, 0o4000
DEATH_SIGNAL, KILL = 1, 9
RESOLVER_FILE, PORT, MOST_NAMESERVERS = "/etc/resolv.conf", 53, 3
SOURCE_PORTS = 16
"""Sockets per nameserver: forging an answer means guessing one of them besides the query id."""
MOST_QUESTIONS = 1024
RECEIVE, ANSWER, ADD = 0xC0502100, 0xC0182101, 0x40182103
REFUSED = 1
Asker = tuple[str, int]
OVER_TCP = "RES_OPTIONS=use-vc"
"""The fallback without a relay: most resolvers answer over TCP too."""


class Wire(_socket.socket):
    """The `socket` class, without the time it takes to import that module."""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start(policy: Policy) -> None:
    """Start the relay if names are to be looked up; the policy then holds the socket to it."""
    if not policy["names"]:
        return
    text = resolver_text(policy)
    ours, theirs = _socket.socketpair(1, STREAM)
    pid = os.fork()
    if pid:
        ours.close()
        policy["names"] = [str(theirs.detach())]
        return
    try:
        prctl(DEATH_SIGNAL, KILL)
        relay(ours.detach(), text)
    except OSError:
        pass  # whoever waits for a word from us reads the end of the line
    finally:
        os._exit(0)


def is_ready(policy: Policy) -> bool:
    return os.read(int(policy["names"][0]), 1) == b"1"


def hand_over(policy: Policy, listener: int) -> None:
    """Pass the relay the descriptor on which it receives the calls that the filter leaves to it."""
    with Wire(fileno=int(policy["names"][0])) as line:
        line.sendmsg([b"1"], [(1, 1, struct.pack("i", listener))])
    os.close(listener)


def resolver_text(policy: Policy) -> str:
    """The resolver's configuration as the program will see it."""
    covered = dict(zip(policy["cover"], policy["cover_with"], strict=True))
    try:
        file = os.open(covered.get(RESOLVER_FILE, RESOLVER_FILE), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    data = os.read(file, 1 << 16)
    os.close(file)
    return data.decode("utf-8", "replace")


def nameservers(text: str) -> tuple[str, ...]:
    """The nameservers that a C library asks; one bound to an interface can't be replaced."""
    lines = (line.split() for line in text.splitlines())
    named = [words[1] for words in lines if len(words) > 1 and words[0] == "nameserver"]
    return tuple(one for one in named[:MOST_NAMESERVERS] if "%" not in one) or ("127.0.0.1",)


def relay(line: int, text: str) -> None:
    """Answer until we are killed, or until no process is left that could ask."""
    servers = nameservers(text)
    outside = {server: tuple(upstream(server)) for server in servers}
    routed6 = has_route6()
    enter_own_network(servers, routed6)
    inside = {server: own_socket(server) for server in servers}
    names = [
        one.fileno() for one in (*inside.values(), *(s for of in outside.values() for s in of))
    ]
    keep_only(names, line)
    os.write(line, b"1")
    with Wire(fileno=line) as heard:
        passed = heard.recvmsg(1, 64)[1]
    if passed:
        Relay(struct.unpack("i", passed[0][2])[0], inside, outside).run()


def family_of(server: str) -> int:
    return INET6 if ":" in server else INET


def upstream(server: str) -> list[Wire]:
    """Sockets to a nameserver, opened while we are still in the host's network, where they stay."""
    found: list[Wire] = []
    for _ in range(SOURCE_PORTS):
        one = Wire(family_of(server), DATAGRAM | CLOSE_ON_EXEC | NO_WAITING)
        try:
            one.connect((server, PORT))
        except OSError:
            break  # asked all the same, and told that it can't be reached
        found.append(one)
    return found


def has_route6() -> bool:
    """Whether the host has a route to IPv6 addresses: C libraries prefer those that have one."""
    try:
        with Wire(INET6, DATAGRAM) as probe:
            probe.connect(("2001:db8::1", 9))
    except OSError:
        return False
    return True


def enter_own_network(servers: tuple[str, ...], routed6: bool) -> None:
    """Enter a network in which every address is local, so that we can answer as a nameserver."""
    user, group = os.getuid(), os.getgid()
    checked(libc.unshare(mounts.NEW_USER | mounts.NEW_NET), "network of names")
    mounts.write_text("/proc/self/setgroups", "deny")
    mounts.write_text("/proc/self/uid_map", f"{user} {user} 1")
    mounts.write_text("/proc/self/gid_map", f"{group} {group} 1")
    mounts.raise_loopback()
    add_local(INET, b"")
    if routed6:
        add_local(INET6, b"")
    for server in servers if not routed6 else ():
        if family_of(server) == INET6:
            add_local(INET6, _socket.inet_pton(INET6, server))


def add_local(family: int, address: bytes) -> None:
    """`ip route add local ADDRESS dev lo`; no address means all of them."""
    table, static, scope, local, loopback = 255, 4, 254 if family == INET else 0, 2, 1
    route = struct.pack("8BI", family, 8 * len(address), 0, 0, table, static, scope, local, 0)
    if address:
        route += struct.pack("2H", 4 + len(address), 1) + address
    route += struct.pack("2HI", 8, 4, loopback)
    request = struct.pack("IHHII", 16 + len(route), 24, 0x405, 1, 0) + route
    with Wire(NETLINK, RAW, 0) as kernel:
        kernel.send(request)
        problem = struct.unpack_from("i", kernel.recv(4096), 16)[0]
    if problem:
        raise OSError(-problem, os.strerror(-problem), "route")


def own_socket(server: str) -> Wire:
    one = Wire(family_of(server), DATAGRAM | CLOSE_ON_EXEC | NO_WAITING)
    one.bind((server, PORT))
    return one


def keep_only(names: list[int], line: int) -> None:
    """Close all other descriptors, or the end of another process's pipe would stay open."""
    kept = sorted({*names, line})
    for low, high in zip((-1, *kept), (*kept, 1 << 16), strict=True):
        # Of an empty range that ends at 0 Python makes one without an end, and closes them all.
        if low + 1 < high:
            os.closerange(low + 1, high)


class Relay:
    def __init__(
        self,
        listener: int,
        inside: dict[str, Wire],
        outside: dict[str, tuple[Wire, ...]],
    ) -> None:
        self.listener, self.outside = listener, outside
        self.inside = {one.fileno(): (server, one) for server, one in inside.items()}
        self.asking = {one.fileno(): one for of in outside.values() for one in of}
        self.asked: dict[tuple[int, bytes], tuple[Wire, Asker, bytes]] = {}
        """By socket and query id: who asked where, and the query."""

    def run(self) -> None:
        poll = select.poll()
        for descriptor in (self.listener, *self.inside, *self.asking):
            poll.register(descriptor, select.POLLIN)
        while True:
            for descriptor, event in poll.poll():
                if descriptor in self.inside:
                    self.ask(*self.inside[descriptor])
                elif descriptor in self.asking:
                    self.tell(descriptor)
                elif event & select.POLLIN:
                    give_socket(self.listener)
                else:
                    return  # nobody lives who could ask

    def ask(self, server: str, here: Wire) -> None:
        try:
            question, asker = here.recvfrom(1 << 16)
        except OSError:
            return
        if len(question) < 12:
            return
        ways = self.outside[server]
        number = os.urandom(3)
        if not ways:
            send(here, refusal(question), asker)
            return
        way = ways[number[2] % len(ways)]
        while len(self.asked) >= MOST_QUESTIONS:
            self.asked.pop(next(iter(self.asked)))
        self.asked[way.fileno(), number[:2]] = (here, asker, question)
        try:
            way.send(number[:2] + question[2:])
        except OSError:
            self.refuse(way.fileno())

    def tell(self, descriptor: int) -> None:
        try:
            answer = self.asking[descriptor].recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            self.refuse(descriptor)
            return
        known = self.asked.pop((descriptor, answer[:2]), None)
        if known:
            here, asker, question = known
            send(here, question[:2] + answer[2:], asker)

    def refuse(self, descriptor: int) -> None:
        """Refuse pending queries at once: otherwise clients wait for seconds and ask again."""
        for key in [key for key in self.asked if key[0] == descriptor]:
            here, asker, question = self.asked.pop(key)
            send(here, refusal(question), asker)


def send(here: Wire, data: bytes, asker: Asker) -> None:
    try:
        here.sendto(data, asker)
    except OSError:
        return  # the asker has gone


def refusal(question: bytes) -> bytes:
    """The query marked as "server failure"."""
    return question[:2] + bytes((question[2] | 0x80, 0x82)) + question[4:]


def give_socket(listener: int) -> None:
    """Answer a call with a socket of our network, as if the kernel had made it in the program's."""
    call = ctypes.create_string_buffer(80)
    if libc.ioctl(listener, ctypes.c_ulong(RECEIVE), call) < 0:
        return  # it was interrupted, and asks again
    (number,) = struct.unpack_from("Q", call)
    family, kind = struct.unpack_from("2Q", call, 32)
    flags = kind & CLOSE_ON_EXEC
    given, problem = -1, -REFUSED
    try:
        with Wire(family, kind & ~0o17 | DATAGRAM) as made:
            wanted = struct.pack("Q4I", number, 0, made.fileno(), 0, flags)
            given = libc.ioctl(listener, ctypes.c_ulong(ADD), wanted)
    except OSError as error:
        problem = -(error.errno or REFUSED)
    said = (given, 0) if given >= 0 else (0, problem)
    libc.ioctl(listener, ctypes.c_ulong(ANSWER), struct.pack("QqiI", number, *said, 0))
