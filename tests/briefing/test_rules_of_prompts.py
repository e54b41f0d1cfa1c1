"""What no prompt may hold, and what a session is never told twice.

Covers: B2, B6, B7, B8, B9
"""

from __future__ import annotations

import re

import pytest

from sparing.context.prompt.turn_words import resumed_turn
from sparing.dispatch_policy import Order, Way
from sparing.prompts.render import names, words
from sparing.segment import estimate_tokens
from tests.briefing.cases import Prompt
from tests.briefing.sample import DATA

KINDS = ("roles", "stages", "skills", "blocks", "turns")
FILES = [(kind, name) for kind in KINDS for name in names(kind)]
GAPS = {
    "stage", "title", "target", "subject", "iteration", "cap", "seen", "task", "phase",
    "role", "first", "second", "names", "places", "problem", "form", "path", "object", "number",
    "ids", "folders",
}  # fmt: skip
"""What a word file may leave open: names and numbers, never anybody's text."""
TIME = re.compile(
    r"\b\d{1,2}:\d{2}(?::\d{2})?\b|\b20\d\d-\d\d(?:-\d\d)?\b|\b\d{10,13}\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}\b"
)
ABSOLUTE = re.compile(r"(?<![\w`./])/(?:\w[\w.-]*/)+[\w.-]*")
RELATIVE = re.compile(r"\bdocs/features/[\w./-]+")
B8_ROLES = {
    "security-reviewer", "implementation-reviewer", "spec-reviewer", "design-reviewer",
    "plan-reviewer",
}  # fmt: skip


def own_words(text: str) -> str:
    """A prompt without the documents in it."""
    return re.sub(r"<document key=.*?</document>\n", "", text, flags=re.DOTALL)


def written() -> list[str]:
    """Lines of the sample's documents that are more than a heading."""
    lines = [line for doc in DATA["first"].values() for line in doc.splitlines()]
    return [line for line in lines if len(line) > 20 and not line.startswith("#")]


@pytest.mark.parametrize(("kind", "name"), FILES, ids=lambda part: str(part))
def test_no_word_file_has_room_for_an_artifact(kind: str, name: str) -> None:
    """B2: not its text, and no gap to be filled with it."""
    text = words(kind, name)
    gaps = set(re.findall(r"\{\{ ?(\w+) ?\}\}", text))
    assert gaps <= GAPS
    assert "{%" not in text
    assert [line for line in written() if line in text] == []


def test_the_rule_notices_a_file_that_breaks_it() -> None:
    assert not set(re.findall(r"\{\{ ?(\w+) ?\}\}", "{{ spec_content }}")) <= GAPS
    assert TIME.search("signed at 12:30")
    assert ABSOLUTE.search("see /home/ada/spec.md")
    assert not ABSOLUTE.search("see docs/spec.md, and/or this")


def test_no_prompt_holds_a_time(rendered: dict[str, Prompt]) -> None:
    """B6 (7): equal work gives equal words on any day."""
    for prompt in rendered.values():
        assert TIME.findall(own_words(prompt.text)) == [], prompt.name


def test_absolute_paths_stand_in_the_reference_block_alone(rendered: dict[str, Prompt]) -> None:
    """B2: everything else is equal in every worktree."""
    seen = 0
    for prompt in rendered.values():
        for segment in prompt.segments:
            found = ABSOLUTE.findall(own_words(segment.text))
            if segment.name == "references":
                seen += len(found)
                assert all(path.startswith("/worktree/docs/features/") for path in found)
            else:
                assert found == [], prompt.name
    assert seen > 100


def test_a_relative_path_is_the_file_to_write(rendered: dict[str, Prompt]) -> None:
    """B2: the only one outside of documents and references, in the turn of an author."""
    for prompt in rendered.values():
        for segment in prompt.segments:
            if segment.name != "references":
                found = set(RELATIVE.findall(own_words(segment.text)))
                target = prompt.brief.asked.target
                assert found <= {target, f"{target}."}, prompt.name
                assert not found or segment.name == "turn"


def test_everything_that_others_wrote_is_wrapped(rendered: dict[str, Prompt]) -> None:
    """B9: findings, feedback, diffs and check output too."""
    theirs = [
        *written(),
        *DATA["replies"]["fixes"].splitlines(), DATA["replies"]["feedback"],
        "Nothing says how often is too often", "FAILED (failures=1)",
    ]  # fmt: skip
    wanted = [line for line in theirs if len(line) > 20]
    assert len(wanted) > 20
    for prompt in rendered.values():
        bare = own_words(prompt.text)
        assert [line for line in wanted if line in bare] == [], prompt.name


def test_the_rules_file_is_given_once_to_authors_and_reviewers(
    rendered: dict[str, Prompt],
) -> None:
    """B9: as quoted data; not to researchers, and not again in a session that goes on."""
    for prompt in rendered.values():
        times = prompt.text.count("Standard library only; tests use `unittest`.")
        fresh = prompt.way in (Way.COMPOSE, Way.REFERENCE)
        researcher = prompt.source.role.role_class.value == "researcher"
        assert times == int(fresh and not researcher), prompt.name


START = ("rules", "prd", "spec", "design", "plan", "tasks", "code", "goals", "project", "role")


def test_a_session_is_never_told_again_what_it_began_with(rendered: dict[str, Prompt]) -> None:
    """B7, C4: no documents, no rubric, no rules; also not inside another piece."""
    resumed = [p for p in rendered.values() if p.way is Way.RESUME]
    assert len(resumed) > 30
    for prompt in resumed:
        names_ = {one.name for one in prompt.segments}
        own = {"plan", "design"} if prompt.brief.task else set[str]()  # its own parts of them
        assert (names_ - own).isdisjoint(START), prompt.name
        assert "## Must catch" not in prompt.text
        assert "## Required Artifacts" not in prompt.text


def test_a_resumed_turn_repeats_role_rule_and_form_in_few_tokens(
    rendered: dict[str, Prompt],
) -> None:
    """C4: at most 120, with levels 150; of two in one turn, what both must know."""
    found = [p for p in rendered.values() if p.way is Way.RESUME and "reviewer" in p.case.role]
    for prompt in found:
        turn = prompt.named("turn")
        reminder = turn[turn.index("You are still ") :]
        both = prompt.case.role in prompt.brief.asked.panel[:1]
        levels = prompt.case.role == "implementation-reviewer"
        most = 190 if both else 150 if levels or prompt.brief.asked.panel else 120
        assert estimate_tokens(reminder) <= most, prompt.name
        assert prompt.case.role in reminder
        assert "no blocker and no warning" in reminder
        if prompt.order is Order.NESTED:
            assert reminder in resumed_turn(prompt.brief)


def test_whoever_verifies_a_claim_is_told_its_tools(rendered: dict[str, Prompt]) -> None:
    """B8: in every fresh prompt of the five roles, in both orders, and in no other."""
    for prompt in rendered.values():
        told = words("turns", "tools_off").strip() in prompt.text
        assert told == (prompt.case.role in B8_ROLES and prompt.way is not Way.RESUME), prompt.name
