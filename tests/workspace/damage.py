"""What `hostile` did to a scene, looked up in the world, and the table of it.

`python -m tests.workspace.damage` prints that table for every level that this host reaches.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxLevel
from tests.workspace.hostile import ATTEMPTS, MARK
from tests.workspace.scene import (
    KEY,
    PRIVATE,
    PROGRAM,
    Scene,
    as_agent,
    as_check,
    run_hostile,
    set_up,
)

BARE = "bare"


class Outcome(NamedTuple):
    said: str
    landed: bool


def attack(
    root: Path, level: SandboxLevel | None, access: SandboxAccess = SandboxAccess.AUTHOR
) -> dict[str, Outcome]:
    """Everything in `ATTEMPTS` by an agent at one level; None is a process without launcher."""
    with set_up(root) as scene:
        policy = None if level is None else as_agent(scene, level, access)
        return outcomes(scene, lambda: run_hostile(scene, policy))


def attack_from_tests(root: Path, level: SandboxLevel) -> dict[str, Outcome]:
    """The same by the repository's own tests, before the first of them runs."""
    with set_up(root) as scene:
        conftest = f"import runpy\nrunpy.run_path({str(PROGRAM)!r}, run_name='__main__')\n"
        (scene.worktree / "conftest.py").write_text(conftest)
        argv = (sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider")
        return outcomes(scene, lambda: run_hostile(scene, as_check(scene, level), argv))


def outcomes(scene: Scene, run: Callable[[], list[dict[str, Any]]]) -> dict[str, Outcome]:
    before = (scene.home / ".ssh" / "id").stat().st_mode
    messages = run()
    scene.listen()
    scene.heard["mode"] = MARK if (scene.home / ".ssh" / "id").stat().st_mode != before else ""
    said = {m["name"]: str(m["said"]) for m in messages if m["type"] == "attempt"}
    assert [a.name for a in ATTEMPTS if a.name not in said] == [], messages[-3:]
    results = [m for m in messages if m["type"] == "result"]
    scene.heard["forged"] = MARK if len(results) > 1 else ""
    return {name: Outcome(said[name], hit) for name, hit in _landed(scene, said).items()}


def _holds(path: Path) -> bool:
    return path.is_file() and MARK in path.read_text()


def _beats(scene: Scene) -> bool:
    """Whether somebody still writes."""
    size = os.fstat(scene.held["beats"]).st_size
    time.sleep(0.2)
    return os.fstat(scene.held["beats"]).st_size > size


def _written(name: str, *parts: str) -> Callable[[Scene, str], bool]:
    return lambda scene, _: _holds(Path(scene.paths[name], *parts))


def _gone(name: str, *parts: str) -> Callable[[Scene, str], bool]:
    return lambda scene, _: not Path(scene.paths[name], *parts).exists()


def _said(words: str) -> Callable[[Scene, str], bool]:
    return lambda _, said: words in said


def _heard(name: str, words: str = MARK) -> Callable[[Scene, str], bool]:
    return lambda scene, _: words in scene.heard.get(name, "")


# In the order of ATTEMPTS: whether it had its effect in the world.
_EFFECTS: tuple[Callable[[Scene, str], bool], ...] = (
    _written("home", "notes"),
    _written("main", "app.py"),
    _written("main", ".git", "hooks", "post-commit"),
    _written("other", "app.py"),
    _written("home", "through"),
    _said(PRIVATE),
    _said(PRIVATE),
    lambda scene, _: _holds(scene.root / "lock"),
    _written("home", ".bashrc"),
    _written("main", ".git", "hooks", "pre-commit"),
    _gone("main", ".git", "refs", "heads", "idea"),
    _written("main", "new.py"),
    _written("main", ".git", "config"),
    _written("other", "new.py"),
    _written("home", "by-link"),
    _written("home", ".profile"),
    _gone("home", "moved"),
    lambda scene, _: (scene.home / "precious").stat().st_size == 0,
    _heard("policy"),
    _written("public", "left"),
    _heard("mode"),
    lambda scene, _: int((scene.main / "app.py").stat().st_mtime) == 1,
    lambda scene, _: MARK in os.pread(scene.held[".git"], 100, 0).decode(),
    _said(PRIVATE),
    _said(PRIVATE),
    _said(KEY),
    _said(KEY),
    _said("MEMORY b"),
    _written("state", "record"),
    lambda scene, _: scene.victim.poll() is not None,
    _heard("forged"),
    lambda scene, _: _beats(scene),
    _heard("api"),
    _heard("other", f"{MARK}-plain"),
    _heard("other", f"{MARK}-fast"),
    _heard("other", f"{MARK}-multipath"),
    _heard("udp"),
    _heard("file"),
    _heard("abstract"),
    _heard("log"),
    _heard("terminal"),
    _said("POWERS\n"),
    _gone("worktree"),
)


def _landed(scene: Scene, said: dict[str, str]) -> dict[str, bool]:
    return {
        attempt.name: effect(scene, said[attempt.name])
        for attempt, effect in zip(ATTEMPTS, _EFFECTS, strict=True)
    }


def table(found: dict[str, dict[str, Outcome]]) -> str:
    """Attempt by level, what stopped it first, and how many landed."""
    head = " ".join(f"{name:>11}" for name in found)
    lines = [f"{'':<52} {head}"]
    for attempt in ATTEMPTS:
        cells = [found[name][attempt.name].landed for name in found]
        shown = " ".join(f"{'LANDS' if cell else '-':>11}" for cell in cells)
        lines.append(f"{attempt.name:<52} {shown}  {_stopped_by(list(found), cells)}")
    sums = " ".join(f"{sum(o.landed for o in found[n].values()):>11}" for n in found)
    return "\n".join((*lines, f"{f'landed of {len(ATTEMPTS)}':<52} {sums}"))


_WALLS = {
    "unsandboxed": "supervisor, environment",
    "files": "Landlock",
    "calls": "seccomp",
    "shell": "the shell's own policy",
    "sealed": "namespaces",
}


def _stopped_by(names: list[str], landed: list[bool]) -> str:
    stopped = [name for name, cell in zip(names, landed, strict=True) if not cell]
    return _WALLS.get(stopped[0], "") if stopped else "nothing"


def attack_all(folder: Path) -> dict[str, dict[str, Outcome]]:
    """Every level that this host reaches."""
    found = {BARE: attack(folder / BARE, None)}
    for level in SandboxLevel:
        if level <= level_reached().level:
            found[level.name.lower()] = attack(folder / level.name, level)
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="sparing-hostile-") as folder:
        print(table(attack_all(Path(folder))))
    print(level_reached().words)
