"""With a scripted agent's script the double plays the same story through a client. Covers: G2."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from sparing.dispatch_policy import Order, Way
from sparing.double.model import Model
from sparing.double.playbook import read_playbook
from sparing.double.server import ServerSettings
from sparing.errors import ScriptError
from sparing.finding import Verdict
from sparing.review.verdict import read_verdict
from sparing.turn_kind import TurnKind
from tests.double.serving import serving
from tests.double.small_client import Agent
from tests.double.turns import CASES, FOLDER, make, texts

SAMPLE = files("sparing.cli") / "sample"


def test_the_demo_s_script_changes_the_same_files_in_the_same_way(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text((SAMPLE / "script.toml").read_text("utf-8"))
    project = tomllib.loads((SAMPLE / "project.toml").read_text("utf-8"))["files"]
    for name, text in project.items():
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with serving(ServerSettings(model=Model(playbook=read_playbook(script)))) as client:
        agent = Agent(client, tmp_path / "tree")
        case = CASES["a task"]
        task = make(TurnKind.TASK, "implementer", "implement", task="1.1")
        reply = agent.turn(*texts(case._replace(brief=task), Way.COMPOSE, Order.NESTED))
        review = Agent(client, tmp_path / "tree", tools=("Read",))
        verdict = review.turn(*texts(CASES["review code"], Way.COMPOSE, Order.NESTED))
        author = Agent(client, tmp_path / "tree")
        plan = make(TurnKind.WRITE, "plan-author", "create-plan", target=f"{FOLDER}/plan.md")
        author.turn(*texts(case._replace(brief=plan), Way.COMPOSE, Order.NESTED))
    turns = tomllib.loads(script.read_text())["turn"]
    turn = next(turn for turn in turns if turn.get("task") == "1.1")
    expected = dict(project)
    for edit in turn["edit"]:
        before = expected[edit["path"]]
        expected[edit["path"]] = before.replace(edit["find"], edit["replace"], 1)
    told = {name: (tmp_path / "tree" / name).read_text() for name in project}
    assert told == expected
    assert told != project
    assert reply == turn["reply"]
    found = read_verdict("security-reviewer", verdict)
    assert isinstance(found, Verdict)
    assert found.approved
    assert (tmp_path / "tree" / FOLDER / "plan.md").read_text().startswith("# Plan")


def test_a_playbook_that_can_t_be_read_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[[turn]]\nrole = 7\n")
    for name in ("bad.toml", "nothing.toml"):
        with pytest.raises(ScriptError, match="can't be used"):
            read_playbook(tmp_path / name)


def test_a_script_s_folder_is_filled_in_or_refused(tmp_path: Path) -> None:
    """K1: a turn that names no file of the feature's folder has it from the client's header."""
    script = tmp_path / "script.toml"
    script.write_text(
        '[[turn]]\nrole = "implementer"\nreply = "see {folder}/plan.md"\n'
        '[[turn.edit]]\npath = "{folder}/note.md"\ntext = "in {folder}"\n'
    )
    played = read_playbook(script)[0]
    placed = played.placed('docs/a "quoted" ü')
    assert placed.reply == 'see docs/a "quoted" ü/plan.md'
    assert [(one.path, one.text) for one in placed.changes()] == [
        ('docs/a "quoted" ü/note.md', 'in docs/a "quoted" ü')
    ]
    with pytest.raises(ScriptError, match="names no folder"):
        played.placed("")
    task = make(TurnKind.TASK, "implementer", "implement", task="1.1")
    told = texts(CASES["a task"]._replace(brief=task), Way.COMPOSE, Order.NESTED)
    refused = pytest.raises(AssertionError, match="names no folder")
    with serving(ServerSettings(model=Model(playbook=(played,)))) as client, refused:
        Agent(client, tmp_path).turn(*told)
