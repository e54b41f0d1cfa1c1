"""`look`: exact lines, in pages, with all that is left out said.

Covers: E7
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.tool import OpenedLines
from sparing.workspace.tools.arguments import ToolMistake, looking
from sparing.workspace.tools.diff_lines import touched
from sparing.workspace.tools.pages import CALL_CHARS, Span, page_of, rooms, spans_of, split_lines
from sparing.workspace.tools.seen_files import merged
from tests.workspace.toolsets import Tools, look, tools_at

LINES = st.text(alphabet="ab\tü", max_size=9) | st.sampled_from(
    ("7\tx", "12\t", "== f, 3 lines", "[lines 1-9 are not shown: read f:1-9]", "[", "7", "= x")
)
NUMBERED = st.lists(LINES, min_size=1, max_size=30)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return tools_at(tmp_path)


def test_files_with_their_line_numbers(tools: Tools) -> None:
    """E7: several in one call, whole or some lines, each known exactly afterwards."""
    tools.put("a.py", "one\n\nthree\n")
    tools.put("b.py", "1\n2\n3\n4\n5")
    found = look(tools.turn(), read=["a.py", "b.py:2-3", "./b.py:5"])
    assert found.text == (
        "== a.py, 3 lines\n1\tone\n\n3\tthree\n\n"
        "== b.py, lines 2-3 of 5\n2\t2\n3\t3\n\n== b.py, lines 5-5 of 5\n5\t5"
    )
    digests = {one.path: one.digest for one in found.opened}
    assert found.opened == (
        OpenedLines("a.py", 1, 3, digests["a.py"]),
        OpenedLines("b.py", 2, 3, digests["b.py"]),
        OpenedLines("b.py", 5, 5, digests["b.py"]),
    )
    assert not found.failed


def test_one_mistake_does_not_spoil_the_rest(tools: Tools) -> None:
    """E7: each part says what is wrong with it and what would be right."""
    tools.put("src/deep/a.py", "one\n")
    tools.put("image.png", b"\x89PNG\0\0")
    tools.put("empty", "")
    found = look(
        tools.turn(),
        read=["a.py", "src", "image.png", "src/deep/a.py:9-12", "empty", "src/deep/a.py"],
    )
    assert found.text.split("\n\n") == [
        "== a.py: there is no such file. Perhaps: src/deep/a.py.",
        "== src is a folder. Its files: outline it.",
        "== image.png is not text: 6 bytes.",
        "== src/deep/a.py has 1 lines.",
        "== empty is empty",
        "== src/deep/a.py, 1 lines\n1\tone",
    ]
    assert (found.failed, found.refused) == (False, ())


def test_a_big_file_comes_in_pages(tools: Tools) -> None:
    """E7: what is not shown is named as it can be asked for, until all of it was there."""
    lines = [f"line {n} {'x' * 60}" for n in range(1, 4001)]
    tools.put("big.txt", "\n".join(lines) + "\n")
    turn, wanted, shown = tools.turn(), "big.txt", list[str]()
    for _ in range(20):
        text = look(turn, read=[wanted]).text
        assert len(text) <= CALL_CHARS
        shown += [
            re.sub(r"^\d+\t", "", line)
            for line in text.splitlines()
            if not line.startswith(("== ", "[lines "))
        ]
        if "are not shown: read " not in text:
            break
        wanted = text.rpartition("are not shown: read ")[2].rstrip("]")
    assert shown == lines


def test_small_files_are_not_cut_for_big_ones(tools: Tools) -> None:
    for n in range(5):
        tools.put(f"big{n}.txt", "y" * 99 + "\n" + "x\n" * 30_000)
    tools.put("small.txt", "z\n" * 400)
    text = look(tools.turn(), read=[*(f"big{n}.txt" for n in range(5)), "small.txt"]).text
    assert re.findall(r"(?m)^(?:\d+\t)?z$", text) == [
        "1\tz",
        *("z" if n % 5 else f"{n}\tz" for n in range(2, 401)),
    ]
    assert len(text) <= CALL_CHARS


def test_lines_under_review_are_never_cut(tools: Tools) -> None:
    """E7: they are shown before anything else, also far behind the end of the page, also long."""
    lines = ["x" * 70] * 5000
    lines[4000] = "y" * 9000
    tools.put("big.txt", "\n".join(lines))
    diff = "--- a/big.txt\n+++ b/big.txt\n@@ -3990,0 +4000,2 @@ def f\n+a\n+b\n"
    text = look(tools.turn(touched=touched(diff)), read=["big.txt"]).text
    assert f"\n4000\t{'x' * 70}\n{'y' * 9000}\n[lines 4002-5000 are not shown" in text
    assert (
        "[… 7500 more characters; read this line alone]"
        in look(tools.turn(), read=["big.txt:3999-4003"]).text
    )
    assert f"4001\t{'y' * 9000}" in look(tools.turn(), read=["big.txt:4001"]).text


def test_what_a_diff_touches() -> None:
    diff = (
        "words\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n x\n+y\n@@ -9,2 +10,0 @@\n-z\n"
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n"
        "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n"
    )
    assert touched(diff) == {"a.py": (Span(1, 3), Span(7, 12)), "new.py": (Span(1, 1),)}
    assert touched("no diff") == {}


def test_known_lines_are_not_shown_twice(tools: Tools) -> None:
    """C18: keyed by session and content; `again`, a change and a shrunk context show them anew."""
    path = tools.put("a.py", "one\ntwo\n")
    turn = tools.turn()
    assert "one" in look(turn, read=["a.py"]).text
    assert "already in your context" in look(turn, read=["a.py:2"]).text
    known = look(turn, read=["a.py"])
    assert (known.opened, known.known) == ((), ("a.py",))
    tools.put("b.py", "three\n")
    both = look(turn, read=["a.py", "b.py"])
    assert ([one.path for one in both.opened], both.known) == (["b.py"], ("a.py",))
    assert "one" in look(turn, read=["a.py"], again=True).text
    turn.keep("s1")
    assert "already in your context" in look(tools.turn(session="s1"), read=["a.py"]).text
    assert "one" in look(tools.turn(session="s2"), read=["a.py"]).text
    later = tools.turn(session="s1")
    later.forget()
    assert "one" in look(later, read=["a.py"]).text
    assert "one" in look(tools.turn(session="s1"), read=["a.py"]).text, "forgotten for good"
    turn.keep("s1")
    path.write_text("one\nthree\n")
    assert "three" in look(tools.turn(session="s1"), read=["a.py"]).text


def test_a_record_that_is_broken_knows_nothing(tools: Tools) -> None:
    tools.put("a.py", "one\n")
    tools.store.folder.mkdir()
    for text in ("{", "[]", '{"a": [[1]]}', '{"a": 1}', "null"):
        (tools.store.folder / "s1.json").write_text(text)
        assert "one" in look(tools.turn(session="s1"), read=["a.py"]).text


def test_search_shows_definitions_first_and_counts_the_rest(tools: Tools) -> None:
    """E7"""
    tools.put("tests/test_a.py", "def test_it():\n    load_page()\n")
    tools.put("docs/a.md", "load_page is fine\n")
    tools.put("src/use.py", "load_page()\n" * 30)
    tools.put("src/z.py", "# load_page\n\ndef load_page():\n    pass\n")
    found = look(tools.turn(), search=["load_page", "def \\w+_page", "(", "nowhere"]).text
    first, second, third, last = found.split("\n\n")
    assert first.startswith(
        "== search 'load_page': 34 lines in 4 files, 12 shown\n"
        "src/z.py\n1\t# load_page\n3\tdef load"
    )
    assert "[22 more in this file]\ntests/test_a.py\n2\tload_page()\ndocs/a.md\n1\tload" in first
    assert (
        second == "== search 'def \\\\w+_page': 1 lines in 1 files\nsrc/z.py\n3\tdef load_page():"
    )
    assert third.startswith("== search '(': 3"), "no expression: looked for as it stands"
    assert last == "== search 'nowhere': no line matches"
    assert "src/" not in look(tools.turn(), search=["load_page"], under=["tests", "*.md"]).text


def test_an_expression_that_never_ends_is_ended(tools: Tools) -> None:
    """E7, I3: in a process of its own, so nothing of ours stands still meanwhile."""
    tools.put("a.txt", "a" * 40 + "!\n")
    turn = tools.turn()
    turn.place = replace(turn.place, search_seconds=0.5)
    found = look(turn, search=["(a+)+$"])
    assert (found.failed, "took too long" in found.text) == (True, True)


def test_outlines(tools: Tools) -> None:
    """E7: Python is parsed, the rest goes by patterns; a folder's outline is its files."""
    tools.put(
        "src/a.py",
        "LIMIT = 3\n\n\n@cache\ndef one(\n    a: int,\n) -> int:\n    return a\n\n\nclass Two:\n"
        "    async def three(self): ...\n",
    )
    tools.put("src/broken.py", "def f(:\n")
    tools.put("web/a.ts", "export const go = async (x: string) => {\n}\nexport class A {}\nx = 1\n")
    tools.put("a.md", "# One\n```\n# not\n```\n## Two\n")
    text = look(
        tools.turn(), outline=["src/a.py", "src/broken.py", "web/a.ts", "a.md", "src", "*.md"]
    )
    assert text.text.split("\n\n") == [
        "== outline of src/a.py, 12 lines\n1\tLIMIT = 3\n4-8\tdef one( a: int, ) -> int:\n"
        "11-12\tclass Two:\n12\t    async def three(self): ...",
        "== outline of src/broken.py, 1 lines\n1\tdef f(:",
        "== outline of web/a.ts, 4 lines\n1\texport const go = async (x: string) => {\n"
        "3\texport class A {}",
        "== outline of a.md, 5 lines\n1\t# One\n5\t## Two",
        "== src, 2 files\nsrc/a.py\nsrc/broken.py",
        "== *.md, 1 files\na.md",
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Name something"),
        ({"read": [7]}, "read is a list of texts"),
        ({"read": ["a:9-3"]}, "counted from 1"),
        ({"read": ["a:0"]}, "counted from 1"),
        ({"search": ["x" * 301]}, "300 characters"),
        ({"read": [f"f{n}" for n in range(25)]}, "24 entries"),
    ],
)
def test_a_mistake_is_told(given: dict[str, object], words: str) -> None:
    with pytest.raises(ToolMistake, match=words):
        looking(given)


def test_lists_are_read_leniently() -> None:
    """E7: models write a single name, or a list as text; both are clear enough."""
    assert looking({"read": "a.py"}).read == looking({"read": '["a.py"]'}).read
    assert looking({"read": ["a.py:3-"]}).read[0].last is None


@given(NUMBERED, st.integers(0, 400), st.integers(0, 30))
def test_every_line_is_shown_or_said_to_be_missing(
    lines: list[str], room: int, touched_at: int
) -> None:
    """E7: the property behind the pages. Whoever counts on from the last number has every line
    with its number, also where a line looks like a number, a heading or a note."""
    kept = [Span(touched_at, touched_at + 1)] if touched_at else []
    text, spans = page_of("f", lines, Span(1, len(lines)), kept).shown(room)
    shown, missing, at = dict[int, str](), set[int](), 0
    for one in text.split("\n")[1:]:
        if one.startswith("[lines "):
            missing.update(_numbers(one))
            continue
        number = re.match(r"(\d+)\t", one)
        at = int(number[1]) if number else at + 1
        shown[at] = one[number.end() :] if number else one
    assert shown == {n: lines[n - 1] for n in shown}
    assert shown.keys() | missing == set(range(1, len(lines) + 1))
    assert not shown.keys() & missing
    assert set(spans) == set(spans_of(sorted(shown)))


def _numbers(words: str) -> range:
    first, _, last = words.partition(" ")[2].partition(" ")[0].partition("-")
    return range(int(first), int(last) + 1)


@given(st.lists(st.integers(0, 10**6), max_size=30), st.integers(0, 10**5))
def test_room_is_shared_fairly(wishes: list[int], total: int) -> None:
    given_ = rooms(wishes, total)
    assert sum(given_) <= total
    assert all(one <= wish for one, wish in zip(given_, wishes, strict=True))
    least = min((one for one, wish in zip(given_, wishes, strict=True) if one < wish), default=None)
    assert least is None or all(one <= least + 1 or one <= least * 2 + 1 for one in given_)


def test_spans_and_lines() -> None:
    assert list(spans_of([1, 2, 5, 7, 8])) == [Span(1, 2), Span(5, 5), Span(7, 8)]
    assert merged([Span(5, 9), Span(1, 2), Span(3, 6)]) == (Span(1, 9),)
    assert split_lines("a\r\nb\n\n") == ["a", "b", ""]
