"""Heads of role files: TOML of ours, and the simple one of other tools.

Covers: B5
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.errors import ConfigError
from sparing.roles.front_matter import read_head


def plain(head: str) -> dict[str, object]:
    return read_head(f"---\n{head}\n---\nText.\n", "x.md").fields


def test_a_head_of_ours() -> None:
    head = read_head('+++\nname = "a"\ntools = ["read"]\n+++\n# Your role: a\n', "x.md")
    assert head.fields == {"name": "a", "tools": ["read"]}
    assert head.text == "# Your role: a\n"
    assert not head.plain


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("name: a", {"name": "a"}),
        ("name: 'a b'", {"name": "a b"}),
        ('description: "one: two"', {"description": "one: two"}),
        ("tools: Read, Grep", {"tools": "Read, Grep"}),
        ("tools: [Read, 'Grep']", {"tools": ("Read", "Grep")}),
        ("tools:\n  - Read\n  - Grep", {"tools": ("Read", "Grep")}),
        ("description: >\n  one\n  two\nname: a", {"description": "one two", "name": "a"}),
        ("description: |-\n  one\n\n  two", {"description": "one two"}),
        ("name: a # why", {"name": "a"}),
        ("name:\nmodel: opus", {"name": "", "model": "opus"}),
        ("# a comment\nname: a", {"name": "a"}),
        ("!!python/object: x", {}),
        ("name: &anchor a\nother: *anchor", {"name": "&anchor a", "other": "*anchor"}),
    ],
)
def test_a_simple_head(head: str, fields: dict[str, object]) -> None:
    assert plain(head) == fields


@pytest.mark.parametrize(
    "source", ["", "no head", "+++\nname = 1\n", "---\nname: a\n", "+++\n===\n+++\nx", "***\n***\n"]
)
def test_no_head_is_said_in_two_lines(source: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_head(source, "x.md")
    assert "x.md" in error.value.what
    assert error.value.repair


def test_windows_lines_and_a_mark_of_byte_order() -> None:
    head = read_head("\ufeff---\r\nname: a\r\n---\r\nText.\r\n", "x.md")
    assert (head.fields, head.text) == ({"name": "a"}, "Text.\n")


def test_a_head_that_would_eat_all_memory_is_refused() -> None:
    with pytest.raises(ConfigError, match="dots"):
        read_head(f"+++\n{'a.' * 50_000}a = 1\n+++\nx", "x.md")


@settings(deadline=None)
@given(st.text(alphabet="-+\nabc:[],\"'|> #", max_size=200))
def test_nothing_breaks_the_reader(text: str) -> None:
    for fence in ("---", "+++"):
        with suppress(ConfigError):
            read_head(f"{fence}\n{text}\n{fence}\nx", "x.md")
