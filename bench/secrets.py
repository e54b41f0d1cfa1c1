"""How many made-up secrets are stopped, and how many false alarms the standard library gives.

`python -m bench.secrets`: our rules on every form and on the first 1,000 files.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.project.secrets import scan
from tests.workspace.samples import SAMPLES

FILES = 1000
OUT = Path(__file__).parent / "out" / "secrets.json"


class Score(NamedTuple):
    stopped: int
    alarms: int
    """Files of the library that it would have stopped."""
    seconds: float


def main() -> int:
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(p for p in library.rglob("*.py") if "site-packages" not in p.parts)[:FILES]
    scores = {"our rules": _score(_ours, files)}
    for name, score in scores.items():
        print(
            f"{name:<15} stops {score.stopped} of {len(SAMPLES)} forms, false alarms in"
            f" {score.alarms} of {len(files)} files, {score.seconds:.1f} s for these (measured)"
        )
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({name: s._asdict() for name, s in scores.items()}, indent=2))
    ours = scores["our rules"]
    return 0 if ours.stopped == len(SAMPLES) >= 40 and ours.alarms <= 1 else 1


def _score(finds: Callable[[Path], bool], files: Sequence[Path]) -> Score:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        stopped = 0
        for number, sample in enumerate(SAMPLES):
            path = Path(folder, str(number), sample.path)
            path.parent.mkdir()
            path.write_text(f"import os\n\n{sample.line}\n")
            stopped += finds(path)
    begin = time.perf_counter()
    alarms = sum(finds(path) for path in files)
    return Score(stopped, alarms, time.perf_counter() - begin)


def _ours(path: Path) -> bool:
    return bool(scan([(path.name, path.read_bytes())]))


if __name__ == "__main__":
    sys.exit(main())
