"""The page under load: 200 features and 50,000 events; twenty slow readers of one run.

`python -m bench.page`: how long until the server has answered, and where Chromium is installed
until something is painted; what scripts and styles weigh; how much longer a run takes while it is
being read, and what the server then holds in memory.
"""

from __future__ import annotations

import gzip
import http.client
import importlib
import importlib.util
import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn_event import AgentAction

FEATURES, EVENTS, ROUNDS, READERS, RUNS = 200, 50_000, 9, 20, 3
PAINT_MS, WEIGHT_BYTES, SLOWER = 300, 40_000, 0.05
NOW = 1_767_225_600.0
OUT = Path(__file__).parent / "out" / "page.json"


class Login(NamedTuple):
    port: int
    cookie: str
    link: str
    process: int


def main() -> int:
    found: dict[str, float | None] = {"weight_bytes": _weight()}
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        home = Path(folder)
        environ = {**os.environ, "HOME": folder, "XDG_STATE_HOME": str(home / "state")}
        os.environ.update(environ)
        repository = _sample(home / "many", environ)
        _fill(open_office(repository))
        with _serving(repository, environ) as page:
            key = open_office(repository).repository.key
            for name, path in (("board", "/"), ("feature", f"/r/{key}/f/002")):
                times = [_seconds(page, path) for _ in range(ROUNDS)]
                found[f"{name}_answered_ms"] = 1000 * statistics.median(times)
            found["first_paint_ms"] = _painted(page)
        found |= _read_along(home, environ)
    return _told(found)


def _told(found: dict[str, float | None]) -> int:
    for name, value in found.items():
        print(f"{name:<22} {'not measured' if value is None else f'{value:,.3f} (measured)'}")
    aims = (
        (f"scripts and styles ≤ {WEIGHT_BYTES:,} bytes", found["weight_bytes"], WEIGHT_BYTES),
        (f"first paint ≤ {PAINT_MS} ms", found["first_paint_ms"], PAINT_MS),
        (f"a run that is read is ≤ {SLOWER:.0%} slower", found["slower_share"], SLOWER),
    )
    for name, value, limit in aims:
        said = "not measured" if value is None else "met" if value <= limit else "missed"
        print(f"{name}: {said}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(found, indent=2))
    return 0 if all(value is not None and value <= limit for _, value, limit in aims) else 1


def _weight() -> int:
    static = files("sparing.web") / "static"
    return sum(len(gzip.compress((static / name).read_bytes())) for name in ("page.css", "page.js"))


def _sample(folder: Path, environ: dict[str, str], *, keep: bool = True) -> Path:
    argv = [
        sys.executable,
        "-m",
        "sparing",
        "demo",
        "--tier",
        "L1",
        "--json",
        "--keep",
        str(folder),
    ]
    subprocess.run(argv, env=environ, check=keep, capture_output=True)
    return folder / "wordtally"


def _fill(office: Office) -> None:
    base = office.loaded.settings.workspace.base_branch or "main"
    commit = answers.find(office, "1").head
    with office.database.write() as tx:
        for number in range(2, FEATURES + 1):
            row = answers.new_row(office, f"Number {number}", "L1", number, (base, commit), {}, NOW)
            features.create(tx, row)
        for n in range(EVENTS):
            key = f"{office.repository.key}-{2 + n % (FEATURES - 1):03d}"
            told = Event.of(
                AgentAction.SAYS, key=f"e{n}", feature=key, at=NOW + n, stage="plan",
                role="builder", text=f"line {n} of what an agent said",
            )  # fmt: skip
            events.add(tx, told)


@contextmanager
def _serving(folder: Path, environ: dict[str, str]) -> Generator[Login]:
    argv = [sys.executable, "-m", "sparing", "serve", "--port", "0", "--no-open"]
    process = subprocess.Popen(argv, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        link = ""
        while not link:
            line = process.stderr.readline()
            link = next(iter(re.findall(r"http\S+token=\S+", line)), "")
        port = int(re.findall(r":(\d+)/", link)[0])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", link.partition(str(port))[2])
        cookie = connection.getresponse().headers["set-cookie"].partition(";")[0]
        connection.close()
        again = process.stderr.readline() + process.stderr.readline()
        yield Login(port, cookie, re.findall(r"http\S+", again)[0], process.pid)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _seconds(page: Login, path: str) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", page.port)
    connection.request("GET", path, headers={"cookie": page.cookie})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, path
    return time.perf_counter() - began


def _painted(page: Login) -> float | None:
    program = shutil.which("chromium")
    if program is None or importlib.util.find_spec("playwright") is None:
        return None
    library: Any = importlib.import_module("playwright.sync_api")
    with library.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        window = browser.new_page()
        window.goto(page.link)
        times: list[float] = []
        for _ in range(ROUNDS):
            window.reload()
            script = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            window.wait_for_function(
                "performance.getEntriesByName('first-contentful-paint').length"
            )
            times.append(float(window.evaluate(script)))
        browser.close()
    return statistics.median(times)


def _read_along(home: Path, environ: dict[str, str]) -> dict[str, float | None]:
    """The same run alone and with readers who take nothing, in turns."""
    alone: list[float] = []
    read: list[float] = []
    memory = 0.0
    for n in range(RUNS):
        alone.append(_run(home / f"alone-{n}", environ))
        repository = _sample(home / f"watched-{n}", environ)
        with _serving(repository, environ) as page:
            key = open_office(repository).repository.key
            readers = [_reader(page, key) for _ in range(READERS)]
            read.append(_go(repository, home / f"watched-{n}", environ))
            memory = max(memory, _memory(page.process))
            for one in readers:
                one.close()
    slower = statistics.median(read) / statistics.median(alone) - 1
    return {
        "run_alone_seconds": statistics.median(alone),
        "run_read_seconds": statistics.median(read),
        "slower_share": slower,
        "server_megabytes": memory,
    }


def _run(folder: Path, environ: dict[str, str]) -> float:
    return _go(_sample(folder, environ), folder, environ)


def _go(repository: Path, folder: Path, environ: dict[str, str]) -> float:
    """Processor time of a run to its first gate: a busy machine stretches that least."""
    own = {
        **environ, "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
    }  # fmt: skip
    sparing = [sys.executable, "-m", "sparing"]
    quiet: Any = {"cwd": repository, "env": own, "capture_output": True, "check": False}
    subprocess.run([*sparing, "start", "Read along", "--flow", "feature", "--json"], **quiet)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*sparing, "run", "2", "--yes"], **quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _reader(page: Login, key: str) -> socket.socket:
    """Asks for the stream and never reads: what the kernel takes is all it gets."""
    found = socket.create_connection(("127.0.0.1", page.port))
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    lines = (
        f"GET /r/{key}/events?after=0 HTTP/1.1", f"Host: 127.0.0.1:{page.port}",
        f"Cookie: {page.cookie}", "", "",
    )  # fmt: skip
    found.sendall("\r\n".join(lines).encode())
    return found


def _memory(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


if __name__ == "__main__":
    sys.exit(main())
