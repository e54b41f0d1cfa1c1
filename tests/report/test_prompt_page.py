"""A prompt as a page. Covers: B1, K3."""

from __future__ import annotations

from sparing.report.prompt import PromptPage, prompt_json, prompt_text
from sparing.segment import Segment, Volatility

PAGE = PromptPage(
    {"role": "spec-reviewer", "way": "compose", "task": ""},
    Segment("system", "You belong.\n", Volatility.FEATURE),
    (
        Segment("prd", "one\n", Volatility.FEATURE),
        Segment("spec", "two\n", Volatility.STAGE, mark=True),
        Segment("turn", "three\n", Volatility.ITERATION),
    ),
    2,
    "a" * 64,
)


def test_a_page_in_words() -> None:
    head, sizes, keys, *blocks = prompt_text(PAGE).splitlines()
    assert head == "role spec-reviewer · new session (--way compose)"
    assert sizes == (
        "3 blocks (first 2 shared with other roles), 14 characters, about 4 tokens (estimated)"
    )
    assert keys.startswith("system prompt ")
    assert keys.endswith(
        " (12 characters) · reply schema none, free text · cache group aaaaaaaaaaaa"
    )
    assert [line.split(" · ")[0] for line in blocks if line.startswith("──") and "·" in line] == [
        "── 1 prd",
        "── 2 spec",
        "── 3 turn",
    ]
    assert [blocks[n + 1][:2] for n, line in enumerate(blocks) if line == "two"] == ["══"]
    assert {len(line) for line in blocks if line.startswith(("──", "══"))} == {100}


def test_the_system_prompt_is_named_and_shown_if_wanted() -> None:
    assert "You belong." not in prompt_text(PAGE)
    assert "── system" in prompt_text(PAGE, system=True)


def test_a_page_as_json() -> None:
    found = prompt_json(PAGE)
    assert [(b["name"], b["trunk"], b["mark"], b["volatility"]) for b in found["blocks"]] == [
        ("prd", True, False, "feature"),
        ("spec", True, True, "stage"),
        ("turn", False, False, "iteration"),
    ]
    assert (found["chars"], found["tokens"], found["origin"]) == (14, 4, "estimated")


def test_text_of_others_does_not_move_the_cursor() -> None:
    """K3"""
    nasty = PromptPage(
        {}, PAGE.system, (Segment("a\x1b[2J", "b\x1b[1A\u202ec\td\n", Volatility.ROLE),), 0, ""
    )
    shown = prompt_text(nasty)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "b�[1A�c\td" in shown
    assert prompt_json(nasty)["blocks"][0]["text"] == "b\x1b[1A\u202ec\td\n"
