"""Whether a feature's code stands up to the tests that it began with, before a person is asked."""

from __future__ import annotations

from collections.abc import Iterator

from sparing.implement.checks import checks_at, run_on
from sparing.implement.facts import Checked
from sparing.runtime.source import Source
from sparing.workspace.checks.base_tests import (
    TestPaths,
    draw_canary,
    guard_tree,
    is_changed,
    linked_tests,
    module_tests,
    named_folders,
    replaced_assertions,
)
from sparing.workspace.checks.baseline import Baseline, in_short
from sparing.workspace.checks.changes import Changed, Standing, changed
from sparing.workspace.checks.definitions import command_text
from sparing.workspace.checks.discover import Check, find_checks
from sparing.workspace.checks.passed_tests import files_of
from sparing.workspace.checks.run import CheckResult
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.snapshot import Snapshot


def guard_changes(source: Source, checked: Checked) -> tuple[Changed, ...]:
    """What the feature's own tests no longer show, and no person has agreed to.

    Costs one more run of the tests, where they are green and anything but documents has changed.
    """
    row, repository = source.row, source.around.repository
    base, head = (
        Snapshot(repository, row.feature.base_commit),
        Snapshot(repository, source.job.head),
    )
    ran = {one.name for one in checked.results}
    known = checked.known or Baseline()
    tests = _tests_of(base, head, known)
    if checked.red or "test" not in ran or not is_changed(base, head):
        return ()
    if not _has_tests(source, base):
        return ()
    guard = _Guard(source, base, head, known, tests)
    checks = checks_at(source.around, row, head.commit).checks
    wanted = (one for one in checks if one.name == "test")
    found = tuple(one for check in wanted for one in guard.complaints(check))
    return Standing((), found).open(source.job.agreed)


def _has_tests(source: Source, base: Snapshot) -> bool:
    """Whether the base has tests: a repository's first ones can't have been weakened."""
    checks = checks_at(source.around, source.row, base.commit).checks
    return any(one.name == "test" for one in checks)


def _tests_of(base: Snapshot, head: Snapshot, known: Baseline) -> TestPaths:
    """Tests as the base defines them, whatever the feature has made of its command."""
    commands = (command_text(one, base) for one in find_checks(base) if one.name == "test")
    folders = (one for text in commands for one in named_folders(text, base))
    files = (
        files_of(known.names.get("test", ()), base) | linked_tests(base) | module_tests(base, head)
    )
    return TestPaths(files, tuple(dict.fromkeys(folders)))


class _Guard:
    def __init__(
        self, source: Source, base: Snapshot, head: Snapshot, known: Baseline, tests: TestPaths
    ) -> None:
        self._source, self._base, self._head, self._known = source, base, head, known
        self._tests = tests
        self._worktree = source.around.worktree(source.row, head.commit)
        self._canary = draw_canary(base, head, tests)

    def complaints(self, check: Check) -> Iterator[Changed]:
        """Complaints, each made only after a run that shows nothing else, but for those that no
        run can show."""
        for words in replaced_assertions(self._base, self._head):
            yield changed(f"{check.name}: {words}", "")
        if self._canary is None and self._is_as_checked():
            return
        first = self._run(check, self._head, canary=True)
        if first.passed and self._canary and self._would_notice(check):
            yield changed(f"{check.name}: passes even with a test that always fails", "")
        if first.passed or self._only_canary(first):
            return
        again = self._run(check, self._head, canary=False) if self._canary else first
        if names := self._known.news(again):
            words = f"{check.name}: fails the tests from before the feature: {in_short(names)}"
            yield changed(words, "\n".join(names))
        elif (
            again.passed
            and not self._names_canary(first)
            and self._names_canary(self._on_base(check))
        ):
            yield changed(f"{check.name}: does not report a test that always fails", "")

    def _is_as_checked(self) -> bool:
        """Whether the tests of the base are those that have just run."""
        git, commit = self._head.repository.git(), self._head.commit
        return self._tree(self._head, canary=False) == object_id(git, f"{commit}^{{tree}}")

    def _only_canary(self, result: CheckResult) -> bool:
        news, canary = self._known.news(result), self._canary
        if canary is None or not news:
            return False
        return all(canary.mark in name for name in news)

    def _would_notice(self, check: Check) -> bool:
        """Whether its runner notices such a test at all; tried on the base, which is untouched."""
        was_red = check.name in self._known.red
        return not was_red and not self._on_base(check).passed

    def _on_base(self, check: Check) -> CheckResult:
        return self._run(check, self._base, canary=True)

    def _names_canary(self, result: CheckResult) -> bool:
        """Whether the test that always fails is among those that are reported as failed."""
        mark = self._canary.mark if self._canary else ""
        return bool(mark) and any(mark in name for name in self._known.news(result))

    def _run(self, check: Check, code: Snapshot, *, canary: bool) -> CheckResult:
        tree = self._tree(code, canary=canary)
        return run_on(self._source.around, self._source.row, self._worktree, tree, check)

    def _tree(self, code: Snapshot, *, canary: bool) -> str:
        drawn = self._canary if canary else None
        return guard_tree(self._worktree, self._base, code, self._tests, drawn)
