"""Golden files: every prompt as a person can read it.

Covers: B1, B2, B3, B5, C4, C8, C10, F1
"""

from __future__ import annotations

import re

from scripts.golden import FOLDER
from sparing.flow.flows import FEATURE, FLOWS
from sparing.flow.stage import StageWork
from sparing.prompts.render import names
from tests.briefing.cases import Prompt, page

REPAIR = "read what changed, then: python -m scripts.golden"


def test_every_prompt_is_what_its_golden_file_shows(rendered: dict[str, Prompt]) -> None:
    kept = {file.stem: file.read_text("utf-8") for file in FOLDER.glob("*.txt")}
    now = {name: page(prompt) for name, prompt in rendered.items()}
    assert sorted(now) == sorted(kept), REPAIR
    assert [name for name in now if now[name] != kept[name]] == [], REPAIR


def test_every_role_has_one(rendered: dict[str, Prompt]) -> None:
    """B5"""
    assert {prompt.case.role for prompt in rendered.values()} == set(names("roles"))


def test_every_reviewer_has_one_for_each_stage_iteration_and_way(
    rendered: dict[str, Prompt],
) -> None:
    found = {(p.case.role, p.case.stage, p.case.iteration, p.way.value) for p in rendered.values()}
    wanted = {
        (role, stage.name, iteration, way)
        for stage in FEATURE.stages
        for group in stage.reviewers
        for role in group
        for iteration, way in (
            ("1", "compose"), ("1", "reference"), ("1", "fork"), ("2", "compose"),
            ("2", "reference"), ("2", "resume"),
        )
        if not (way == "resume" and stage.name == "brainstorm")
    }  # fmt: skip
    assert wanted - found == set()


def test_every_stage_of_the_longest_tier_has_one(rendered: dict[str, Prompt]) -> None:
    """A2, F1: except the one that the program does itself."""
    stages = {stage.name for stage in FLOWS["L3"].stages if stage.work is not StageWork.CHECK}
    assert {p.case.stage for p in rendered.values() if p.case.flow == "L3"} == stages


def test_a_page_shows_borders_sizes_hashes_and_marks(rendered: dict[str, Prompt]) -> None:
    shown = page(rendered["spec-reviewer-specify-1-compose-nested"])
    rows = re.findall(r"^── (\d+ \w+) · ([\d,]+) characters.* · ([0-9a-f]{12})", shown, re.M)
    segments = rendered["spec-reviewer-specify-1-compose-nested"].segments
    assert rows == [
        (f"{n} {one.name}", f"{len(one.text):,}", one.digest[:12])
        for n, one in enumerate(segments, 1)
    ]
    assert shown.count("══ cached up to here") == 1
    assert shown.index("══ cached up to here") < shown.index("── 4 role")
