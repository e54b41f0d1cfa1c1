"""What a gate says about comments, changes and the end of a flow. Covers: A6, K1."""

from __future__ import annotations

from sparing.change import FileChange
from sparing.desk.gates.gate import refusal_words, sizes
from sparing.desk.gates.handoffs import Note, note_lines
from sparing.desk.gates.line_comments import AnsweredComment
from sparing.turn_event import HandoffEvent

HANDOFF = HandoffEvent(status="completed", summary="Done.", next_stage_needs=("the document",))


def test_a_comment_without_an_answer_is_named_by_its_line_and_words() -> None:
    """A6: the person who wrote `C1` knows it by its place and words."""
    asked = AnsweredComment("C1", "plan.md", 4, "The queue.", "which queue? " + "none " * 30, "")
    assert asked.unanswered == (
        "on line 4 got no answer: which queue? none none none none none none none none none …"
    )


def test_what_the_program_adds_to_a_comment_is_not_shown_as_the_person_s() -> None:
    """A6, K1: a note that follows the last comment is for the author."""
    said = "Which option?\n\nA person has changed plan.md since your last turn: read it again."
    asked = AnsweredComment("C1", "plan.md", 13, "#### 1.1", said, "")
    assert asked.unanswered == "on line 13 got no answer: Which option?"


BLOCK = "\n\n### HANDOFF\n- **Status**: completed"


def test_what_the_reason_says_is_not_said_again() -> None:
    """K1: the author's words stood three times on one screen, once with its handoff block."""
    reason = "builder left no change and says: The plan is written."
    assert refusal_words(reason, f"The plan\nis written.{BLOCK}") == ()
    longer = refusal_words(reason[:-10] + "…", f"The plan is written.\n\nIt names no file.{BLOCK}")
    assert longer[1:] == ("The plan is written.", "It names no file.")


def test_a_comment_on_no_line_has_its_words_alone() -> None:
    """A6: a comment on a whole file has no line."""
    asked = AnsweredComment("C1", "plan.md", 0, "", "name it", "")
    assert asked.unanswered == "got no answer: name it"


def test_an_author_that_changed_nothing_is_said_in_words() -> None:
    """K1: `0 files changed, +0 -0` reads like a fault."""
    assert sizes(()) == "nothing changed"
    assert sizes((FileChange("a.py", added=2, removed=1),)) == "1 file changed, +2 -1"


def test_the_last_stage_does_not_say_what_the_next_one_needs() -> None:
    """K1: no stage follows, so there is nothing that it could need."""
    assert note_lines(Note("done", HANDOFF, "", ends=True)) == ["Done."]
    assert note_lines(Note("plan", HANDOFF, "")) == ["Done.", "the next stage needs: the document"]
