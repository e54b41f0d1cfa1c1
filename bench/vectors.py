"""Every known way by which a repository makes git run a program: does it fire, and for us?

`python -m bench.vectors`: each is planted in a repository of its own; first plain git does what
triggers it, then, in another one, the product does all of its work. Fails if one fires for us.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sparing.errors import RepositoryError
from tests.workspace.routine import work
from tests.workspace.vectors import VECTORS, Vector, make_site

LEAST = 24
OUT = Path(__file__).parent / "out" / "vectors.json"


class Row(NamedTuple):
    number: int
    title: str
    plain: bool
    """Whether it fired for plain git."""
    ours: bool
    words: str


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        rows = [_try(Path(folder), vector) for vector in VECTORS]
    print(f"{'':>2} {'vector':<20} {'plain git':<10} {'sparing':<8} how")
    for row in rows:
        cells = ["runs" if fired else "-" for fired in (row.plain, row.ours)]
        print(f"{row.number:>2} {row.title:<20} {cells[0]:<10} {cells[1]:<8} {row.words}")
    plain, ours = sum(row.plain for row in rows), sum(row.ours for row in rows)
    print(f"of {len(rows)} vectors {plain} run with plain git, {ours} with sparing (measured)")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([row._asdict() for row in rows], indent=2))
    return 0 if len(rows) >= LEAST and plain == len(rows) and ours == 0 else 1


def _try(folder: Path, vector: Vector) -> Row:
    plain = make_site(folder / f"{vector.number}-plain")
    vector.plant(plain)
    vector.fire(plain)
    site = make_site(folder / f"{vector.number}-ours")
    vector.plant(site)
    site.mark.unlink(missing_ok=True)
    try:
        work(site)
        words = "the work is done without it"
    except RepositoryError as error:
        words = f"refused: {error.what.partition('has ')[2].partition(',')[0] or error.what}"
    return Row(vector.number, vector.title, plain.mark.exists(), site.mark.exists(), words)


if __name__ == "__main__":
    sys.exit(main())
