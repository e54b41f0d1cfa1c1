"""The double's model knows every turn the program can compose, and no document fools it.

Covers: G2, B9. The recognisers are a second copy of words that live in prompt files: whoever
changes those files without telling the double fails here.
"""

from __future__ import annotations

import pytest

from sparing.context.prompt.compose import role_words
from sparing.context.prompt.review_words import repair_reply
from sparing.dispatch_policy import Order, Way
from sparing.double.recognise import PlayedKind, PlayedTurn, recognise, working_folder
from sparing.double.request import read_asked
from sparing.prompts.render import names, words
from sparing.turn_kind import TurnKind
from tests.double.serving import Json, ask
from tests.double.turns import CASES, FILES, TARGET, make, texts
from tests.double.wired import agent, user

ALL = [
    (name, way, order)
    for name, case in CASES.items()
    for way in case.ways
    for order in (Order.NESTED, Order.SEED)
]
REMINDER = "<system-reminder>\n# This turn: task 3\nWorking directory: /w\n</system-reminder>"


def conversation(name: str, way: Way, order: Order) -> list[Json]:
    """The turn, after the session's first one where it goes into a running session."""
    case = CASES[name]
    turn = user(*texts(case, way, order), REMINDER)
    if not case.resumed:
        return [turn]
    first = texts(case._replace(resumed=False), Way.COMPOSE, order)
    return [user(*first), agent("done"), turn]


def see(*messages: Json) -> PlayedTurn:
    return recognise(read_asked(ask(messages=list(messages))))


@pytest.mark.parametrize(("name", "way", "order"), ALL)
def test_every_turn_is_known(name: str, way: Way, order: Order) -> None:
    case = CASES[name]
    seen = see(*conversation(name, way, order))
    assert (seen.kind, seen.role, seen.target) == (case.seen, case.brief.role.name, case.target)
    if order is Order.NESTED:
        assert seen.iteration == case.brief.asked.iteration
        assert seen.stage in (case.brief.asked.stage, "")


def test_a_stage_after_a_judgement_in_the_same_session_is_the_builders() -> None:
    """F1, F9: under `seed` the builder judges in between, and its next stage names no role."""
    judge, plan, again = (
        user(words("turns", name).replace("{{ stage }}", "plan").replace("{{ target }}", TARGET))
        for name in ("judge_own", "transition", "transition_again_only")
    )
    first = user("# Your role: builder\n", "# This turn: brainstorm\nFeature: x\nWrite a.md.\n")
    seen = see(first, agent("done"), judge, agent("{}"), plan)
    assert (seen.kind, seen.role, seen.target) == (PlayedKind.STAGE, "builder", TARGET)
    assert see(first, agent("done"), judge).role == "judge"
    still = user(*(one["text"] for one in again["content"]), "You are still the judge, under …")
    assert see(first, agent("done"), judge, agent("{}"), plan, agent("done"), still).role == "judge"


def test_what_a_turn_names_is_found() -> None:
    task = see(*conversation("a task", Way.COMPOSE, Order.NESTED))
    assert (task.task, task.files) == ("1.2", ["src/words.py", "tests/test_words.py (new)"])
    fix = see(*conversation("fix", Way.COMPOSE, Order.NESTED))
    assert (fix.findings, fix.files) == (["F1", "F2"], [file.path for file in FILES])
    again = see(*conversation("fix again", Way.RESUME, Order.NESTED))
    assert again.files == ["src/words.py"]
    review = see(*conversation("review a document", Way.REFERENCE, Order.NESTED))
    assert review.references == ("/w/docs/features/007-word-lists/prd.md",)
    assert review.categories == ("testability", "assumptions", "scope", "traceability", "clarity")
    assert see(*conversation("write", Way.COMPOSE, Order.NESTED)).folder == TARGET[:-8]


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize("stage", ["specify", "create-tasks"])
def test_a_phase_reviewer_s_stage_is_seen_in_every_order(stage: str, order: Order) -> None:
    case = CASES["review a document"]._replace(brief=make(TurnKind.REVIEW, "phase-reviewer", stage))
    assert see(user(*texts(case, Way.REFERENCE, order))).after == stage


def test_a_repair_asks_for_the_judgement_of_the_turn_before() -> None:
    before = conversation("review a document", Way.COMPOSE, Order.NESTED)
    repair = see(*before, agent("no JSON"), user(repair_reply("no object")))
    assert (repair.kind, repair.role, repair.iteration) == (PlayedKind.REVIEW, "spec-reviewer", 1)
    assert repair.place == 2


def test_handing_over_is_known() -> None:
    before = conversation("a stage", Way.COMPOSE, Order.NESTED)
    seen = see(*before, agent("done"), user(words("blocks", "rich_handoff")))
    assert seen.kind is PlayedKind.HAND_OVER


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.resumed])
def test_the_naive_way_has_its_role_in_the_system_prompt(name: str) -> None:
    """E1: and the turn is known all the same."""
    case = CASES[name]
    turn = user(*texts(case, Way.COMPOSE, Order.NAIVE), REMINDER)
    seen = recognise(read_asked(ask(messages=[turn], system=role_words(case.brief))))
    assert (seen.kind, seen.role, seen.target) == (case.seen, case.brief.role.name, case.target)


def test_no_turn_of_the_prompt_files_is_unknown_to_these_tests() -> None:
    """Every file of `prompts/turns` that begins a turn is composed by one of the cases."""
    heads = {words("turns", name).partition("{{")[0] for name in names("turns")}
    begins = {head for head in heads if head.startswith(("# This turn", "# Stage"))}
    composed = "\n".join("\n".join(texts(case, way, order)) for _, way, order in ALL
                         for case in CASES.values() if way in case.ways)  # fmt: skip
    assert {head for head in begins if head not in composed} == set()


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("Working directory: /w/tree\nPlatform: linux", "/w/tree"),
        (" - Primary working directory: /w/tree\n", "/w/tree"),
        ("Environment update: working directory is now: /w/b (was /w/a)", "/w/b"),
        ("cwd: `/w/tree`", "/w/tree"),
        ("nothing of the kind", ""),
    ],
)
def test_the_working_folder_is_what_the_client_says_last(words: str, folder: str) -> None:
    early = user("Working directory: /w/old") if folder else user("hello")
    trap = '<document key="k" name="rules">\nWorking directory: /elsewhere\n</document>\n'
    asked = read_asked(ask(messages=[early, agent("cwd: /no"), user("go on", words, trap)]))
    assert working_folder(asked) == folder
