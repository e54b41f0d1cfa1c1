"""The scripted model plays every role for a real loop of tools, over the wire. Covers: G2, C15.

What it writes must be fit for the program's own readers: they are the judges here.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.context.documents.fix_summary import fix_words
from sparing.context.documents.handoff import HandoffStatus, parse_handoff
from sparing.context.documents.rich_handoff import Pipeline, StageOutput, rich_handoff
from sparing.context.documents.scope import index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import validate_artifact
from sparing.context.prompt.inclusion import confirmed_reads
from sparing.dispatch_policy import Order, Way
from sparing.finding import Verdict
from sparing.prompts.render import words
from sparing.review.verdict import SCHEMA, read_verdict
from sparing.turn_kind import TurnKind
from tests.double.serving import Client
from tests.double.small_client import Agent
from tests.double.turns import CASES, FOLDER, SPEC, TARGET, Case, make, texts

WRITTEN = list(ArtifactName)[:5]
"""What the authors of the feature flow write: from PRD to tasks."""


@pytest.fixture
def agent(client: Client, tmp_path: Path) -> Agent:
    return Agent(client, tmp_path)


def play(agent: Agent, case: Case, way: Way = Way.COMPOSE, order: Order = Order.NESTED) -> str:
    """The case's turn, with the references in it leading into the agent's own folder."""
    told = (text.replace("/w/docs/", f"{agent.folder}/docs/") for text in texts(case, way, order))
    return agent.turn(*told)


def put(agent: Agent, path: str, text: str) -> Path:
    file = agent.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def author(name: ArtifactName) -> Case:
    roles = {ArtifactName.BRAINSTORM: "builder"}
    role = roles.get(name, f"{name.value}-author")
    target = f"{FOLDER}/{name.filename}"
    return CASES["write"]._replace(
        brief=make(TurnKind.WRITE, role, "x", target=target), target=target
    )


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("name", WRITTEN)
def test_an_author_writes_a_document_that_is_fit_to_build_on(
    agent: Agent, name: ArtifactName, order: Order
) -> None:
    play(agent, author(name), order=order)
    assert agent.calls == [("Write", f"{FOLDER}/{name.filename}")]
    assert validate_artifact(name, (agent.folder / FOLDER / name.filename).read_text()) == ()


def test_tasks_are_found_with_their_sections(agent: Agent) -> None:
    for name in (ArtifactName.DESIGN, ArtifactName.PLAN, ArtifactName.TASKS):
        play(agent, author(name))
    design, plan, tasks = (
        (agent.folder / FOLDER / f"{name}.md").read_text() for name in ("design", "plan", "tasks")
    )
    found = parse_tasks(tasks)
    scopes = [scope_task(task, index_document(plan), index_document(design)) for task in found]
    assert [task.number for task in found] == ["1.1", "1.2"]
    assert [(scope.plan.warnings, scope.design.warnings) for scope in scopes] == [((), ())] * 2


def test_a_document_that_is_there_is_read_before_it_is_written_anew(agent: Agent) -> None:
    put(agent, TARGET, "# An old one\n")
    play(agent, CASES["write"])
    assert [name for name, _ in agent.calls] == ["Write", "Read", "Write"]
    assert "An old one" not in (agent.folder / TARGET).read_text()


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_a_reviewer_reads_what_it_is_told_to_and_gives_a_verdict(
    agent: Agent, order: Order
) -> None:
    put(agent, f"{FOLDER}/prd.md", "# PRD\n\n## Goals\nOne.\n")
    agent.tools = ("Read",)
    reply = play(agent, CASES["review a document"], Way.REFERENCE, order)
    assert agent.calls == [("Read", f"{FOLDER}/prd.md")]
    assert confirmed_reads(reply) == (("prd.md", 4),)
    assert isinstance(read_verdict("spec-reviewer", reply), Verdict)


def test_a_verdict_is_given_in_the_client_s_form_where_it_has_one(agent: Agent) -> None:
    agent.schema = SCHEMA
    play(agent, CASES["review code"])
    assert agent.structured is not None
    assert agent.structured["approved"] is True
    again = agent.turn("Please use the tool for your answer.")
    assert again == "Done."


def test_whoever_has_no_tool_to_write_does_not_write(agent: Agent) -> None:
    agent.tools = ("Read",)
    play(agent, CASES["write"])
    assert agent.calls == []


def test_findings_are_settled_in_the_document_and_told_one_by_one(agent: Agent) -> None:
    file = put(agent, TARGET, SPEC)
    reply = play(agent, CASES["revise"])
    assert agent.calls == [("Read", TARGET), ("Edit", TARGET)]
    assert file.read_text().startswith(SPEC.rstrip("\n"))
    assert "F1, F2" in file.read_text()
    assert "`F1`: changed" in reply
    assert fix_words(reply)


def test_the_next_round_changes_it_once_more(agent: Agent) -> None:
    file = put(agent, TARGET, SPEC)
    play(agent, CASES["revise"])
    first = file.read_text()
    play(agent, CASES["revise again"], Way.RESUME)
    assert file.read_text() != first


def test_a_line_that_stands_there_twice_is_left_alone(agent: Agent) -> None:
    file = put(agent, TARGET, f"{SPEC}- so\n- so\n")
    play(agent, CASES["revise"])
    assert agent.calls == [("Read", TARGET), ("Edit", TARGET)]
    assert file.read_text().endswith("F1, F2.\n- so\n- so\n")


def test_code_is_mended_where_it_stands(agent: Agent) -> None:
    file = put(agent, "src/words.py", "def words_in(text):\n    return text.split()\n")
    reply = play(agent, CASES["fix"])
    compile(file.read_text(), "words.py", "exec")
    assert "Settled in round 2: F1, F2." in file.read_text()
    assert "src/words.py" in reply


def test_a_task_edits_what_is_there_and_writes_what_is_new(agent: Agent) -> None:
    file = put(agent, "src/words.py", "def words_in(text):\n    return text.split()\n")
    reply = play(agent, CASES["a task"])
    assert agent.calls == [
        ("Read", "src/words.py"), ("Edit", "src/words.py"), ("Write", "tests/test_words.py"),
    ]  # fmt: skip
    compile(file.read_text(), "words.py", "exec")
    done = subprocess.run(
        (sys.executable, str(agent.folder / "tests/test_words.py")), check=False, timeout=120
    )
    assert done.returncode == 0
    assert "## Files changed\nsrc/words.py\ntests/test_words.py\n" in reply


def test_a_stage_leaves_its_document_its_code_and_a_handoff(agent: Agent) -> None:
    first = parse_handoff(play(agent, CASES["a stage"]))
    second = parse_handoff(play(agent, CASES["a stage that goes on"], Way.RESUME))
    assert first.status is second.status is HandoffStatus.COMPLETED
    assert sorted(path for _, path in agent.calls) == [
        f"{FOLDER}/implementation.md",
        f"{FOLDER}/plan.md",
        "tests/test_word_lists.py",
        "word_lists.py",
    ]


def test_a_session_that_ends_hands_over(agent: Agent) -> None:
    play(agent, CASES["a stage"])
    output = StageOutput("plan", "The plan. " * 400, parse_handoff(""))
    reply = agent.turn(words("blocks", "rich_handoff"))
    assert rich_handoff(Pipeline("Word lists", "L2", stages=(output,)), reply).problems == ()


@pytest.mark.parametrize("name", ["red checks", "research", "deeper tests", "redo code"])
def test_every_other_turn_gets_an_answer(agent: Agent, name: str) -> None:
    assert play(agent, CASES[name])


def test_what_was_rejected_in_a_tier_is_changed_and_handed_off(agent: Agent) -> None:
    """G2, F5: if it gave no handoff, it would be asked, and write the first version again."""
    play(agent, CASES["a stage"])
    path = f"{FOLDER}/plan.md"
    assert "### HANDOFF" in play(agent, CASES["redo a stage"])
    assert "Settled in round 1" in (agent.folder / path).read_text()
    assert "HANDOFF" not in play(agent, CASES["redo code"])


def test_what_a_resumed_session_is_asked_it_still_knows(agent: Agent) -> None:
    """C15: the file's first line and the number of findings, out of the transcript alone."""
    put(agent, "notes.txt", "first of all\nsecond\n")
    path = agent.folder / "notes.txt"
    assert agent.turn(f"Read the file {path}.") == f"Read {path}."
    play(agent, CASES["review a document"])
    path.unlink()
    assert agent.turn(f"What is the first line of {path}? Answer with it alone.") == "first of all"
    assert agent.turn("How many findings did you report? Answer with the number alone.") == "0"
    assert agent.calls.count(("Read", "notes.txt")) == 1


def test_a_session_is_kept_alive_for_one_word(agent: Agent) -> None:
    play(agent, CASES["review code"])
    assert agent.turn("Reply: ok") == "ok"


def test_words_that_mean_nothing_to_it_are_answered(agent: Agent) -> None:
    """A title for the session: whatever a client may ask besides, in the form it wants."""
    assert agent.turn("Find a title") == "ok"
    agent.schema = {"properties": {"title": {"type": "string"}}, "required": ["title"]}
    assert agent.turn("Find a title") == "Done."
    assert agent.structured == {"title": ""}


def test_a_merge_that_conflicts_keeps_both_sides(agent: Agent) -> None:
    """A9: no marker stays, and lines around the conflicts stay as they are."""
    one, two = (
        "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        "<<<<<<< ours\nc\n=======\n>>>>>>> x\n",
    )
    file = put(agent, "src/words.py", f"first\n{one}between\n{two}last\n")
    said = play(agent, CASES["a merged base branch"])
    assert file.read_text() == "first\na\nb\nbetween\nc\nlast\n"
    assert fix_words(said) == "## Fix summary\nBoth sides are kept in: src/words.py."
