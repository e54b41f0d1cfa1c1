"""Headings and exact sections. Covers: D2."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sparing.context.documents.markdown import Outline, outline


def seen(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in outline(text).headings]


def section(document: Outline, text: str) -> str:
    return document.section(next(item for item in document.headings if item.text == text))


NESTED = """\
## Before
```markdown
# Shown
```mermaid
# not a heading
```
## Shown too
```
## After
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# A\n\nB\n=\n\nC\n---\n", [(1, "A"), (1, "B"), (2, "C")], id="setext"),
        pytest.param("## A ##\n### B#c\n", [(2, "A"), (3, "B#c")], id="closing hashes"),
        pytest.param("#no\n####### no\n    # no\n", [], id="no headings"),
        pytest.param("```sh\n# c\n```\n## A\n", [(2, "A")], id="comment in a fence"),
        pytest.param("~~~\n```\n# c\n~~~\n## A\n", [(2, "A")], id="tildes around backticks"),
        pytest.param("````md\n```\n# c\n```\n````\n## A\n", [(2, "A")], id="longer fence"),
        pytest.param(NESTED, [(2, "Before"), (2, "After")], id="nested fence"),
        pytest.param("- a\n  ```\n# c\n  ```\n## A\n", [(2, "A")], id="outdented code in a list"),
        pytest.param("- a\n  ```\n  # c\n```\n## A\n", [(2, "A")], id="outdented end of a fence"),
        pytest.param("- ```sh\n  # c\n  ```\n## A\n", [(2, "A")], id="fence behind a bullet"),
        pytest.param("> # quoted\n\n- # listed\n\n## A\n", [(2, "A")], id="inside blocks"),
        pytest.param("<!--\n## hidden\n```\n-->\n## A\n", [(2, "A")], id="comment"),
        pytest.param("<!-- one line --> ## x\n## A\n", [(2, "A")], id="comment on one line"),
        pytest.param("<!-- never closed\n## A\n", [(2, "A")], id="open comment hides nothing"),
        pytest.param("```sh\n# c\n## A\n# B\n", [(2, "A"), (1, "B")], id="open fence"),
        pytest.param("```\n## in\n```\n```py\n## A\n", [(2, "A")], id="one closed, one open"),
        pytest.param("---\ntitle: x\n---\n# A\n", [(1, "A")], id="front matter"),
        pytest.param("**Done:** all\nof it\n---\n## A\n", [(2, "A")], id="rule under a field"),
        pytest.param("\ufeff# A\r\n\r\n## B\r\n", [(1, "A"), (2, "B")], id="mark and CRLF"),
        pytest.param(
            "# 🚀 A\n## \u05d0\u05d1\n", [(1, "🚀 A"), (2, "\u05d0\u05d1")], id="emoji, RTL"
        ),
        pytest.param("Use ```x``` here\n## A\n", [(2, "A")], id="backticks in a line"),
        pytest.param("", [], id="empty"),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    """D2: fences (nested too), comments and lists hold no headings of the document."""
    assert seen(text) == expected


def test_a_missing_end_does_not_swallow_later_fences() -> None:
    """D2: where only the strict reading is balanced, it is taken."""
    text = "```py\nx = 1\n\n```py\ny = 2\n```\n\n## A\n\n```\nplain\n```\n\n## B\n"
    assert seen(text) == [(2, "A"), (2, "B")]


def test_a_section_ends_at_the_next_heading_of_same_or_higher_rank() -> None:
    """D2."""
    document = outline("# T\n## A\na\n### A1\nb\n## B\nc\n# U\nd\n")
    assert section(document, "A") == "## A\na\n### A1\nb\n"
    assert section(document, "A1") == "### A1\nb\n"
    assert section(document, "B") == "## B\nc\n"
    assert section(document, "U") == "# U\nd\n"


def test_sections_keep_every_byte() -> None:
    """D2: line ends, tabs and a missing last newline stay."""
    document = outline("## A\r\n\tx \x0b\u2028y\r\n## B\rz")
    assert section(document, "A") == "## A\r\n\tx \x0b\u2028y\r\n"
    assert section(document, "B") == "## B\rz"


FRAGMENTS = st.sampled_from(
    ["# a", "## b", "   ### c", "a", "- x", "  - y", "> q", "", "===", "---", "    code", "1. n"]
    + ["<div>", "</div>", "*em*", "  # in", "\t# tab", "+ p", "<pre>", "</pre>", "* * *", "- "]
)


@given(st.lists(FRAGMENTS, max_size=120))
def test_without_fences_the_headings_are_those_of_commonmark(lines: list[str]) -> None:
    """D2: cutting the text into chunks changes nothing."""
    text = "\n".join(["para", "", *lines])
    tokens = MarkdownIt("commonmark").disable("reference").parse(text)
    expected = [
        (token.map[0] + 1, token.tag)
        for token, inline in zip(tokens, tokens[1:], strict=False)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
        if not (token.markup == "-" and (inline.content[:2] == "- " or "\n" in inline.content))
    ]
    found = [(heading.line, f"h{heading.level}") for heading in outline(text).headings]
    assert found == expected


@given(st.text(alphabet=st.sampled_from("#`~-=> \t\r\n<!a1.*[]()\ufeff\x00"), max_size=300))
def test_any_text_is_kept_and_every_section_lies_in_it(text: str) -> None:
    """D2: nothing is lost, whatever the text."""
    document = outline(text)
    assert "".join(document.lines) == document.text == text
    assert all(1 <= item.line <= item.end <= len(document.lines) for item in document.headings)


def test_outlines_are_kept_and_of_long_texts_only_the_latest() -> None:
    """D2: a document that is asked for again costs nothing, and memory stays bounded."""
    usual, long = "# One\n\ntext\n", "# One\n\n" + "text\n" * 50_000
    assert outline(usual) is outline("".join(list(usual)))
    assert outline(usual + "## Two\n").headings[-1].text == "Two"
    first = outline(long)
    assert outline("".join(list(long))) is first
    assert outline(long + "more\n").headings == (replace(first.headings[0], end=50_003),)
    assert outline(long) is not first
