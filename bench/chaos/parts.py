"""What is done to runs, part by part. Every case has a name and is tried once."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.chaos.scene import FLOWS, TREE, Scene, Verdict, scene, whole_seconds
from tests.patience import Patience, outcome_of
from tests.terminal import Said

SEED = 21
RUNS = 50
KILLS_A_RUN = 6
"""300 kills in all, every second one as soon as a turn is under way."""
MOST_SECONDS = 600.0
"""For one process, counted as `Patience` does: only against what would hang for ever."""
DOORS = 8
JUMPS = (3600, -3600, -1_700_000_000)


class Case(NamedTuple):
    part: str
    name: str
    attempt: Callable[[], Verdict]
    short: bool = False
    """Also in CI."""


def points() -> Iterator[Case]:
    """kill -9 at every crash point of every flow, then on to the end."""
    from sparing.engine import leg, recorded_step
    from sparing.payment.paid_call import ANSWERED, RESERVED

    assert leg.PROGRAM  # all steps are known once it is loaded
    every = (*recorded_step.POINTS, RESERVED, ANSWERED)
    for flow in FLOWS:
        for point in every:
            short = flow == "L1" and point in ("commit:end", ANSWERED)
            yield Case("points", f"{flow} {point}", partial(_point, flow, point), short)


def _point(flow: str, point: str) -> Verdict:
    with scene(flow) as made:
        said = made.first(SPARING_ENGINE__CRASH_AT=point)
        if said.code == 0:
            return Verdict(made.look().good, "not passed in this flow")
        if said.code != -signal.SIGKILL:
            return Verdict(False, f"exit {said.code}: {said.err[-200:]}")
        return made.finish()


def kills() -> Iterator[Case]:
    """At random moments, again and again in one run."""
    for number in range(RUNS):
        flow = FLOWS[number % len(FLOWS)]
        yield Case("kills", f"{flow} run {number}", partial(_killed, flow, number))


def _killed(flow: str, number: int, kills: int = KILLS_A_RUN) -> Verdict:
    dice = random.Random(f"{SEED} {number}")
    inside, late = 0, whole_seconds(flow) / 2
    with scene(flow) as made:
        for turn in range(kills):
            process = made.begin({})
            if turn % 2:
                inside += _until_a_turn(made, process)
                time.sleep(dice.uniform(0, 0.1))
            else:
                time.sleep(dice.uniform(0.2, 0.2 + late))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            _ended(process)
        found = made.finish()
    return Verdict(found.good, f"{found.words} ({kills} kills, {inside} inside a turn)".strip())


def _until_a_turn(made: Scene, process: subprocess.Popen[bytes]) -> bool:
    """One that began since; a row left by the kill before is settled at the start."""
    before = made.count("1")
    patience = Patience(MOST_SECONDS)
    while process.poll() is None and patience.left:
        if made.count("1") > before and made.count("outcome = 'open'"):
            return True
        time.sleep(0.01)
    return False


def signals() -> Iterator[Case]:
    """Stopped and let go on, hung up on, told to end."""
    for flow in FLOWS:
        for sent in (signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            for after in (0.3, 0.6):
                name, short = f"{flow} {sent.name} at {after:.0%}", (flow, after) == ("L1", 0.3)
                short = short and sent is signal.SIGHUP
                yield Case("signals", name, partial(_signal, flow, sent, after), short)


def _signal(flow: str, sent: signal.Signals, after: float) -> Verdict:
    with scene(flow) as made:
        process = made.begin({})
        time.sleep(after * whole_seconds(flow))
        runs = process.poll() is None
        if runs:
            os.killpg(process.pid, sent)
        if runs and sent is signal.SIGSTOP:
            time.sleep(2)
            os.killpg(process.pid, signal.SIGCONT)
        said = _ended(process)
        if "Traceback" in said.err:
            return Verdict(False, f"a traceback: {said.err[-300:]}")
        if sent is signal.SIGSTOP and said.code:
            return Verdict(False, f"exit {said.code}: {said.err[-200:]}")
        return made.look() if said.code == 0 else made.finish()


def _ended(process: subprocess.Popen[bytes]) -> Said:
    """Its end; a process that never ends is a finding, not a wait."""
    _, err = outcome_of(process, MOST_SECONDS)
    return Said(process.returncode, "", err.decode(errors="replace"))


def clock() -> Iterator[Case]:
    """The wall clock jumps in the midst of a run."""
    for flow in FLOWS:
        for jump in JUMPS:
            for calls in (0, 500, 2000):
                name = f"{flow} {jump:+} s after {calls} looks"
                environ = {"CHAOS_JUMP": f"{jump}:{calls}"}
                short = (flow, jump, calls) == ("L1", -3600, 0)
                yield Case("clock", name, partial(_preloaded, flow, environ), short)


def disk() -> Iterator[Case]:
    """Every write, sync and rename of one run in the state folder is refused once."""
    total = _writes() if shutil.which("gcc") else 0
    for number in range(1, total + 1):
        for code in (errno.ENOSPC, errno.EIO):
            word, short = errno.errorcode[code], (number, code) == (total // 2, errno.ENOSPC)
            environ = {"CHAOS_FAULT": f"{code}:{number}"}
            name = f"L1 {word} at write {number}"
            yield Case("disk", name, partial(_preloaded, "L1", environ), short)


def _writes() -> int:
    """How many there are when nothing is refused."""
    with scene("L1") as made:
        counted = made.folder / "count"
        process = made.begin({**_shim(made), "CHAOS_COUNT": str(counted)})
        assert _ended(process).code == 0
        return int(counted.read_text())


def _preloaded(flow: str, environ: dict[str, str]) -> Verdict:
    with scene(flow) as made:
        said = _ended(made.begin({**_shim(made), **environ}))
        if "Traceback" in said.err:
            return Verdict(False, f"a traceback: {said.err[-400:]}")
        lines = said.err.strip().splitlines()[-2:]
        if said.code and not (said.code == 2 or [x.split(":")[0] for x in lines][-1:] == ["fix"]):
            return Verdict(False, f"exit {said.code} without a fix: {said.err[-300:]}")
        return made.look(TREE) if said.code == 0 else made.finish(TREE)


def _shim(made: Scene) -> dict[str, str]:
    """Compiled where it is needed: nothing binary is kept."""
    library = made.folder / "preload.so"
    source = Path(__file__).with_name("preload.c")
    compiled = ("gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
    subprocess.run(compiled, check=True)
    return {"LD_PRELOAD": str(library), "CHAOS_BELOW": str(made.state)}


def engines() -> Iterator[Case]:
    """Two engines of one folder, and eight people at one gate."""
    for flow in FLOWS:
        yield Case("engines", f"{flow} two at once", partial(_two, flow), flow == "L1")
        yield Case("doors", f"{flow} {DOORS} answers", partial(_doors, flow))


def _two(flow: str) -> Verdict:
    with scene(flow) as made:
        made.first(SPARING_ENGINE__CRASH_AT="prepare:end")
        both = [made.begin({}) for _ in range(2)]
        codes = sorted(_ended(one).code for one in both)
        return made.look() if codes in ([0, 1], [0, 0]) else Verdict(False, f"exits {codes}")


def _doors(flow: str) -> Verdict:
    with scene(flow) as made:
        made.first(SPARING_ENGINE__CRASH_AT="settle:end")
        waits = made.again("run")
        if waits.code != 2:
            return Verdict(False, f"no gate: exit {waits.code}: {waits.err[-200:]}")
        said: list[Said] = []
        doors = [
            threading.Thread(target=lambda: said.append(made.again("approve", "1")))
            for _ in range(DOORS)
        ]
        for door in doors:
            door.start()
        for door in doors:
            door.join()
        codes = sorted(one.code for one in said)
        if codes != [0] + [1] * (DOORS - 1):
            return Verdict(False, f"exits {codes}")
        return made.finish()
