"""A whole run with its gates, and `watch`, at 60, 100 and 160 columns. Covers: K1, K8."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sparing.cli.run.drive import DEARER
from tests.cli.test_widths import UNFOLDED, WIDTHS, breakable, words_of
from tests.first_hour import settings, walk
from tests.typed import Typed

pytestmark = pytest.mark.long


def screens(folder: Path, columns: int) -> tuple[str, str]:
    """All that is shown from `start` to the branch, a diff, an edit and a rejection included."""
    folder.mkdir()
    environ = settings(folder) | {"SPARING_STATE__FOLDER": str(folder / "state")}
    # Else the length of a path may decide how a turn is sent.
    environ |= {"SPARING_REVIEW__POLICY": "fresh"}
    walked = walk("make", folder, environ, columns)
    assert walked.code == 0, walked.screen
    watched = Typed(walked.repository, "watch", "1", environ=environ, columns=columns)
    watched.end()
    return walked.screen, watched.screen


def test_gates_and_watch_fit_the_screen(tmp_path: Path) -> None:
    """K1: no line is longer than the screen but a command or one long word, and no word breaks."""
    wide = screens(tmp_path / f"{UNFOLDED:03}", UNFOLDED)
    # So small a feature costs about as much as the naive way: one run may say why, another not.
    known = plain(DEARER)
    for width in WIDTHS:
        for shown, unfolded in zip(screens(tmp_path / f"{width:03}", width), wide, strict=True):
            # What a person types behind a question is not the program's; a diff is shown as it is.
            lines = [one.partition("]: ")[0] for one in shown.splitlines() if one[:1] not in "+-"]
            assert [one for one in lines if len(one) > width and breakable(one, width)] == [], width
            assert plain(shown) - known <= plain(unfolded), width


def plain(text: str) -> set[str]:
    """Without paths and commits, which differ from run to run."""
    return {one for one in words_of(text) if not re.search(r"[\d/]", one)}
