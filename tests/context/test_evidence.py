"""Counts and sections read on real documents, and the bench that uses them. Covers: D2."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench import corpus

HERE = Path(__file__).parent


def test_ten_files_drawn_and_counted_by_hand() -> None:
    """D2: the counts are for whole files, each with a number."""
    evidence = json.loads((HERE / "hand_counts.json").read_text("utf-8"))
    assert len(set(evidence["drawn"])) == 10
    assert set(evidence["drawn"]) <= evidence["counts"].keys()
    assert all(count > 0 for count in evidence["counts"].values())


def test_fifty_sections_read_and_none_wrong() -> None:
    """D2."""
    rows = re.findall(
        r"^\| (\d{3}-\S+) .*\| (\w+) \|$", (HERE / "sections_read.md").read_text("utf-8"), re.M
    )
    assert len(rows) == 50
    assert {verdict for _, verdict in rows} == {"right"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    feature = tmp_path / "features" / "001-table"
    feature.mkdir(parents=True)
    (feature / "tasks.md").write_text(
        "# Tasks\n### Task 1.1: Write\n**Why:** Plan Step 1.1 / Design C1\n### T2: Fill\n"
    )
    (feature / "plan.md").write_text("# Plan\n### Step 1.1: Write it\nplan words\n### Step 2: x\n")
    (feature / "design.md").write_text("# Design\n## Overview\ndesign words\n")
    (tmp_path / "features" / "002-idea").mkdir()
    return tmp_path


def test_the_bench_prints_a_row_a_task_and_totals(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D2: tasks of both modes, scoped share, characters; written to files too."""
    out = folder / "out"
    assert corpus.main([str(folder), "--quick", "--out", str(out)]) == 0
    rows, _, rest = capsys.readouterr().out.partition("\n{\n")
    first, second = (json.loads(row) for row in rows.splitlines())
    summary = json.loads("{" + rest)
    assert first["plan"] == {
        "context": "sections",
        "characters": len("### Step 1.1: Write it\nplan words\n"),
        "sections": [{"id": "Step 1.1", "lines": [2, 3], "via": "lead"}],
    }
    assert first["design"]["context"] == "full"
    assert (second["number"], second["plan"]["context"]) == ("T2", "full")
    assert (summary["tasks_tolerant"], summary["tasks_literal"]) == (2, 1)
    assert summary["scoped_share"] == 0.5
    assert summary["empty_contexts_where_referenced"] == 0
    assert summary["literal_equal"] is None
    assert (out / "corpus.jsonl").read_text("utf-8").strip() == rows
    assert json.loads((out / "corpus.json").read_text("utf-8")) == summary


def test_the_bench_compares_the_literal_mode(folder: Path) -> None:
    """D2: every field that is expected counts."""
    wrong = {"no_tasks_found": False, "task_count": 2, "tasks": [{"number": "1.1", "title": "No"}]}
    (folder / "EXPECTED.json").write_text(json.dumps({"features": {"001-table": wrong}}))
    result = corpus.compare(folder)
    assert result is not None
    compared, differing = result
    assert compared > 10
    assert differing["number"] == 0
    assert (differing["title"], differing["task_count"]) == (1, 1)


def test_a_sample_to_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """D2."""
    assert corpus.main([str(folder), "--draw", "5", "--seed", "1"]) == 0
    assert capsys.readouterr().out == "| 001-table | 1.1 | plan Step 1.1 | 2-3 | ? |\n"
