"""Ways of each kind that an agent may try, and how many of them land: one table.

`python -m bench.hostile` prints it. Every way is really tried: in a whole run, in a commit that is
compared with its base, in a sandbox, or on a screen. A kind of fake that no check can see is
tried too; docs/security.md says it.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.hostile_fakes import KNOWN, fakes
from bench.hostile_more import copied
from sparing.redact import Redactor
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.worktree import Worktree, put_special_aside
from sparing.workspace.project.secrets import scan
from tests.cli.test_hostile_text import COMMANDS, SEQUENCES, acts, make_shown
from tests.engine.faked_checks import Fake, Played
from tests.engine.setup_scene import Scene
from tests.provision.left_by_setup import LEFT
from tests.provision.test_set_up_calls import CALLS, called
from tests.repositories import make_repository
from tests.terminal import Said
from tests.test_redact import CODES, VALUE
from tests.workspace.features import make_worktree
from tests.workspace.setup_ways import LINKED, MINE, NESTED, WAYS
from tests.workspace.test_check_changes import FAKES as CHANGES
from tests.workspace.test_check_changes import after
from tests.workspace.test_own_git import ATTEMPTS, SECRET, make_scene

PATIENCE_SECONDS = 60
PLACES = (
    *(".gitignore", ".gitattributes", "sub/.gitignore", "sub/.gitattributes", "Makefile"),
    *("package.json", "conftest.py", "pyproject.toml"),
)


class Kind(NamedTuple):
    name: str
    tried: int
    landed: tuple[str, ...]


def kinds(folder: Path) -> Iterator[Kind]:
    every = fakes()
    yield Kind("checks faked, whole runs", len(every), tuple(_finished(folder / "runs", every)))
    changes = tuple(_unseen(folder / "changes"))
    yield Kind("checks faked, what defines them", len(CHANGES), changes)
    yield Kind("set-up reaches what an agent chose", len(WAYS), tuple(_installed(folder / "setup")))
    outside = tuple(one for one in called(folder / "calls") if " refused: " not in one)
    yield Kind("set-up calls somebody but its proxy", CALLS, outside)
    yield Kind("what a set-up leaves to be copied", len(LEFT), tuple(copied(folder / "left")))
    special = tuple(_hanging(folder / "special"))
    yield Kind("special files", 2 * len(PLACES), special)
    yield Kind("the repository's secrets, read", len(ATTEMPTS), tuple(_read(folder / "git")))
    yield Kind("a known secret, hidden in a commit", len(CODES), tuple(_hidden()))
    screens = len(SEQUENCES) * len(COMMANDS)
    yield Kind("terminal: sequences × commands", screens, tuple(_acting(folder / "screen")))
    known = tuple(_finished(folder / "known", KNOWN))
    yield Kind("code that knows runner or test (security.md)", len(KNOWN), known)


def _finished(folder: Path, every: Mapping[str, Fake]) -> Iterator[str]:
    for number, (name, fake) in enumerate(every.items()):
        place = folder / str(number)
        place.mkdir(parents=True)
        if Played(place, fake.files, *fake.commands).run().code == 0:
            yield name


def _unseen(folder: Path) -> Iterator[str]:
    for number, (name, (files, changes, words)) in enumerate(CHANGES.items()):
        place = folder / str(number)
        place.mkdir(parents=True)
        if words not in [one.words for one in after(place, files, changes).changed]:
            yield name


def _installed(folder: Path) -> Iterator[str]:
    folder.mkdir()
    files = {name: text for one, _, _ in WAYS.values() for name, text in one.items()}
    change = {name: text for _, _, one in WAYS.values() for name, text in one.items()}
    commands = dict.fromkeys(one for _, one, _ in WAYS.values() if "python3" not in one)
    scene = Scene(folder, {**files, **LINKED, **NESTED}, *commands)
    scene.work(change)
    scene.vanish()
    scene.opened()
    seen = scene.caches / "seen"
    for way, (_, _, names) in WAYS.items():
        found = [seen / name for name in names if (seen / name).is_file()]
        if any(MINE.strip() in one.read_text() for one in found):
            yield way


def _hanging(folder: Path) -> Iterator[str]:
    worktree = make_worktree(make_repository(folder / "main", {"sub/a.py": ""}))
    tip = worktree.tip()
    for kind in ("pipe", "socket"):
        for name in PLACES:
            place = worktree.path / name
            place.parent.mkdir(exist_ok=True)
            place.unlink(missing_ok=True)
            if kind == "pipe":
                os.mkfifo(place)
            else:
                with socket.socket(socket.AF_UNIX) as door:
                    os.chdir(place.parent)
                    door.bind(place.name)
                    os.chdir("/")
            if not _ends(worktree, tip):
                yield f"{kind} at {name}"


def _ends(worktree: Worktree, tip: str) -> bool:
    def give_up(_signal: int, _frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_SECONDS)
    try:
        put_special_aside(worktree, tip)
        changed_paths(worktree, tip)
    except TimeoutError:
        return False
    finally:
        signal.alarm(0)
    return True


def _read(folder: Path) -> Iterator[str]:
    folder.mkdir()
    scene = make_scene(folder)
    for attempt in ATTEMPTS:
        ended = scene.run(attempt.format(main=scene.place.main))
        if SECRET in ended.out + ended.err:
            yield attempt


def _hidden() -> Iterator[str]:
    for way, code in CODES.items():
        text = f"before {code(VALUE)} after"
        kept = Redactor([VALUE]).clean(text) == text
        if kept or not scan([("a.txt", text.encode("latin-1"))], [VALUE]):
            yield way


def _acting(folder: Path) -> Iterator[str]:
    folder.mkdir()
    shown = make_shown(folder)
    for words in COMMANDS:
        said = shown.sparing(*words)
        if acts(said.out) or acts(said.err):
            yield " ".join(words)


def kinds_table(folder: Path) -> int:
    """Prints it; says how many landed that should not."""
    print(f"{'what a hostile agent tries':<46} {'ways':>6} {'landed':>7}")
    wrong = 0
    for kind in kinds(folder):
        print(f"{kind.name:<46} {kind.tried:>6} {len(kind.landed):>7}", flush=True)
        for name in kind.landed:
            print(f"    {name}")
        wrong += 0 if "security.md" in kind.name else len(kind.landed)
    return wrong


def ways_table(folder: Path, start: str) -> int:
    """Some of the fakes, each with what a person is told."""
    landed = 0
    for number, (name, fake) in enumerate(fakes().items()):
        if name.startswith(start):
            place = folder / "ways" / str(number)
            place.mkdir(parents=True)
            said = Played(place, fake.files, *fake.commands).run()
            landed += said.code == 0
            print(f"{name:<58} {'LANDS' if said.code == 0 else '-':>6}  {_why(said)}", flush=True)
    return landed


def _why(said: Said) -> str:
    lines = [line.strip() for line in said.err.splitlines()]
    return next((line for line in lines if line.startswith("! ")), f"exit {said.code}")
