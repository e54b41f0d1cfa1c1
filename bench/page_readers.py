"""Who reads a run along: some quickly, some never, some hang up and come back."""

from __future__ import annotations

import select
import socket
import threading
import time
from typing import NamedTuple

READERS = {"reads": 8, "sleeps": 6, "cuts": 6}
"""Those who read along, those who ask and never read, those who hang up and come back."""
CUT_SECONDS = 0.7


class Login(NamedTuple):
    port: int
    cookie: str
    link: str
    process: int


class Reader:
    def __init__(self, page: Login, key: str, kind: str) -> None:
        self.kind, self.last, self.wrong = kind, 0, 0
        self._page, self._key, self._rest = page, key, ""
        self.socket, self.since = self._ask(), time.monotonic()

    def _ask(self) -> socket.socket:
        found = socket.create_connection(("127.0.0.1", self._page.port))
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lines = (
            f"GET /r/{self._key}/events?after=0 HTTP/1.1", f"Host: 127.0.0.1:{self._page.port}",
            f"Cookie: {self._page.cookie}", f"Last-Event-ID: {self.last}", "", "",
        )  # fmt: skip
        found.sendall("\r\n".join(lines).encode())
        return found

    def take(self) -> None:
        self._rest += self.socket.recv(65_536).decode(errors="replace")
        *lines, self._rest = self._rest.split("\n")
        for number in (int(line[4:]) for line in lines if line.startswith("id: ")):
            self.wrong += number != self.last + 1
            self.last = number

    def cut(self) -> None:
        self.socket.close()
        self._rest = ""
        self.socket, self.since = self._ask(), time.monotonic()


class Readers:
    """All of them, in one thread of this process."""

    def __init__(self, page: Login, key: str) -> None:
        self._all = [Reader(page, key, kind) for kind, n in READERS.items() for _ in range(n)]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> Readers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        for one in self._all:
            one.socket.close()

    def _read(self) -> None:
        awake = [one for one in self._all if one.kind != "sleeps"]
        while not self._over.wait(0.05):
            ready = select.select([one.socket for one in awake], [], [], 0)[0]
            for one in awake:
                if one.socket in ready:
                    one.take()
                if one.kind == "cuts" and time.monotonic() - one.since > CUT_SECONDS:
                    one.cut()

    def missed(self, latest: int) -> int:
        """Readers that do not have every event, in order, in the end."""
        awake = [one for one in self._all if one.kind != "sleeps"]
        deadline = time.monotonic() + 20
        while any(one.last < latest for one in awake) and time.monotonic() < deadline:
            time.sleep(0.1)
        return sum(one.wrong or one.last < latest for one in awake)
