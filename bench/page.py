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
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, NamedTuple

from bench.page_readers import Login, Readers
from sparing.desk.features.history import latest_event
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn_event import AgentAction

FEATURES, EVENTS, ROUNDS, RUNS = 200, 50_000, 9, 5
PAINT_MS, WEIGHT_BYTES, SLOWER, MEGABYTES = 300, 40_000, 0.05, 300
PAINTED = """() => new Promise((done) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint")[0];
  if (found) done(found.startTime);
}).observe({ type: "paint", buffered: true }))"""
NOW = 1_767_225_600.0
OUT = Path(__file__).parent / "out" / "page.json"


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
            paths = {"board": "/", "feature": f"/r/{key}/f/002"}
            for name, path in paths.items():
                times = [_seconds(page, path) for _ in range(ROUNDS)]
                found[f"{name}_answered_ms"] = 1000 * statistics.median(times)
            painted = _painted(page, tuple(paths.values()))
            found |= {f"{name}_painted_ms": ms for name, ms in zip(paths, painted, strict=True)}
        found |= _read_along(home, environ)
    return _told(found)


def _told(found: dict[str, float | None]) -> int:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end")
    for name, value in found.items():
        print(f"{name:<22} {'not measured' if value is None else f'{value:,.3f} (measured)'}")
    aims = (
        (f"scripts and styles ≤ {WEIGHT_BYTES:,} bytes", found["weight_bytes"], WEIGHT_BYTES),
        (f"first paint of the board ≤ {PAINT_MS} ms", found["board_painted_ms"], PAINT_MS),
        (f"first paint of a feature ≤ {PAINT_MS} ms", found["feature_painted_ms"], PAINT_MS),
        (f"memory of the server ≤ {MEGABYTES} MB", found["server_megabytes"], MEGABYTES),
        ("events that a reader missed: none", found["missed_events"], 0),
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
        link = _next_link(process.stderr)
        port = int(re.findall(r":(\d+)/", link)[0])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", link.partition(str(port))[2])
        cookie = connection.getresponse().headers["set-cookie"].partition(";")[0]
        connection.close()
        yield Login(port, cookie, _next_link(process.stderr), process.pid)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _next_link(said: IO[str]) -> str:
    """The next login link that the server tells its terminal."""
    while line := said.readline():
        if found := re.findall(r"http\S+token=\S+", line):
            return str(found[0])
    raise SystemExit("error: the server ended\nfix: sparing serve --no-open")


def _seconds(page: Login, path: str) -> float:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", page.port)
    connection.request("GET", path, headers={"cookie": page.cookie})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, path
    return time.perf_counter() - began


def _painted(page: Login, paths: Sequence[str]) -> Sequence[float | None]:
    """Milliseconds from the click to the first content, by Chromium's own clock."""
    program = shutil.which("chromium")
    if program is None or importlib.util.find_spec("playwright") is None:
        return [None for _ in paths]
    library: Any = importlib.import_module("playwright.sync_api")
    with library.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        window = browser.new_page()
        window.goto(page.link)
        found: list[float] = []
        for path in paths:
            times: list[float] = []
            for _ in range(ROUNDS):
                window.goto(f"http://127.0.0.1:{page.port}{path}")
                times.append(float(window.evaluate(PAINTED)))
            found.append(statistics.median(times))
        browser.close()
    return found


def _read_along(home: Path, environ: dict[str, str]) -> dict[str, float | None]:
    """The same run alone and with twenty readers, in turns."""
    alone: list[Took] = []
    read: list[Took] = []
    memory, missed = 0.0, 0
    for n in range(RUNS):
        alone.append(_go(_sample(home / f"alone-{n}", environ), home / f"alone-{n}", environ))
        repository = _sample(home / f"read-{n}", environ)
        with _serving(repository, environ) as page:
            office = open_office(repository)
            with Readers(page, office.repository.key) as readers:
                read.append(_go(repository, home / f"read-{n}", environ))
                missed += readers.missed(latest_event(office))
            memory = max(memory, _memory(page.process))
    return {
        "run_alone_cpu_seconds": statistics.median(one.processor for one in alone),
        "run_read_cpu_seconds": statistics.median(one.processor for one in read),
        "run_alone_seconds": statistics.median(one.wall for one in alone),
        "run_read_seconds": statistics.median(one.wall for one in read),
        "slower_share": _slower(
            [(a.processor, b.processor) for a, b in zip(alone, read, strict=True)]
        ),
        "slower_wall_share": _slower([(a.wall, b.wall) for a, b in zip(alone, read, strict=True)]),
        "server_megabytes": memory,
        "missed_events": missed,
    }


def _slower(pairs: Sequence[tuple[float, float]]) -> float:
    """Of runs one after the other, so that a machine that is busier by then counts for both."""
    return statistics.median(read / alone for alone, read in pairs) - 1


class Took(NamedTuple):
    processor: float
    wall: float


def _go(repository: Path, folder: Path, environ: dict[str, str]) -> Took:
    """A whole feature, every gate approved at once.

    Processor time is what a busy machine stretches least.
    """
    own = {
        **environ, "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
    }  # fmt: skip
    sparing = [sys.executable, "-m", "sparing"]
    quiet: Any = {"cwd": repository, "env": own, "capture_output": True, "check": False}
    subprocess.run([*sparing, "start", "Read along", "--flow", "feature", "--json"], **quiet)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*sparing, "run", "2", "--yes"], **quiet)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return Took(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def _memory(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


if __name__ == "__main__":
    sys.exit(main())
