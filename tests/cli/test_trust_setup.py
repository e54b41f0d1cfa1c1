"""`sparing trust --setup`: the difference is shown, and the answer is to these bytes.

Covers: K2, H7
"""

from __future__ import annotations

from pathlib import Path

from tests.engine.setup_scene import Scene
from tests.terminal import sparing
from tests.workspace.setup_ways import MINE, PIP, WORDS


def test_the_difference_is_shown_and_agreed_to(tmp_path: Path) -> None:
    scene = Scene(tmp_path, WORDS, PIP)
    checkout = scene.office.repository.checkout
    said = sparing(checkout, "trust", "--setup", "1")
    assert (said.code, said.out) == (0, "the feature changes nothing of its set-up\n")
    scene.work({"requirements.txt": f"tinywords\n{MINE}", "app.py": "A = 1\n"})
    said = sparing(checkout, "trust", "--setup", "1")
    assert (said.code, said.complaint[-2:]) == (
        2,
        ("error: there is nobody to ask", "fix: sparing trust --setup 1 --yes"),
    )
    assert f"+{MINE.strip()}" in said.err
    assert f"$ {PIP}" in said.err
    assert "also changed, and within the set-up's reach: app.py" in said.err
    asked = sparing(checkout, "trust", "--setup", "1", "--json").json
    assert (asked["files"], asked["others"]) == (["requirements.txt"], ["app.py"])
    assert (asked["commit"], asked["agreed"]) == (scene.row.head, None)
    said = sparing(checkout, "trust", "--setup", "1", "--yes")
    assert said.out == "it is set up again before the next turn or check: sparing run 001\n"
    said = sparing(checkout, "trust", "--setup", "1")
    assert said.out == "the feature changes nothing that you have not agreed to\n"
    scene.opened()
    assert MINE in scene.seen()
