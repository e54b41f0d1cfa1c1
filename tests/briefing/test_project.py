"""Project context: 500 tokens at most, whatever the project holds.

Covers: D3
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.briefing.gather import gather
from sparing.context.documents.project import (
    ProjectContext,
    milestone_of,
    project_block,
    project_goals,
    sorted_by_status,
)
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Way
from sparing.feature import PROJECT
from sparing.segment import estimate_tokens
from sparing.turn import Turn
from tests.briefing.sample import FOLDER, Sample, make_sample
from tests.repositories import commit_files, git

CONTEXT = ProjectContext(
    "P001-fair-use",
    "001-rate-limits",
    ("Nobody starves.", "Limits are known.", "Operators can change them."),
    ("007-metrics",),
    ("008-login",),
    ("009-billing",),
    "M1: Protection",
)
MANY = tuple(f"{number:03d}-a-feature-with-a-name" for number in range(200))
NAMES = st.lists(st.text(max_size=300), max_size=40).map(tuple)


def test_the_block() -> None:
    assert project_block(CONTEXT) == (
        "## Project Context\n"
        "**Project:** P001-fair-use | **This feature:** 001-rate-limits\n"
        "**Project goals:**\n"
        "- Nobody starves.\n"
        "- Limits are known.\n"
        "- Operators can change them.\n"
        "**Feature dependencies:** completed: 007-metrics | in-progress: 008-login | "
        "blocked: 009-billing\n"
        "**Priority signal:** M1: Protection\n"
    )


def test_a_feature_off_the_roadmap_says_so() -> None:
    lonely = replace(CONTEXT, completed=(), in_progress=(), blocked=(), milestone="")
    assert "**Feature dependencies:** none\n" in project_block(lonely)
    assert project_block(lonely).endswith("**Priority signal:** not on roadmap\n")


def test_too_long_it_counts_before_it_drops_goals() -> None:
    """The order of shortening."""
    many = project_block(replace(CONTEXT, completed=MANY))
    assert "**Feature dependencies:** 200 completed, 1 in-progress, 1 blocked\n" in many
    assert many.count("\n- ") == 3
    wordy = replace(CONTEXT, completed=MANY, goals=("x" * 800, "y" * 800, "z" * 800))
    assert project_block(wordy).count("\n- ") == 2
    assert project_block(replace(wordy, goals=("x" * 1990,))).count("\n- ") == 0


@settings(deadline=None)
@given(st.text(), st.text(), NAMES, NAMES, st.text(max_size=5000))
def test_it_never_has_more_than_500_tokens(
    project: str, feature: str, goals: tuple[str, ...], names: tuple[str, ...], milestone: str
) -> None:
    context = ProjectContext(project, feature, goals, names, names, names, milestone)
    assert estimate_tokens(project_block(context)) <= 500


@pytest.mark.parametrize(
    ("prd", "goals"),
    [
        ("# P\n## Goals\n1. One.\n2. Two.\n- Three.\n- Four.\n", ("One.", "Two.", "Three.")),
        ("# P\n## Objectives\nBe fair\nto all.\n## X\n", ("Be fair to all.",)),
        ("# P\n## Problem Statement\nUnfair.\n", ("Unfair.",)),
        ("# P\nNothing here.\n", ()),
        ("", ()),
    ],
)
def test_goals_come_from_the_project_s_prd(prd: str, goals: tuple[str, ...]) -> None:
    assert project_goals(prd) == goals


@pytest.mark.parametrize(
    ("name", "milestone"),
    [("012-search", "M2: Find"), ("011-login", "M1: Enter"), ("12-other", ""), ("013-x", "")],
)
def test_the_milestone_is_the_heading_above(name: str, milestone: str) -> None:
    roadmap = "# Roadmap\n## M1: Enter\n- 011-login\n## M2: Find\n- [ ] `012-search` (soon)\n"
    assert milestone_of(roadmap, name) == milestone


def test_what_has_not_begun_blocks() -> None:
    found = sorted_by_status({"a": "completed", "b": "active", "c": "planned", "d": "abandoned"})
    assert found == (("a",), ("b",), ("c", "d"))


@pytest.fixture
def linked(tmp_path: Path) -> Sample:
    """The sample feature as a part of a project."""
    sample = make_sample(tmp_path)
    repository = sample.around.repository.checkout
    meta = {"project_id": "P001", "depends_on_features": ["007-metrics", "../x", 3]}
    files = {
        f"{FOLDER}/.meta.json": json.dumps(meta),
        "docs/features/007-metrics/.meta.json": '{"status": "completed"}',
        "docs/projects/P001-fair-use/prd.md": "# Fair use\n## Goals\n- Nobody starves.\n",
        "docs/projects/P001-fair-use/roadmap.md": "## M1: Protection\n- 001-rate-limits\n",
    }
    commit_files(repository, files, "a project")
    return sample._replace(first=git(repository, "rev-parse", "HEAD"))


def test_authors_and_tasks_are_told_of_the_project(linked: Sample) -> None:
    """At the start of a stage, and with every task; reviewers are not."""
    author = gather(linked.source("spec-author", "specify", Turn.WRITE))
    assert "**Project:** P001-fair-use | **This feature:** 001-rate-limits" in author.project
    assert "completed: 007-metrics\n" in author.project
    assert "**Priority signal:** M1: Protection" in author.project
    assert author.warnings == ()
    task = gather(linked.source("implementer", "implement", Turn.IMPLEMENT, task="1"))
    names = [one.name for one in compose(task, Way.COMPOSE).segments]
    assert names[:5] == ["rules", "spec", "goals", "project", "role"]
    assert gather(linked.source("spec-reviewer", "specify", Turn.REVIEW)).project == ""


def test_a_missing_folder_warns(linked: Sample) -> None:
    repository = linked.around.repository.checkout
    commit_files(repository, {f"{FOLDER}/.meta.json": '{"project_id": "P009"}'}, "elsewhere")
    moved = linked._replace(first=git(repository, "rev-parse", "HEAD"))
    brief = gather(moved.source("spec-author", "specify", Turn.WRITE))
    assert brief.project == ""
    assert brief.warnings == ("project P009 has no folder in docs/projects: no project context",)


def test_everybody_is_told_that_a_project_is_more_than_a_feature(linked: Sample) -> None:
    """A8, B5: else a reviewer rightly objects to several features in one document."""
    for role, turn in (("prd-author", Turn.WRITE), ("readiness-reviewer", Turn.REVIEW)):
        source = linked.source(role, "brainstorm", turn)
        whole = replace(source.row.feature, flow=PROJECT, number=-1)
        told = gather(replace(source, row=replace(source.row, feature=whole))).project
        assert "a decomposer cuts it into features" in told
        assert gather(source).project.count("cuts it") == 0
