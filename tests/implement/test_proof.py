"""The program's own look at a task, in real git: what changed, what is claimed, what is checked.

Covers: D1, D4, D5, H3, H7
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.config.sources import sources_here
from sparing.errors import FeatureError
from sparing.implement.evidence import refuse_outside
from sparing.implement.task_list import list_all
from sparing.implement.task_proof import leave_tests_out, look_at, weigh_help, write_down
from sparing.job import Job, JobKind, JobResult, Ticket
from sparing.records import events, features
from sparing.records.features import FeatureRow
from sparing.records.folder import open_folder
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.task import Task
from sparing.task_progress import TaskProgress, TaskResult
from sparing.workspace.git.commit import changed_paths, commit_paths
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.repository import find_repository
from tests.records.rows import feature_row
from tests.repositories import git, make_repository, write_files

MAKE = (
    "test:\n\t@test ! -f broken.txt || { echo 'FAIL: test_whole (tests.T)'; exit 1; }\n"
    "\t@test ! -f tests/test_deep.py || { echo 'FAIL: test_deep_promise (tests.T)'; exit 1; }\n"
)
TASKS = """# Tasks

### Task 1: One
- **Depends on**: Task 2
- **Files**: one.txt
- **Done when**: `echo trusted` has run and `sh -c "echo stranger"` too

### Task 2: Two
- **Depends on**: Task 1
- **Files**: two.txt
"""
NOON = 1_700_000_000.0


class Work(NamedTuple):
    around: Surroundings
    row: FeatureRow
    head: str

    @property
    def path(self) -> Path:
        return self.around.worktree(self.row, self.head).path

    def made(self, files: Mapping[str, str]) -> str:
        """What an agent left, committed."""
        write_files(self.path, files)
        worktree = self.around.worktree(self.row, self.head)
        paths = changed_paths(worktree, self.head)
        return commit_paths(
            worktree, self.head, paths, CommitStamp("made", "run", "made", NOON)
        ).commit

    def source(self, kind: JobKind, head: str, **building: Any) -> tuple[Source, Ticket]:
        job = Job(kind, "implement", head, kind.value, building=TaskProgress(**building))
        key = self.row.feature.key
        return Source(self.around, self.row, job, None), Ticket(f"{key}.g0.1.9.0-x", key, NOON)

    def look(self, head: str, reply: str, since: str = "") -> JobResult:
        part = TaskResult("1", head, self.around.folder.keep(reply))
        given = {"since": since or self.head, "parts": (part,)}
        return look_at(*self.source(JobKind.PROVE, head, **given))

    def text(self, commit: str, path: str) -> str:
        return git(Path(self.row.feature.repository), "show", f"{commit}:{path}")

    def has(self, commit: str, path: str) -> bool:
        names = git(Path(self.row.feature.repository), "ls-tree", "-r", "--name-only", commit)
        return path in names.splitlines()

    def log(self, commit: str) -> str:
        return self.text(commit, f"{self.around.feature_folder(self.row)}/implementation-log.md")

    def printed(self, text: str) -> bool:
        """Whether a check has printed exactly this: all that one prints is kept."""
        return self.around.folder.blob(hashlib.sha256(text.encode()).hexdigest()).is_file()

    def warnings(self) -> list[str]:
        with self.around.database.read() as connection:
            found = events.since(connection, 0, self.row.feature.key)
        return [one.text for one in found if one.kind == "warning"]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    repository = make_repository(tmp_path / "r", {"Makefile": MAKE, "old.txt": "old\n"})
    base = git(repository, "rev-parse", "HEAD")
    folder = open_folder(tmp_path / "state", "r")
    around = Surroundings(
        folder, folder.database(), find_repository(repository), sources_here(None), headless=True,
        environ={"PATH": "/usr/local/bin:/usr/bin:/bin"},
    )  # fmt: skip
    row = feature_row(1, "Write files", str(repository))
    row = replace(
        row, feature=replace(row.feature, flow="feature", base_commit=base),
        overrides={"workspace.commands": ["echo trusted"]},
    )  # fmt: skip
    with around.database.write() as tx:
        features.create(tx, row)
    begun = Work(around, row, base)
    documents = begun.made({f"{around.feature_folder(row)}/tasks.md": TASKS})
    return begun._replace(head=documents)


def test_a_task_whose_file_changed_and_whose_checks_are_green_is_done(work: Work) -> None:
    """D1, D4, H3, H7: noted in the log as git knows it; a command runs if it is trusted."""
    head = work.made({"one.txt": "1"})
    found = work.look(head, "## Decisions\n- plain text\n## Concerns\nnone\n")
    assert (found.passed, found.changed, found.failure) == (True, True, "")
    assert work.log(found.commit) == (
        "# Implementation Log\n\n## Task 1: One\n- **Files changed:** one.txt\n"
        "- **Decisions:** plain text\n- **Deviations:** none\n- **Concerns:** none\n\n"
        "## Totals\n- files changed by the tasks: 1 (+1 -0)\n"
        "- done: 1; skipped: none; blocked: none"
    )
    assert work.printed("trusted\n")
    assert not work.printed("stranger\n")
    assert work.warnings() == []
    again = work.look(head, "## Decisions\n- plain text\n## Concerns\nnone\n")
    assert again == found


def test_another_file_than_the_one_it_names_is_no_proof(work: Work) -> None:
    """D1: until a person has put it right."""
    head = work.made({"else.txt": "1"})
    found = work.look(head, "## Implemented\nall of it\n")
    assert (found.passed, found.detail) == (
        False, "it names one.txt, but none of these changed",
    )  # fmt: skip
    edited = work._replace(head=head).made({"one.txt": "by a person"})
    part = TaskResult("1", head, "")
    asked = work.source(JobKind.PROVE, edited, since=work.head, parts=(part,))
    assert look_at(*asked).passed


def test_red_checks_are_no_proof_and_go_back_to_whoever_made_them_red(work: Work) -> None:
    """D1"""
    found = work.look(work.made({"one.txt": "1", "broken.txt": "x"}), "all green, I promise")
    assert (found.passed, found.red) == (False, True)
    assert found.detail.startswith("checks are red: test")
    assert "test_whole" in work.around.folder.fetch(found.reply)


def test_already_complete_is_a_claim(work: Work) -> None:
    """D1: looked up in the files and the checks."""
    absent = work.look(work.head, "already complete", since=work.head)
    assert (absent.passed, absent.detail) == (
        False, "it is reported as complete, but one.txt does not exist",
    )  # fmt: skip
    head = work.made({"one.txt": "1"})
    silent = work.look(head, "", since=head)
    assert (
        silent.detail
        == "nothing was changed, and the report does not say that it was already complete"
    )
    found = work.look(head, "already complete: one.txt and its test", since=head)
    assert (found.passed, found.changed) == (True, False)
    assert "- **Files changed:** none" in work.log(found.commit)


def test_an_empty_report_is_told_and_its_entry_says_none(work: Work) -> None:
    """D4"""
    found = work.look(work.made({"one.txt": "1"}), "")
    assert work.warnings() == ["the report on task 1 is empty"]
    assert work.log(found.commit).count(": none") + work.log(found.commit).count("none\n") >= 3
    assert "- **Concerns:** none" in work.log(found.commit)


def test_a_task_that_is_gone_from_the_document_is_said_so(work: Work) -> None:
    head = work.made({f"{work.around.feature_folder(work.row)}/tasks.md": "### Task 2: Two\n"})
    with pytest.raises(FeatureError, match="tasks.md no longer has a task 1"):
        work.look(head, "")


def test_a_task_that_is_left_out_leaves_no_half_of_it(work: Work) -> None:
    """D4: what it changed is put back, stays in the history, and the log says why."""
    head = work.made({"one.txt": "1", "old.txt": "new\n", "broken.txt": "x"})
    given = {
        "since": work.head, "skipped": (("1", "it is broken"),), "blocked": ("2",),
        "waves": (("1",), ("2",)),
    }  # fmt: skip
    asked = work.source(JobKind.NOTE, head, **given)
    write_files(work.path, {"mine.txt": "a person was at work here"})
    found = write_down(*asked)
    assert found == write_down(*asked)
    assert git(work.path, "diff", "--name-only", work.head, found.commit).splitlines() == [
        "docs/features/001-write-files/.meta.json",
        "docs/features/001-write-files/implementation-log.md",
    ]
    assert (work.path / "old.txt").read_text() == "old\n"
    assert not (work.path / "broken.txt").exists()
    log = work.log(found.commit)
    assert "- **Concerns:** left out: it is broken" in log
    assert "## Task 2: Two" in log
    assert "- done: none; skipped: 1; blocked: 2" in log
    assert git(work.path, "merge-base", head, found.commit) == head
    kept = git(work.path, "for-each-ref", "--format=%(objectname)", "refs/sparing/salvage")
    assert any(work.has(one, "mine.txt") for one in kept.splitlines())


def test_what_turns_them_red_is_put_back(work: Work) -> None:
    """D5: and told; what leaves them green stays."""
    plain = work.made({"old.txt": "plain\n"})
    asked = work.source(JobKind.TRIAL, plain, since=work.head, helper="code-simplifier")
    assert weigh_help(*asked) == JobResult(commit=plain)
    worse = work._replace(head=plain)
    head = worse.made({"old.txt": "worse\n", "broken.txt": "x"})
    asked = work.source(JobKind.TRIAL, head, since=plain, helper="code-simplifier")
    found = weigh_help(*asked)
    assert git(work.path, "diff", "--name-only", plain, found.commit) == ""
    assert (work.path / "old.txt").read_text() == "plain\n"
    (told,) = work.warnings()
    assert told.startswith("what code-simplifier changed is put back: checks are red: test")
    assert weigh_help(*asked).commit == found.commit


def test_what_a_failed_helper_left_is_put_away(work: Work) -> None:
    write_files(work.path, {"half.txt": "x"})
    asked = work.source(JobKind.TRIAL, work.head, since=work.head, helper="code-simplifier")
    assert weigh_help(*asked) == JobResult(commit=work.head)
    assert not (work.path / "half.txt").exists()
    kept = git(work.path, "for-each-ref", "--format=%(objectname)", "refs/sparing/salvage")
    assert work.text(kept, "half.txt") == "x"


def test_tests_that_the_code_does_not_meet_are_left_out_and_noted(work: Work) -> None:
    """D5: only those that fail; the others stay, and so does the code."""
    tests = {
        "tests/test_deep.py": "def test_deep_promise(): ...\n",
        "tests/test_other.py": "def test_other(): ...\n",
    }
    head = work.made(tests)
    asked = work.source(JobKind.ACCEPT, head, tests=(work.head, head))
    found = leave_tests_out(*asked)
    changed = git(work.path, "diff", "--name-only", head, found.commit).splitlines()
    assert [Path(one).name for one in changed] == [
        ".meta.json", "implementation-log.md", "test_deep.py",
    ]  # fmt: skip
    assert "## Divergences accepted\n- test_deep_promise (tests.T)" in work.log(found.commit)
    assert leave_tests_out(*asked).commit == found.commit
    assert (work.path / "tests/test_other.py").exists()


def test_tasks_that_wait_for_each_other_are_told(work: Work) -> None:
    """D2: they are done in the order of the document."""
    found = list_all(*work.source(JobKind.TASKS, work.head))
    assert found.waves == (("1",), ("2",))
    assert found.waits == (("2", ("1",)),)
    (told,) = work.warnings()
    assert told.startswith("tasks 1 depend on each other")


def test_a_file_outside_of_the_repository_stops_before_anybody_is_paid(work: Work) -> None:
    """H4"""
    source, _ = work.source(JobKind.TASKS, work.head)
    for name in ("../other/x.py", "/etc/hosts", "~/.profile", "a/../../x"):
        with pytest.raises(FeatureError, match="outside the repository"):
            refuse_outside(source, [Task("1", "One", "", 1, files=(name,))])
    refuse_outside(source, [Task("1", "One", "", 1, files=("a/../x.py", "src/"))])
