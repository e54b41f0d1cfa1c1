"""Tasks side by side against one after the other: `python -m bench.waves`.

One scripted feature whose eight tasks form two waves of four, with an agent that takes half a
second a turn. Timed are the tasks, from the first that is asked for to the checks after the last,
and the whole run with its start and its reviewers; both ways must end with the same tree.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.engine.built import SATISFIED, build, task, turn

SECONDS = 0.5
WIDTH = 4
WAVES = 2
FASTER = 1.5
AT_A_GATE = 2


class Ran(NamedTuple):
    tasks: float
    whole: float
    tree: str


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-waves-") as folder:
        serial, waves = (run(Path(folder) / str(width), width) for width in (1, WIDTH))
    ratio, same = serial.tasks / waves.tasks, serial.tree == waves.tree
    print(f"{WAVES} waves of {WIDTH} tasks, an agent of {SECONDS} s (measured, scripted agent)")
    print(f"  one after the other  tasks {serial.tasks:5.1f} s, whole run {serial.whole:5.1f} s")
    print(f"  side by side         tasks {waves.tasks:5.1f} s, whole run {waves.whole:5.1f} s")
    print(f"  {ratio:.2f} x as fast, {'the same tree' if same else 'ANOTHER TREE'}")
    return 0 if same and ratio >= FASTER else 1


def run(folder: Path, width: int) -> Ran:
    folder.mkdir()
    built = build(folder, tasks(), script(), flow__waves=width, engine__clock="wall")
    began = time.monotonic()
    said = built.sparing("run")
    seconds = time.monotonic() - began
    assert said.code == AT_A_GATE, said.err
    told = built.told()
    first = next(one.at for one in told if one.kind == "asks")
    checks = next(one.at for one in told if one.kind == "checks")
    return Ran(checks - first, seconds, built.tree)


def tasks() -> str:
    text, before = "", "none"
    for wave in range(WAVES):
        numbers = [f"{wave + 1}.{one + 1}" for one in range(WIDTH)]
        text += "".join(task(one, f"File {one}", f"made-{one}.txt", before) for one in numbers)
        before = ", ".join(numbers)
    return text


def script() -> str:
    names = [f"{wave + 1}.{one + 1}" for wave in range(WAVES) for one in range(WIDTH)]
    turns = (turn(one, {f"made-{one}.txt": one}, seconds=SECONDS) for one in names)
    return "".join(turns) + SATISFIED


if __name__ == "__main__":
    sys.exit(main())
