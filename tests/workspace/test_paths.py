"""What agents name stays inside their folder: every class of escape, many attempts each.

Covers: H4
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

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.paths import PATH_LIMIT, PathRefused, check_name, check_path
from tests.workspace.grounds import SECRET, Grounds, entries


@pytest.fixture
def grounds(tmp_path: Path) -> Grounds:
    return Grounds(tmp_path)


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


CLASSES: tuple[Callable[[Grounds], Iterator[str]], ...] = (
    *(dot_dot, absolute, links_to_files, links_to_folders, git_folder, devices, pipes),
    *(control_characters, too_long, hidden_characters, folders),
)
ONLY_FOR_WRITING = (hard_links, case_clash)


def refuses(act: Callable[[], object]) -> bool:
    try:
        act()
    except PathRefused:
        return True
    except FileNotFoundError:
        return False
    return False


@pytest.mark.parametrize("kind", [*CLASSES, *ONLY_FOR_WRITING], ids=lambda kind: kind.__name__)
def test_nothing_is_written_outside(
    grounds: Grounds, kind: Callable[[Grounds], Iterator[str]]
) -> None:
    """H4"""
    attempts = list(kind(grounds))
    through = [p for p in attempts if not refuses(lambda p=p: grounds.files.write_text(p, "x"))]
    print(f"{kind.__name__}: {len(attempts) - len(through)} of {len(attempts)} writes refused")
    assert len(attempts) >= 20
    assert through == []
    assert entries(grounds.outside) == ["secret"]
    assert grounds.secret.read_text() == SECRET
    assert (grounds.inside / ".git" / "config").read_text() == SECRET


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_nothing_is_read_outside(
    grounds: Grounds, kind: Callable[[Grounds], Iterator[str]]
) -> None:
    """H4"""
    attempts = list(kind(grounds))
    through = [p for p in attempts if not refuses(lambda p=p: grounds.files.read_text(p))]
    print(f"{kind.__name__}: {len(attempts) - len(through)} of {len(attempts)} reads refused")
    assert through == []


def test_an_id_is_a_name_not_a_path() -> None:
    """H4: ids come from `.meta.json`, which a model may have written."""
    bad = ("../x", "a/b", "/", "..", ".", "", ".git", "a\0", "x" * 300, "a\\b", "~", "C:x", "nul")
    more = ("001/../../x", "001\n", "001\u202e", "./001", "001/", "//", ".GIT", "git~1", "\x1b[0m")
    assert all(refuses(lambda name=name: check_name(name)) for name in (*bad, *more))
    assert check_name("001-rate-limits") == "001-rate-limits"


def exchange(one: Path, other: Path) -> None:
    """Swap two names in one system call, so that both are always there."""
    here, flag = -100, 2
    ctypes.CDLL(None).renameat2(here, bytes(one), here, bytes(other), flag)


@pytest.mark.parametrize("act", ["read", "write"])
def test_a_link_swapped_in_while_we_look_leads_nowhere(grounds: Grounds, act: str) -> None:
    """H4: a thread changes folder and link a thousand times."""
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
    done = {"through": 0, "refused": 0}
    try:
        for _ in range(3000):
            try:
                if act == "read":
                    assert grounds.files.read_text("place/secret") == "fine"
                else:
                    grounds.files.write_text("place/secret", "fine")
                done["through"] += 1
            except (PathRefused, FileNotFoundError):
                done["refused"] += 1
    finally:
        stop.set()
        thread.join()
    print(f"race: {done}")
    assert grounds.secret.read_text() == SECRET
    assert min(done.values()) > 0


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["..", ".", "/", "a", ".git", "\\"])).map("".join)
)
def test_whatever_is_let_through_stays_inside(path: str) -> None:
    """H4"""
    try:
        names = check_path(path)
    except PathRefused:
        return
    wanted = "/folder/" + "/".join(names)
    place = os.path.normpath(wanted)
    assert place == wanted
    assert ".git" not in place.casefold().split("/")
