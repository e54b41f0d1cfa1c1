"""Ways out of a folder, by class: names that agents, artifacts or `.meta.json` could give.

Each class makes its traps in the grounds and yields names; whatever `Confined` does with one must
be a refusal. `tally` counts, for the test and for `python -m bench.escapes`.
"""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.project.paths import PATH_LIMIT, PathRefused, check_id
from tests.workspace.grounds import SECRET, Grounds

Class = Callable[[Grounds], Iterator[str]]


class Tally(NamedTuple):
    name: str
    attempts: int
    refused: int
    outside: int
    """How often something outside was read or written."""


def dot_dot(grounds: Grounds) -> Iterator[str]:
    ways = ("..", "src/..", "./..", "src/../..", ".", "src/.", "a/b/../../..", "..//..")
    yield from (f"{way}/outside/secret" for way in ways)
    yield from (*ways, "", "src//app.py", "//src", "src/..\\..\\x", "..\\outside\\secret", "a\\b")
    yield from ("../inside/src/app.py", "src/./app.py")


def absolute(grounds: Grounds) -> Iterator[str]:
    yield from (str(grounds.secret), f"/{grounds.secret}", str(grounds.inside / "src/app.py"))
    yield from ("/", "//", "/etc/passwd", "/dev/null", "/proc/self/environ", "/proc/self/root/etc")
    yield from ("~", "~/.ssh/id_rsa", "~root/x", "C:/x", "c:x", "D:\\x", "\\\\host\\share\\x")
    yield from (f"/{name}" for name in ("tmp", "root", "home", "var", "proc/1/cwd", "..", "."))


def links_to_files(grounds: Grounds) -> Iterator[str]:
    targets = (str(grounds.secret), "../outside/secret", ".git/config", "/etc/passwd", "nowhere")
    for number, target in enumerate((*targets, "src/app.py", "loop-6")):
        for folder in ("", "src/", "new/"):
            name = f"{folder}loop-{number}"
            (grounds.inside / name).parent.mkdir(exist_ok=True)
            (grounds.inside / name).symlink_to(target)
            yield name


def links_to_folders(grounds: Grounds) -> Iterator[str]:
    for number, target in enumerate((grounds.outside, "../outside", "..", ".git", "src", "/")):
        (grounds.inside / f"dir-{number}").symlink_to(target)
        yield from (f"dir-{number}/{name}" for name in ("secret", "config", "app.py", "new/x"))


def hard_links(grounds: Grounds) -> Iterator[str]:
    for number in range(20):
        os.link(grounds.secret, grounds.inside / f"hard-{number}")
        yield f"hard-{number}"


def git_folder(grounds: Grounds) -> Iterator[str]:
    names = (
        ".git",
        ".GIT",
        ".Git",
        ".gIt",
        ".git.",
        ".git ",
        ".git. .",
        "git~1",
        "GIT~2",
        ".git::$x",
    )
    hidden = (".g\u200cit", ".gi\u200dt", "\ufeff.git", ".git\u200e", ".ｇｉｔ", ".git:x")
    yield from (f"{name}/config" for name in (*names, *hidden))
    yield from (f"src/{name}" for name in (*names, *hidden))


def devices(grounds: Grounds) -> Iterator[str]:
    yield from ("NUL", "con", "Aux", "prn.txt", "COM1", "lpt9.log", "src/nul", "CONIN$", "conout$")
    yield from (f"{name}.{end}" for name, end in product(("nul", "com2"), ("md", "py", "tar.gz")))
    for number in range(5):
        path = grounds.inside / f"socket-{number}"
        with closing(socket.socket(socket.AF_UNIX)) as server:
            server.bind(str(path))
        yield path.name


def pipes(grounds: Grounds) -> Iterator[str]:
    for number in range(20):
        os.mkfifo(grounds.inside / f"pipe-{number}")
        yield f"pipe-{number}"


def control_characters(grounds: Grounds) -> Iterator[str]:
    yield from (f"src/app{chr(code)}.py" for code in (*range(32), 127, 0x85, 0x9B))
    yield "src/app.py\0/../../outside/secret"


def too_long(grounds: Grounds) -> Iterator[str]:
    yield from ("a" * size for size in (256, 257, 300, 1000, 5000, 100_000))
    yield from ("/".join(["b" * size] * (PATH_LIMIT // size + 1)) for size in range(1, 12))
    yield from ("é" * 128, "src/" + "é" * 200, "x/" * 600, "日" * 86)


def case_clash(grounds: Grounds) -> Iterator[str]:
    (grounds.inside / "Straße").mkdir()
    (grounds.inside / "café").touch()
    yield from ("SRC/app.py", "Src/x", "sRC/x", "src/APP.py", "src/App.PY", "src/aPP.py", "SRC")
    yield from ("STRASSE/x", "strasse/x", "StraSSe", "Strasse", "STRAßE/x", "straße")
    yield from ("cafe\u0301", "CAFE\u0301", "Café", "CAFÉ", "cAfÉ", "caFe\u0301", "CaFé")


def hidden_characters(grounds: Grounds) -> Iterator[str]:
    marks = (
        "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2069\ufeff\u00ad"
    )
    yield from (
        f"src/app{mark}.py" for mark in (*marks, "\u2028", "\u2029", "\ue000", "\U000e0001")
    )
    yield from (os.fsdecode(raw) for raw in (b"caf\xe9", b"src/\xff\xfe", b"\xed\xa0\x80"))


def folders(grounds: Grounds) -> Iterator[str]:
    for number in range(20):
        (grounds.inside / f"folder-{number}" / "deep").mkdir(parents=True)
        yield f"folder-{number}"
    yield from ("src", "src/", "src/app.py/x", "src/app.py/x/y")


def ids(grounds: Grounds) -> Iterator[str]:
    yield from (
        "../x",
        "a/b",
        "/",
        "..",
        ".",
        "",
        ".git",
        "a\0",
        "x" * 81,
        "a\\b",
        "~",
        "C:x",
        "nul",
    )
    yield from ("001/../../x", "001\n", "001\u202e", "./001", "001/", "//", ".GIT", "git~1")
    yield from ("\x1b[0m", "*", "001-*", "[0-9]", "{a,b}", "$HOME", "-rf", "001 002", "é", "con.x")


CLASSES: dict[str, Class] = {
    "dot-dot": dot_dot,
    "absolute": absolute,
    "link to a file": links_to_files,
    "link to a folder": links_to_folders,
    "hard link": hard_links,
    ".git in every spelling": git_folder,
    "device": devices,
    "FIFO": pipes,
    "NUL and control": control_characters,
    "too long": too_long,
    "case clash": case_clash,
    "unicode that hides": hidden_characters,
    "folder for a file": folders,
}


def refuses(act: Callable[[], object]) -> bool:
    """A name for which nothing is there, and nothing is made, leads nowhere either."""
    try:
        act()
    except (PathRefused, FileNotFoundError):
        return True
    return False


def tally(base: Path, name: str) -> Tally:
    """Each name of a class is written to, then read."""
    grounds = Grounds(base)
    names = list(CLASSES[name](grounds))
    before = grounds.state()
    writes = [refuses(lambda n=n: grounds.files.write_text(n, "x")) for n in names]
    reads = [refuses(lambda n=n: grounds.files.read_text(n)) for n in names]
    outside = int(grounds.state() != before) + reads.count(False)
    return Tally(name, 2 * len(names), sum(writes) + sum(reads), outside)


def tally_ids(base: Path) -> Tally:
    names = list(ids(Grounds(base)))
    refused = sum(refuses(lambda n=n: check_id(n)) for n in names)
    return Tally("id in .meta.json", len(names), refused, len(names) - refused)


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one system call, so that both are always there."""
    here, flag = -100, 2
    ctypes.CDLL(None).renameat2(here, bytes(one), here, bytes(other), flag)


def tally_race(base: Path, rounds: int) -> Tally:
    """Folder and link are swapped without pause while we read and write."""
    grounds = Grounds(base)
    place, link = grounds.inside / "place", grounds.inside / "link"
    place.mkdir()
    (place / "secret").write_text("fine")
    link.symlink_to(grounds.outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            exchange(place, link)

    thread = threading.Thread(target=swap)
    thread.start()
    refused = outside = 0
    try:
        for number in range(rounds):
            try:
                if number % 2:
                    outside += grounds.files.read_text("place/secret") == SECRET
                else:
                    grounds.files.write_text("place/secret", "fine")
            except (PathRefused, FileNotFoundError):
                refused += 1
    finally:
        stop.set()
        thread.join()
    outside += grounds.secret.read_text() != SECRET
    return Tally("link swapped in a race", rounds, refused, outside)


def table(rows: list[Tally]) -> str:
    total = Tally(
        f"{len(rows)} classes",
        sum(row.attempts for row in rows),
        sum(row.refused for row in rows),
        sum(row.outside for row in rows),
    )
    head = f"{'class of escape':<26} {'attempts':>8} {'refused':>8} {'outside':>8}"
    lines = [f"{r.name:<26} {r.attempts:>8} {r.refused:>8} {r.outside:>8}" for r in (*rows, total)]
    return "\n".join((head, *lines))
