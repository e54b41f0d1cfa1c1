"""Which tasks are not finished, and what a hand-over says. Covers: D6."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing.ending import Ending
from sparing.finish.handover_text import MOST_FILES, body_of
from sparing.finish.unfinished_tasks import unfinished_tasks
from sparing.flow.advance import begin
from sparing.records.findings import FindingRow, put_findings
from sparing.runtime.source import Source
from sparing.stages.place import Mark, Place
from sparing.task_progress import TaskProgress
from sparing.turn import Turn
from tests.briefing.sample import FOLDER, Sample, make_sample
from tests.repositories import commit_files, git

TITLES = (("1", "Count requests"), ("2", "Refuse above the limit"))


def place_of(building: TaskProgress, done: int = 0) -> Place:
    state = begin("feature", "finish")
    return Place(state, "c0", tasks=TITLES, task=done, building=building)


def source_of(sample: Sample) -> Source:
    return sample.source("implementer", "finish", Turn.NONE)


def test_a_task_that_the_program_saw_done_is_done(sample: Sample) -> None:
    """D6: also of a row from before tasks were followed one by one."""
    waves = (("1",), ("2",))
    source = source_of(sample)
    assert unfinished_tasks(source, place_of(TaskProgress(waves, done=("1", "2")))) == ()
    assert unfinished_tasks(source, place_of(TaskProgress(), done=2)) == ()
    (only,) = unfinished_tasks(source, place_of(TaskProgress(waves, done=("1",))))
    assert only == "task 2, Refuse above the limit, was not begun"


def test_a_task_left_out_and_what_waits_for_it(sample: Sample) -> None:
    """D6: skipped or blocked."""
    building = TaskProgress((("1",), ("2",)), skipped=(("1", "checks stay red"),), blocked=("2",))
    assert unfinished_tasks(source_of(sample), place_of(building)) == (
        "task 1, Count requests, was left out (checks stay red)",
        "task 2, Refuse above the limit, waits for one that was left out",
    )


def test_without_a_record_their_own_boxes_tell(tmp_path: Path) -> None:
    """D6: of tasks that a person did, or another program."""
    own = make_sample(tmp_path)
    checkout = own.around.repository.checkout

    def with_tasks(text: str) -> tuple[str, ...]:
        commit_files(checkout, {f"{FOLDER}/tasks.md": text}, "by hand")
        moved = own._replace(first=git(checkout, "rev-parse", "HEAD"))
        return unfinished_tasks(source_of(moved), Place(begin("feature", "finish"), "c0"))

    assert with_tasks("# Tasks\n- [x] 1.1 One\n- [ ] 1.2 Two\n") == (
        "task 1.2, Two, has 1 of 1 boxes open",
    )
    assert with_tasks("# Tasks\n### Task 1: One\n- [X] a\n- [x] b\n") == ()
    assert with_tasks("# No tasks at all\n") == ()


def test_a_hand_over_is_short_whatever_models_wrote(tmp_path: Path) -> None:
    """D6: files are counted, words stay on one line, what is open is named."""
    own = make_sample(tmp_path)
    checkout = own.around.repository.checkout
    log = "# Implementation Log\n## Task 1: One\n- **Decisions:** " + "long " * 100 + "\n"
    files = {f"made/{n:03}.txt": "x\n" for n in range(MOST_FILES + 5)}
    commit_files(checkout, {**files, f"{FOLDER}/implementation-log.md": log}, "much")
    moved = own._replace(first=git(checkout, "rev-parse", "HEAD"))
    mark = Mark(1.0, 2.0, 3, cap_reached=True, notes=("F1: a\nlimit",))
    marks = {"specify": mark, "implement": Mark(2.0, 3.0, 1), "finish": Mark(3.0)}
    place = Place(begin("feature", "finish"), "c0", marks=marks)
    place = replace(place, ending=Ending(unfinished=("task 2 was left out",)))
    source = source_of(moved)
    left = FindingRow(source.row.feature.key, "implement", "F9", "r", 1, 1, "new", '{"id": "F9"}')
    with moved.around.database.write() as tx:
        put_findings(tx, [left])
    body = body_of(moved.around, source.row, replace(source.job, place=place.dump()))
    assert "- implement: 1 round, 1 finding not taken up\n" in body.text
    assert body.text.startswith(f"What changed: {MOST_FILES + 6} files, +")
    assert "\n- and 6 more\n\nLeft open:\n- task 2 was left out\n" in body.text
    assert "- specify: 3 rounds, ended at the cap, open: F1: a limit\n" in body.text
    assert max(len(line) for line in body.text.splitlines()) < 320
    assert "\nChecks: not run\nDocuments: docs/features/001-rate-limits\n" in body.text
    assert body.whole == f"{body.text}\nCost: {body.cost}\n"


def test_a_hand_over_of_documents_alone_counts_no_files(sample: Sample) -> None:
    """D6, K8: as of a project, whose roadmap is all that was made."""
    source = source_of(sample)
    feature = replace(source.row.feature, base_commit=source.job.head)
    row, place = replace(source.row, feature=feature), Place(begin("feature", "finish"), "c0")
    body = body_of(sample.around, row, replace(source.job, place=place.dump()))
    assert body.text.startswith("What changed: nothing but the documents\n")
