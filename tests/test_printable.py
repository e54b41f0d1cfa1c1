"""H10: foreign text, made safe to look at."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cli.screen import rendered, style
from sparing.printable import printable

CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HIDES = "\u00ad\u200b\u200c\u200d\u2028\u2029\u2060\ufe0f\ufeff\u3164\U000e0041\U000e0101\udc9b"
ACTS = frozenset(CONTROLS + BIDI + "\u2028\u2029\u200b\u2060\ufeff") - {"\n", "\t"}
"""What a terminal acts on, or what moves or hides other letters."""

hostile = st.text(st.one_of(st.sampled_from(CONTROLS + BIDI + HIDES + "[]8;m\\"), st.characters()))


@given(hostile)
def test_nothing_is_left_that_a_terminal_acts_on(text: str) -> None:
    """H10: whatever a model, a file or a name says."""
    shown = printable(text)
    assert ACTS.isdisjoint(shown)
    assert not any(unicodedata.category(letter) == "Cs" for letter in shown)


@given(hostile)
def test_what_is_safe_stays_as_it_is(text: str) -> None:
    """H10: so it may be done twice, and a line never grows by it."""
    shown = printable(text)
    assert printable(shown) == shown


@given(hostile, hostile)
def test_only_our_own_colours_get_through(first: str, second: str) -> None:
    """H10: a text can't add a colour, nor end ours early."""
    shown = rendered(f"{first}{style(second, fg='cyan', bold=True)}{first}")
    before, after = printable(first), printable(second)
    assert shown == f"{before}\x1b[36;1m{after}\x1b[0m{before}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;ZXZpbA==\x07", r"\x1b]52;c;ZXZpbA==\x07"),
        ("\x1b]8;;http://evil\x1b\\click", r"\x1b]8;;http://evil\x1b" + "\\click"),
        ("\x1b[2J\x1b[H", r"\x1b[2J\x1b[H"),
        ("\x1bPq unterminated", r"\x1bPq unterminated"),
        ("\x9b31m", r"\x9b31m"),
        ("if admin:\u202e # }", r"if admin:\u202e # }"),
        ("safe\rrm -rf", r"safe\x0drm -rf"),
        ("a\r\nb\n\tc\r\r\n", "a\nb\n\tc\\x0d\n"),
        ("pay\u200bload", r"pay\u200bload"),
        ("say\U000e0068\U000e0069", r"say\U000e0068\U000e0069"),
        ("a\ufe01b\ufe02", r"a\ufe01b\ufe02"),
        ("☺\ufe0f\ufe0f\ufe01", "☺\ufe0f" + r"\ufe0f\ufe01"),
        ("user\u200dname", r"user\u200dname"),
        ("name\udc9b", r"name\x9b"),
        ("\ud800", r"\ud800"),
        ("[red]no markup[/red]", "[red]no markup[/red]"),
    ],
)
def test_what_is_seen_instead(text: str, shown: str) -> None:
    """H10: shown, not dropped."""
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "naïve café, e\u0301, Zürich",
        "日本語 漢字\U000e0100 한국어",
        "العربية עברית हिन्दी क्\u200dष می\u200cخواهم",
        "👩\u200d👩\u200d👧 👍🏽 ❤\ufe0f 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "│ box └─ ✓ … \u00a0 tab\tand\nline",
    ],
)
def test_normal_text_is_left_alone(text: str) -> None:
    """H10: accents, every script, emoji with their joiners."""
    assert printable(text) == text


def test_marks_that_would_cover_the_lines_around_them() -> None:
    """H10: as many as a script stacks stay, the rest is shown; and shown text stays as it is."""
    flood = printable("e" + "\u0301" * 20 + "!")
    assert flood == "e" + "\u0301" * 8 + r"\u0301" * 12 + "!"
    assert printable(flood) == flood
    vowels = "\u0e01\u0e33\u0e49 \u05e9\u05c1\u05b8 Vi\u1ec7t e\u0302\u0323"
    assert printable(vowels) == vowels
