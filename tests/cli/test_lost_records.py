"""What is lost under a feature is said in two lines, and the commands in them help.

Covers: I3, K1
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from tests.repositories import git
from tests.terminal import Said, sparing

pytestmark = pytest.mark.long


class Demo:
    """A feature that was killed after its first commit."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.repository = folder, folder / "kept" / "wordtally"
        begun = self.sparing(folder, "demo", "--keep", "kept", "--tier", "L1", crash="commit:end")
        assert begun.code == -signal.SIGKILL, begun.err

    def sparing(self, where: Path, *words: str, crash: str = "") -> Said:
        environ = {"SPARING_STATE__FOLDER": str(self.folder / "state"), "EMAIL": "a@example.com"}
        more = {"SPARING_ENGINE__CRASH_AT": crash} if crash else {}
        return sparing(where, *words, environ={**environ, **more})


@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_texts_that_were_lost(tmp_path: Path, how: str) -> None:
    """I3: another run fails again; the commands that are named redo the stage."""
    demo = Demo(tmp_path)
    (blobs,) = (tmp_path / "state").glob("*/blobs")
    if how == "gone":
        shutil.rmtree(blobs)
    else:
        for text in blobs.glob("??/*"):
            text.write_bytes(b"")
    said = demo.sparing(demo.repository, "run", "--yes")
    what, repair = said.complaint[-2:]
    assert f"stopped: a stored text is {how}" in what
    steps = ("pause", "run", "rerun", "run")
    named = "; ".join(f"sparing {one} 001" for one in steps)
    assert repair == f"fix: to redo its stage: {named}"
    for step in steps:
        asks = () if step == "pause" else ("--yes",)
        said = demo.sparing(demo.repository, step, "001", *asks)
    assert said.code == 0, said.err
    assert "top_words" in git(demo.repository, "show", "main:wordtally/count.py")


def test_a_repository_that_was_moved(tmp_path: Path) -> None:
    """I3: `run` says where its features belong, and the command puts it back."""
    demo = Demo(tmp_path)
    moved = demo.repository.with_name("moved here")
    demo.repository.rename(moved)
    said = demo.sparing(moved, "run")
    assert f"belong to {demo.repository}, which no longer exists" in said.complaint[0]
    assert said.complaint[1].endswith(f"mv '{moved}' {demo.repository}")
    moved.rename(demo.repository)
    assert demo.sparing(demo.repository, "run", "--yes").code == 0
