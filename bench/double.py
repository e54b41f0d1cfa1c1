"""How many requests a second the double answers, from one process to another.

`python -m bench.double` starts it as a process of its own and asks over kept connections: small
requests, and such as a coding agent's client sends, streamed and not, with the log on.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

OUT = Path(__file__).parent / "out" / "double.json"
AIM_PER_SECOND = 200
REQUESTS = 400
WARM_UP = 20
HEADERS = {
    "content-type": "application/json",
    "x-api-key": "none",
    "anthropic-version": "2023-06-01",
}
MARK = {"cache_control": {"type": "ephemeral"}}


class Load(NamedTuple):
    name: str
    chars: int
    stream: bool


LOADS = (
    Load("2 KB", 2_000, stream=False),
    Load("2 KB, streamed", 2_000, stream=True),
    Load("88 KB", 88_000, stream=False),
    Load("88 KB, streamed", 88_000, stream=True),
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        argv = (sys.executable, "-m", "sparing.double", "--with-parent", "--log", f"{folder}/log")
        with subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            url: str = json.loads(process.stdout.readline())["url"]
            address = urlsplit(url)
            rates = {load.name: _rate(address.hostname or "", address.port, load) for load in LOADS}
            process.stdin.close()
    met = min(rates.values()) >= AIM_PER_SECOND
    for name, rate in rates.items():
        print(f"{name:<16} {rate:7.0f} requests/s (measured)")
    print(f"aim ≥ {AIM_PER_SECOND} requests/s ({'met' if met else 'missed'})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"requests_per_second": rates}, indent=2))
    return 0 if met else 1


def _rate(host: str, port: int | None, load: Load) -> float:
    line = HTTPConnection(host, port, timeout=10)
    line.connect()
    assert line.sock is not None
    line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for number in range(WARM_UP):
        _ask(line, load, number)
    rounds: list[float] = []
    for start in range(0, REQUESTS, 100):
        begin = time.perf_counter()
        for number in range(start, start + 100):
            _ask(line, load, WARM_UP + number)
        rounds.append(100 / (time.perf_counter() - begin))
    line.close()
    return statistics.median(rounds)


def _ask(line: HTTPConnection, load: Load, number: int) -> None:
    """A conversation of one shared part and one question of its own."""
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": f"{n} ".ljust(load.chars // 10, ".")} for n in range(10)
    ]
    content = [*blocks, {"type": "text", "text": f"question {number}", **MARK}]
    body = {
        "model": "claude-sonnet-5",
        "max_tokens": 1000,
        "stream": load.stream,
        "messages": [{"role": "user", "content": content}],
    }
    line.request("POST", "/v1/messages", json.dumps(body), HEADERS)
    response = line.getresponse()
    assert response.status == 200, response.read()
    response.read()


if __name__ == "__main__":
    sys.exit(main())
