"""Every class of escape from an agent's folder, and how many attempts of each were refused.

`python -m bench.escapes`: real files, links, pipes and sockets in a folder of its own; the race is
run ten thousand times. Fails if anything outside was reached.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.workspace.escapes import CLASSES, table, tally, tally_ids, tally_race

RACES = 10_000
LEAST_CLASSES, LEAST_ATTEMPTS = 12, 20
OUT = Path(__file__).parent / "out" / "escapes.json"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        place = Path(folder)
        rows = [tally(place / str(number), name) for number, name in enumerate(CLASSES)]
        race = tally_race(place / "race", RACES)
        rows += [tally_ids(place / "ids"), race]
    print(table(rows))
    inside = race.attempts - race.refused
    print(f"of the race, {inside} found the folder in its place and stayed in it (measured)")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([row._asdict() for row in rows], indent=2))
    enough = len(rows) >= LEAST_CLASSES and all(r.attempts >= LEAST_ATTEMPTS for r in rows)
    refused = all(row.refused == row.attempts for row in rows if row is not race)
    return 0 if enough and refused and not any(row.outside for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
