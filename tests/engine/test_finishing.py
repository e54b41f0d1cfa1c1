"""The end of a feature as a person sees it: one run, from unfinished tasks to a branch to merge.

Covers: D6, D7, D8, H1
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.guard import Guard
from tests.repositories import git, make_repository, write_files
from tests.terminal import Said, sparing

pytestmark = pytest.mark.long

SCRIPT = '''
[[turn]]
role = "prd-author"
reply = "written"
[[turn.edit]]
path = "{folder}/prd.md"
text = """# PRD: paging
## Problem Statement
Lists are long, and whoever reads them waits for all of it. — Evidence: README.md.
## Goals
1. Pages with cursors.
"""
[[turn.edit]]
path = "{folder}/tasks.md"
text = """# Tasks
### Task 1.1: Cursors
- [x] a cursor
### Task 1.2: Pages
- [x] a page
- [ ] its test
"""
[[turn.edit]]
path = "{folder}/implementation-log.md"
text = """# Implementation Log
## Task 1.1: Cursors
- **Decisions:** opaque cursors
- **Deviations:** no page numbers
"""

[[turn]]
role = "retro-facilitator"
prompt = "could not be read"
reply = """{"retro_md": "# Retro of paging", "entries": [
  {"kind": "pattern", "name": "Opaque cursors", "text": "Not parsed.", "provenance": "1.1"}],
 "judgements": [
  {"name": "Cursors for long lists", "judgement": "confirmed", "words": "task 1.1"},
  {"name": "Old and wrong", "judgement": "retire", "words": "nobody does it"},
  {"name": "Pages have numbers", "judgement": "contradicted", "words": "cursors had none"}]}"""

[[turn]]
role = "retro-facilitator"
reply = "All went well."

[[turn]]
role = "*"
reply = '{"approved": true, "findings": [], "summary": "Complete. No external claims."}'
'''
OLD = b"### Broken by hand \xff\n- Observation count: lots\n"
HEURISTICS = b"""# Heuristics

### Cursors for long lists
Offsets repeat rows while others write.
- Source: Feature #003
- Last observed: Feature #011
- Observation count: 1

### Pages have numbers
People ask for them.
- Last observed: Feature #012

### Old and wrong
Count first.
- Source: Feature #001
- Last observed: Feature #001

"""
FOLDER = "docs/features/013-paging-with-cursors"
BANK = "docs/knowledge-bank/heuristics.md"
BRANCH = "feature/013-paging-with-cursors"


class Story(NamedTuple):
    path: Path
    asked: Said
    made: Said
    """Until the last gate."""
    gate: Said
    """As it is shown there."""
    ended: Said
    shown: dict[str, Any]
    changes: list[str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("finish")
    metas = {
        f"docs/features/{n:03}-old/.meta.json": json.dumps({"created": f"2025-01-{n:02}T08:00:00Z"})
        for n in range(1, 13)
    }
    path = make_repository(
        folder / "gate", {"README.md": "# Gate\n", **metas, BANK: HEURISTICS + OLD}
    )
    write_files(folder, {"script.toml": SCRIPT})
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "SPARING_FLOW__ASSISTANTS": "retro-facilitator",
    }
    guard = Guard()
    guard.watch(path)
    assert sparing(path, "start", "Paging with cursors", environ=environ).code == 0
    assert sparing(path, "run", "--no-input", environ=environ).code == 2
    assert sparing(path, "skip", "13", "finish", environ=environ).code == 0
    asked = sparing(path, "run", "--no-input", environ=environ)
    assert sparing(path, "approve", "13", environ=environ).code == 0
    made = sparing(path, "run", "--no-input", environ=environ)
    assert made.code == 2, made.err
    gate = sparing(path, "show", "13", environ=environ)
    assert sparing(path, "approve", "13", environ=environ).code == 0
    ended = sparing(path, "run", "--no-input", environ=environ)
    shown = sparing(path, "show", "13", "--json", environ=environ).json
    return Story(path, asked, made, gate, ended, shown, guard.changes())


def test_unfinished_tasks_are_asked_about(story: Story) -> None:
    """D6: also where nobody can be asked, that stops; an approval goes on and is recorded."""
    words = "1 task is not finished: task 1.2, Pages, has 1 of 2 boxes open"
    assert story.asked.code == 2
    assert words in story.asked.err
    assert story.ended.code == 0, story.ended.err
    assert "Left open:\n- task 1.2, Pages, has 1 of 2 boxes open\n" in story.shown["ending"]["body"]


def test_the_checkout_is_untouched_and_every_commit_reachable(story: Story) -> None:
    """D6, H1: only what no longer has to lie in the last commit is gone from it."""
    assert story.changes == []
    meta = json.loads(git(story.path, "show", f"{BRANCH}:{FOLDER}/.meta.json"))
    assert meta["status"] == "completed"
    last = git(story.path, "ls-tree", "-r", "--name-only", BRANCH, FOLDER).split()
    assert f"{FOLDER}/retro.md" in last
    assert not [name for name in last if name.endswith((".review-history.md", "-log.md"))]
    subjects = git(story.path, "log", "--format=%s", "--reverse", f"main..{BRANCH}").splitlines()
    assert [one for one in subjects if not one.startswith("Record ")] == [
        "Write prd.md (013)",
        "Complete the brainstorm stage (013)",
        "Add the retrospective (013)",
        "Complete the feature (013)",
    ]
    assert "opaque cursors" in git(story.path, "show", f"{BRANCH}~1:{FOLDER}/implementation-log.md")
    assert "prd-reviewer" in git(story.path, "show", f"{BRANCH}~1:{FOLDER}/.review-history.md")


def test_the_hand_over_says_what_was_done_and_what_it_cost(story: Story) -> None:
    """D6: what changed, decisions, deviations, review result, cost with its word."""
    body = story.shown["ending"]["body"]
    assert "- docs/knowledge-bank/heuristics.md (+" in body
    assert "Decisions:\n- 1.1: opaque cursors\n" in body
    assert "Deviations:\n- 1.1: no page numbers\n" in body
    assert "- brainstorm: 1 round, nothing open\n" in body
    assert "\nCost: $0." in body
    assert "(simulated), " in body


def test_the_bank_after_the_retrospective(story: Story) -> None:
    """D7, D8: judged entries change, and no other byte, not even one that is no text."""
    shown = git(story.path, "show", f"{BRANCH}:{BANK}")
    data = shown.encode("utf-8", "surrogateescape")
    kept = HEURISTICS[: HEURISTICS.index(b"### Old and wrong")] + OLD.rstrip()
    confirmed = kept.replace(b"Feature #011", b"Feature #013").replace(b"count: 1", b"count: 2")
    doubt = "- Challenged: Feature #013 — cursors had none\n".encode()
    assert data == confirmed.replace(b"Feature #012\n", b"Feature #012\n" + doubt)
    patterns = git(story.path, "show", f"{BRANCH}:docs/knowledge-bank/patterns.md")
    assert "- Used in: Feature #013, 1.1\n" in patterns
    retro = git(story.path, "show", f"{BRANCH}:{FOLDER}/retro.md")
    assert retro.startswith("# Retro of paging\n\n## Knowledge bank\n")
    assert "- retired, heuristic: Old and wrong — nobody does it\n  > Count first.\n" in retro
    assert "- could not be read and stays as it is, heuristics.md, line 18: Broken" in retro


def test_the_first_time_every_change_is_shown(story: Story) -> None:
    """D8"""
    assert "lessons: 1 stale, 1 confirmed, 1 retired, 1 contradicted, 1 new\n" in story.made.err
    assert "\n      confirmed, heuristic: Cursors for long lists\n" in story.made.err
    assert "the first in this repository: look at them before you merge\n" in story.made.err


def test_the_last_gate_shows_what_becomes_of_the_bank(story: Story) -> None:
    """D7, D8: entries that are new, rewritten or gone, before they count for everybody."""
    told = [one.strip() for one in story.gate.out.splitlines() if "lesson, " in one]
    assert told == [
        "lesson, retired heuristic 'Old and wrong': nobody does it",
        "lesson, new pattern 'Opaque cursors': Not parsed.",
    ]


def test_what_was_given_to_whom_can_be_judged(story: Story) -> None:
    """D8: an entry about the feature goes into every prompt of its readers, and is recorded."""
    given = {one["title"]: one for one in story.shown["ending"]["given"]}
    cursors = given["Cursors for long lists"]
    assert cursors["judged"] == "confirmed"
    assert cursors["to"] == [
        "prd-author (brainstorm)",
        "prd-reviewer (brainstorm)",
        "readiness-reviewer (brainstorm)",
    ]
