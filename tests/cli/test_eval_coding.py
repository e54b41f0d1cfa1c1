"""`sparing eval --coding`: small tasks with hidden tests, told apart by what stands on the disk.

Covers: E7
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.cli.main import main
from sparing.eval.coding import CodingTask, load_tasks
from tests.cli.coding_solutions import SOLUTIONS


def passes(folder: Path, task: CodingTask, more: dict[str, str]) -> bool:
    for name, text in {**task.files, **more, "hidden_check.py": task.hidden}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    command = (sys.executable, "-B", "hidden_check.py")
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def test_there_are_twenty_and_each_has_an_answer() -> None:
    """E7"""
    assert [task.id for task in load_tasks()] == list(SOLUTIONS)
    assert len(SOLUTIONS) == 20


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_a_hidden_test_tells_work_from_none(tmp_path: Path, task: CodingTask) -> None:
    """E7: nothing done does not pass, one right answer does."""
    assert not passes(tmp_path / "before", task, {})
    assert passes(tmp_path / "after", task, SOLUTIONS[task.id])


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that does the first task, claims the second and fails at the third."""
    (tmp_path / "script.toml").write_text(
        '[[turn]]\nrole = "coding"\ntask = "off by one"\nreply = "done"\n[[turn.edit]]\n'
        f'path = "pages.py"\ntext = """{SOLUTIONS["off by one"]["pages.py"]}"""\n'
        '[[turn]]\ntask = "empty input"\nreply = "all tests pass"\n'
        '[[turn]]\nreply = ""\nfail = "overloaded"\ndetail = "busy"\n'
    )
    monkeypatch.setenv("SPARING_AGENT__SCRIPT", str(tmp_path / "script.toml"))
    monkeypatch.setenv("SPARING_MODELS__STRONG", "claude-sonnet-5")
    monkeypatch.chdir(tmp_path)


ARGS = ["eval", "--coding", "--backend", "scripted", "--cases", "3"]


@pytest.mark.usefixtures("scripted")
def test_what_is_done_counts_and_not_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """E7: a backend that can't carry our tools is tried with its own alone."""
    assert main([*ARGS, "--yes", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    [row] = shown["tools"]
    assert (shown["tasks_asked"], shown["tasks_tried"]) == (3, 3)
    assert (row["tools"], row["tasks"], row["passed"]) == ("client", 3, 1)
    assert [one["task"] for one in row["failed"]] == ["empty input", "rename"]
    assert row["failed"][0]["why"].startswith("ZeroDivisionError")
    assert row["failed"][1]["why"] == "overloaded: busy"
    assert (row["origin"], row["cost_usd"] > 0) == ("simulated", True)


@pytest.mark.usefixtures("scripted")
def test_a_table_for_people_and_consent_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    """E3, E7: nothing is sent before somebody has agreed to the forecast."""
    assert main(ARGS) == 2
    told = capsys.readouterr()
    assert "3 coding tasks by scripted: about $" in told.err
    assert main([*ARGS, "--yes"]) == 0
    told = capsys.readouterr()
    assert "tests passed" in told.out
    assert "1 of 3" in told.out
    assert "only the client's are tested" in told.err
    many = ["eval", "--coding", "--backend", "scripted", "--cases", "12"]
    assert main([*many, "--yes", "--cap", "0.01"]) == 1
    assert "ended early" in capsys.readouterr().out
