"""A whole run with its gates, and `watch`, at 60, 100 and 160 columns. Covers: K1, K8."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

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


def broken_words(shown: str, unfolded: str) -> list[str]:
    """Words that the wide screen has whole and this one in two lines. Two runs need not say the
    same: whether so small a feature costs a little more or less than the naive way is a tie."""
    known = set(words_of(unfolded))
    ends = [
        (a.split()[-1], b.split()[0])
        for a, b in pairwise(shown.splitlines())
        if a.split() and b.split()
    ]
    return [a + b for a, b in ends if a + b in known and not {a, b} <= known]


def test_gates_and_watch_fit_the_screen(tmp_path: Path) -> None:
    """K1: no line is longer than the screen but a command or one long word, and no word breaks."""
    wide = screens(tmp_path / f"{UNFOLDED:03}", UNFOLDED)
    for width in WIDTHS:
        for shown, unfolded in zip(screens(tmp_path / f"{width:03}", width), wide, strict=True):
            # What a person types behind a question is not the program's; a diff is shown as it is.
            lines = [one.partition("]: ")[0] for one in shown.splitlines() if one[:1] not in "+-"]
            assert [one for one in lines if len(one) > width and breakable(one, width)] == [], width
            assert broken_words(shown, unfolded) == [], width


def test_a_broken_word_is_seen() -> None:
    """K1"""
    assert broken_words("no session was res\n  umed here", "no session was resumed here") == [
        "resumed"
    ]
    assert broken_words("no session was\n  resumed here", "no session was resumed here") == []
