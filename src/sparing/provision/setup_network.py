"""The network of a set-up: the hosts of its package managers, by name, and no other.

A set-up can reach one local port, which forwards connections to hosts on the list. It runs in a
thread, for as long as the set-up does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from sparing.agents.tunnel import Host, Tunnel

STOP_SECONDS = 10.0
_T = TypeVar("_T")


@contextmanager
def way_out(hosts: Collection[Host], upstream: str = "") -> Generator[Tunnel]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="set-up network", daemon=True)
    thread.start()

    def settled(work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(STOP_SECONDS)

    tunnel = Tunnel(hosts, upstream, plain=True)
    try:
        settled(tunnel.__aenter__())
        try:
            yield tunnel
        finally:
            settled(tunnel.__aexit__())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS)
        if not thread.is_alive():
            loop.close()


def port_of(tunnel: Tunnel) -> int:
    return urlsplit(tunnel.url).port or 0


def proxy_variables(tunnel: Tunnel) -> dict[str, str]:
    """Proxy variables that package managers, curl and git read."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "npm_config_proxy")
    own = {**dict.fromkeys((*names, "npm_config_https_proxy"), tunnel.url)}
    return {**own, "NO_PROXY": "", "no_proxy": ""}


def refused_hosts(tunnel: Tunnel) -> tuple[str, ...]:
    """Hosts that were requested but refused, as the setting would name them."""
    return tuple(dict.fromkeys(one for line in tunnel.refused if (one := _host(line))))


def _host(line: str) -> str:
    target = line.split(" ")[1] if line.count(" ") > 1 else ""
    address = urlsplit(target if "://" in target else f"//{target}")
    try:
        port = address.port or (80 if address.scheme == "http" else 443)
    except ValueError:
        return ""
    name = address.hostname or ""
    return name if port == 443 or not name else f"{name}:{port}"
