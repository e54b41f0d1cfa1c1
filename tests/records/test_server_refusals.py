"""A server that can't be used is told in two lines, without a traceback and without a password.

Covers: I4
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from sparing.config.faults import shown
from sparing.database import open_database
from sparing.errors import SparingError
from sparing.postgres import Server
from sparing.records.schema import MIGRATIONS


def refusal(folder: Path, url: str) -> SparingError:
    with pytest.raises(SparingError) as caught:
        open_database(folder / "sparing.db", MIGRATIONS, server=Server(url, "sparing_x"))
    return caught.value


@contextmanager
def without_tls() -> Generator[int]:
    """Answers a request for TLS as a server does that has none."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            client, _ = listening.accept()
            with client:
                client.recv(8)
                client.sendall(b"N")

        answering = Thread(target=answer)
        answering.start()
        yield listening.getsockname()[1]
        answering.join()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    """I4: what was tried is named, and what to do."""
    told = refusal(tmp_path, f"postgresql://ada@/x?host={tmp_path}")
    assert told.what.startswith("the database postgresql://ada@/x can't be used: ")
    assert told.repair == "check that the server is running, then run the same command again"
    assert "\n" not in told.what


def test_a_server_that_refuses_tls(tmp_path: Path) -> None:
    """I4: no connection without it where the address asks for it."""
    with without_tls() as port:
        told = refusal(tmp_path, f"postgresql://ada@127.0.0.1:{port}/x?sslmode=require")
    assert "turn TLS on" in told.repair


@pytest.mark.parametrize(
    "url",
    ["postgresql://a@[::1/x", "postgresql://a@/x?nonsense=1", "postgresql://a@/sp%zz"],
)
def test_an_address_that_is_none(tmp_path: Path, url: str) -> None:
    """I4: its fault is told with an example of a good one."""
    told = refusal(tmp_path, url)
    assert told.what.startswith("state.database can't be read: ")
    assert "postgresql://user@host/name" in told.repair


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hunter2@db/x",
        "postgresql://ada:hunter2/@@db/x",
        "postgresql://ada@db/x?password=hunter2",
    ],
)
def test_a_password_in_an_address_is_not_shown(url: str) -> None:
    """I4: not even in the words that refuse it."""
    assert "hunter2" not in shown(url)
    assert shown("http://127.0.0.1:80/x") == '"http://127.0.0.1:80/x"'
