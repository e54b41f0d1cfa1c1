"""The server: on this machine alone, unless a person insists and provides a certificate."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import uvicorn

from sparing.errors import UsageError
from sparing.web.access import PageLogin
from sparing.web.app import make_app
from sparing.web.site import Site
from sparing.workspace.git.object_reader import kept_open

BACKLOG = 128
GRACE_SECONDS = 1


class Listen(NamedTuple):
    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    exposed: bool = False
    """True if a person has confirmed that others can reach it."""

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"


def check_listen(wanted: Listen) -> None:
    """Raise an error if others could eavesdrop, or reach it without a person's consent."""
    if _is_loopback(wanted.host):
        return
    if not (wanted.certificate and wanted.key):
        raise UsageError(
            f"{wanted.host} can be reached by others, and nothing would be encrypted",
            "leave --host out, or add --tls-cert and --tls-key",
        )
    if not wanted.exposed:
        raise UsageError(
            f"{wanted.host} can be reached by others; whoever has the login link acts as you",
            "leave --host out, or add --i-know",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class PageServer:
    """A server that has its address and does not answer yet."""

    def __init__(self, site: Site, wanted: Listen, announce: Callable[[str], None]) -> None:
        check_listen(wanted)
        self._socket = _bound(wanted)
        port = self._socket.getsockname()[1]
        host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
        self.access = PageLogin(f"{wanted.scheme}://{host}:{port}", site.here().person, announce)
        config = uvicorn.Config(
            make_app(site, self.access),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="off",
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=wanted.certificate,
            ssl_keyfile=wanted.key,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until stopped, or until Ctrl-C."""
        with kept_open(), suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True


def _bound(wanted: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
    try:
        return socket.create_server((wanted.host, wanted.port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "unknown reason"
        raise UsageError(
            f"{wanted.host}:{wanted.port} can't be used: {why}",
            "sparing serve --port 0 takes one that is free",
        ) from error
