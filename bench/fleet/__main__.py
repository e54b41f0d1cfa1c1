"""`make bench-fleet`: workers on a Postgres of its own, with scripted agents.

disturbed   four workers take 200 features to their end while workers are killed, some with their
            disk, others stopped and woken, and the server is restarted twice. Every feature must
            end as on SQLite, with nothing committed or paid twice but turns that were under way.
stopped     workers are stopped at 13 points of their work, replaced, and woken: three times each.
takeover    how long a feature is without a worker after its own was killed or suspended.
rates       the same work, undisturbed, by 1, 2, 4 and 8 workers: dispatches a second, connections
            and statements.
idle        how many statements a worker sends that has nothing to do.

upgrade     features that another version has begun are ended by this one, while both are at work;
            only with `--old FOLDER`, a checkout of that version.

`--features`, `--workers` and `--seed` change the size; `--part` takes one part.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from scripts.postgres import server

OUT = Path(__file__).parents[1] / "out" / "fleet.json"
PARTS = ("disturbed", "stopped", "takeover", "rates", "idle", "upgrade")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--features", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--old", type=Path)
    options = parser.parse_args()
    found: dict[str, object] = {}
    good = True
    for part in options.part or (PARTS if options.old else PARTS[:-1]):
        with server() as (url, folder):
            os.environ.update(PYTEST_DATABASE=url, SPARING_STATE__DATABASE=url)
            code, rows = _run(part, folder, options)
        good, found[part] = good and code, rows
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(found, indent=2))
    return 0 if good else 1


def _run(part: str, folder: Path, options: argparse.Namespace) -> tuple[bool, object]:
    # The address of the server is read when the tests' fleet is imported.
    for name in [name for name in sys.modules if name.startswith(("tests.", "bench.fleet."))]:
        del sys.modules[name]
    if part == "disturbed":
        from bench.fleet.disturbed import run_disturbed

        return run_disturbed(folder, options.features, options.workers, options.seed)
    if part == "upgrade":
        from bench.fleet.upgrade import run_upgrade

        return run_upgrade(options.old.resolve())
    if part == "stopped":
        from bench.fleet.stopped import run_stopped

        return run_stopped()
    if part == "takeover":
        from bench.fleet.takeover import run_takeover

        return run_takeover()
    from bench.fleet.rates import run_idle, run_rates

    return run_idle(folder) if part == "idle" else run_rates(folder, options.features)


if __name__ == "__main__":
    sys.exit(main())
