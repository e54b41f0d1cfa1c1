"""The checks of a stage: the repository's own, in the worktree, and what they print as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparing.briefing.gather import read_tasks
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature
from sparing.errors import SparingError
from sparing.event import ChecksEvent
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.implement.checks import changes_to_approve, extra_checks, run_checks, tell_checks
from sparing.implement.evidence import known_of
from sparing.implement.facts import Checked, sheet, unproven_tasks, verification
from sparing.implement.weakened_tests import guard_changes
from sparing.job import JobResult, Ticket
from sparing.provision.worktree_setup import outfit
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.changes import Changed
from sparing.workspace.project.paths import Confined
from sparing.workspace.project.sparse_checkout import read_cone

CHECKED = frozenset({StageWork.IMPLEMENT, StageWork.BUILD, StageWork.CHECK})


def check_stage(source: Source, ticket: Ticket) -> JobResult:
    around, row, job = source.around, source.row, source.job
    note = outfit(around, row, around.worktree(row, job.head), ticket, job)
    extra = extra_checks(source)
    last = _is_last(source)
    results = run_checks(around, row, job.head, extra.trusted, whole=last, last=last)
    checked = _with_all_files(source, Checked(results, known_of(source)), last=last)
    names = ", ".join(one.name for one in checked.red)
    asks = (*changes_to_approve(source, checked), *guard_changes(source, checked))
    with around.database.write() as tx:
        data = {one.name: one not in checked.red for one in results}
        data |= {"changed checks": False} if asks else {}
        tell(tx, ticket, job, ChecksEvent(data), text=_told(checked, asks))
        tell_checks(tx, ticket, source, results, extra)
    said = around.folder.keep_json([[r.name, r.command, r.output] for r in checked.red])
    detail = f"checks are red: {names}" + (f"; {note}" if note else "") if names else ""
    open_questions = tuple((one.words, one.key) for one in asks)
    result = JobResult(passed=not names, reply=said, detail=detail, asks=open_questions)
    if source.stage.work is StageWork.IMPLEMENT:
        return _with_facts(source, checked, result)
    if source.stage.work is not StageWork.CHECK or source.stage.writes is None:
        return result  # what a builder wrote stays as it is
    return replace(result, commit=_written(source, ticket, verification(source, checked, detail)))


def _with_all_files(source: Source, checked: Checked, *, last: bool) -> Checked:
    """What is red at the end with all files, and was green before with a part of them, may have
    been red with all of them: then it is not the feature's doing."""
    around, row, head = source.around, source.row, source.job.head
    if not last or not checked.red or not read_cone(around.worktree(row, head).git_dir):
        return checked
    before = run_checks(around, row, head, (), row.feature.base_commit, whole=True, last=True)
    return checked._replace(known=Baseline.of(before))


def _is_last(source: Source) -> bool:
    """Whether no later stage runs checks: then the whole repository's checks run too."""
    stages = FLOWS[source.row.feature.flow].stages
    names = [one.name for one in stages]
    later = stages[names.index(source.stage.name) + 1 :] if source.stage.name in names else ()
    return not any(one.work in CHECKED for one in later)


def _written(source: Source, ticket: Ticket, text: str) -> str:
    """What a stage leaves whose work is to verify, whatever the checks say."""
    assert source.stage.writes is not None
    path, head = source.path(source.stage.writes), source.job.head
    worktree = source.around.worktree(source.row, head)
    Confined(worktree.path).write_text(path, text)
    why = Purpose("docs", "record the results of the checks")
    return commit_feature(source, ticket, worktree, (path,), why).commit


def _with_facts(source: Source, checked: Checked, result: JobResult) -> JobResult:
    """The result with the fact sheet for reviewers, and with claims that were not confirmed."""
    try:
        unproven = unproven_tasks(source, read_tasks(source))
    except SparingError:  # a stage without readable tasks has claimed nothing
        unproven = ()
    facts = source.around.folder.keep(sheet(checked, unproven))
    return replace(result, facts=facts, unproven=unproven)


def _told(checked: Checked, asks: Sequence[Changed]) -> str:
    if checked.red:
        return f"red: {', '.join(one.name for one in checked.red)}"
    if asks:
        return f"red until you approve: {'; '.join(one.words for one in asks)}"
    if not checked.results:
        return "none found"
    old = sum(not one.passed for one in checked.results)
    green = f"{len(checked.results) - old} green"
    return f"{green}, {old} red as before" if old else green
