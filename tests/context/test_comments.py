"""A person's comments on lines of a document. Covers: A6."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.comments import (
    RULE,
    Comment,
    Remarks,
    comment_ids,
    feedback,
    in_one_line,
    only,
    read_sheet,
    sheet,
)

PLAN = "# Plan\n\n1. Write the file.\n2. Test it.\n"


def test_added_and_changed_lines_are_comments() -> None:
    filled = (
        sheet("plan.md", PLAN)
        .replace(f"{RULE}\n", f"{RULE}\nToo short.\n\n")
        .replace(
            "3> 1. Write the file.\n", "3> 1. Write the file.\nname it made.txt\nand say why\n"
        )
        .replace("4> 2. Test it.", "4> 2. Test it twice.")
    )
    remarks = read_sheet(filled, PLAN)
    assert remarks == Remarks(
        "Too short.",
        (
            Comment(3, "1. Write the file.", "name it made.txt\nand say why"),
            Comment(4, "2. Test it.", "this line should be: 2. Test it twice."),
        ),
    )
    said = feedback("plan.md", remarks)
    assert said.startswith("Too short.\n\nC1, line 3 of plan.md:\n> 1. Write the file.\nname it")
    assert comment_ids(said) == ("C1", "C2")
    assert only(said, {"C2"}) == said[said.index("C2, line") :]
    assert only(said, {"C1", "C2"}) == said.removeprefix("Too short.\n\n")
    assert only(said, ()) == only("no comment", {"C1"}) == ""


def test_numbered_lines_may_be_deleted() -> None:
    assert read_sheet("4> 2. Test it.\nwhy?\n", PLAN).comments == (
        Comment(4, "2. Test it.", "why?"),
    )


def test_words_without_a_sheet_are_said_of_the_whole() -> None:
    assert read_sheet("begin anew\n", PLAN) == Remarks("begin anew", ())


@given(st.text())
def test_a_sheet_that_is_left_alone_says_nothing(text: str) -> None:
    assert read_sheet(sheet("x.md", text), text).empty


@given(st.lists(st.text("ab> \n1:", min_size=1)), st.text("xyz", min_size=1))
def test_a_comment_is_found_below_its_line(lines: list[str], comment: str) -> None:
    """Whatever the document holds, even lines that look like a sheet's."""
    text = "first\n" + "".join(lines)
    width = len(str(len(text.splitlines())))
    filled = sheet("x.md", text).replace(
        f"\n{1:>{width}}> first\n", f"\n{1:>{width}}> first\n{comment}\n", 1
    )
    assert read_sheet(filled, text) == Remarks("", (Comment(1, "first", comment),))


def test_a_rejection_in_one_line_keeps_remark_and_comments_apart() -> None:
    """A6, K1: an event list shows whose words are whose, without the quoted lines."""
    remarks = Remarks("say where it is documented", (Comment(3, "1. Write.", "which file?"),))
    shown = in_one_line(feedback("plan.md", remarks) + "\n\nA person has changed plan.md.")
    assert shown == "say where it is documented · C1, line 3: which file?"


def test_a_rejection_without_comments_is_shown_as_it_is() -> None:
    """A6, K1: words of a person are not touched if nothing has to be told apart."""
    assert in_one_line("too long\n\nand too late") == "too long\n\nand too late"
