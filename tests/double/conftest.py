"""One double for all tests of the wire; each finds it with an empty cache, two hours later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.double.serving import Client, serving


@pytest.fixture(scope="session")
def running() -> Iterator[Client]:
    with serving() as client:
        yield client


@pytest.fixture
def client(running: Client) -> Client:
    running.control(reset_cache=True, advance=7200, plan=[])
    return running
