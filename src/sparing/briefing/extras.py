"""What the program adds so that a role need not search: notes, a map, unchanged code.

All of it is read from records and commits; no model is asked. Nothing that a role must know is left
out for it: an aid is added, or says the same in parts that stay unchanged.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing.briefing.fact_sheet import with_sheet
from sparing.briefing.prior_findings import changes_of
from sparing.context.prompt.brief import REVIEWS, Brief, Code, without_aids
from sparing.context.prompt.turn_words import CHECK
from sparing.dispatch_policy import Lever
from sparing.economy.ledger_notes import NotedLook, notes_text
from sparing.economy.repo_map import LARGEST_CHARS, repository_map
from sparing.economy.trim import trimmed
from sparing.finding import Verdict
from sparing.panel import members
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.runtime.levers import levers_of, trims_checks
from sparing.runtime.source import Source
from sparing.turn import TURNS
from sparing.turn_kind import KINDS, TurnKind
from sparing.workspace.git.direct.tree import code_files, list_files, read_files
from sparing.workspace.git.repository import Repository

CONTEXT_LINES = 3
_maps: dict[tuple[str, str], str] = {}


def aided(brief: Brief, source: Source) -> Brief:
    levers = levers_of(source)
    sees = TURNS[source.job.turn].sees_code and brief.asked.kind is not TurnKind.JUDGE
    sees = sees and not (brief.asked.phase and brief.asked.kind is TurnKind.ASSIST)
    if Lever.MAP in levers and sees:
        root = source.around.settings(source.row).workspace.root
        where = (f"{source.folder}/", f"{root}/" if root else "")
        brief = replace(brief, map=map_of(source.around.repository, _base(source), *where))
    if Lever.NOTES in levers and KINDS[brief.asked.kind].remembers:
        brief = replace(brief, notes=_notes(source, brief))
    if Lever.TRUNK in levers and brief.code is not None and brief.asked.kind in REVIEWS:
        brief = replace(brief, code=_grown(source, brief.code))
    if trims_checks(source):
        told = (
            one._replace(text=trimmed(one.text)) if one.name.startswith(CHECK) else one
            for one in brief.materials
        )
        brief = replace(brief, materials=tuple(told))
    return with_sheet(brief, source)


def whole(brief: Brief, source: Source) -> Brief:
    """The brief with the current code in one piece."""
    if brief.code is None or not brief.code.since:
        return brief
    text = _change(source, _base(source), source.job.head)
    return replace(brief, code=replace(brief.code, diff=text, since=()))


def bare(brief: Brief, source: Source) -> Brief:
    """The brief without any aid, as under rules that have none."""
    return without_aids(whole(brief, source))


def _base(source: Source) -> str:
    return source.row.feature.base_commit


def map_of(repository: Repository, commit: str, but: str, only: str = "") -> str:
    """Of the commit a feature began at: the same for all its dispatches."""
    key = (repository.key, f"{commit} {only}")
    if key not in _maps:
        sizes = list_files(repository, commit)
        names = (path for path in sizes if path.startswith(only) and not path.startswith(but))
        wanted = code_files({path: sizes[path] for path in names}, LARGEST_CHARS)
        _maps[key] = repository_map(read_files(repository, commit, wanted))
    return _maps[key]


def _notes(source: Source, brief: Brief) -> str:
    """Notes from the role's own last turn in this loop; empty if it had none."""
    job = source.job
    if job.iteration < 2 and brief.asked.kind is not TurnKind.VALIDATE:
        return ""
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, source.row.feature.key)
    own = [row for row in rows if _is_own(row, source)]
    if not own:
        return ""
    last = own[-1]
    assert last.result is not None
    paths = dict.fromkeys(inner(source, path) for path in last.result.files_read)
    opened = [(path, lines) for path in paths if (lines := _lines(source, path))]
    verdict = _verdict(source) if brief.asked.kind in REVIEWS else None
    said = source.recall(last.result.reply) if verdict is None else _said(verdict)
    return notes_text(NotedLook(max(1, last.attempt.iteration), said, opened))


def _is_own(row: LedgerRow, source: Source) -> bool:
    attempt, result, job = row.attempt, row.result, source.job
    mine = (attempt.stage, attempt.task) == (job.stage, job.task)
    mine = mine and job.role in members(attempt.role)
    return mine and result is not None and not result.failure and bool(result.reply)


def _lines(source: Source, path: str) -> int:
    """Number of lines of a file in the repository; 0 for any other path."""
    text = source.text(path)
    return 0 if text is None else text.count("\n") or 1


def inner(source: Source, path: str) -> str:
    """A path as an agent's tools reported it, relative to the repository."""
    worktree = source.around.folder.worktree(source.row.feature.name)
    found = Path(path)
    return str(found.relative_to(worktree)) if found.is_relative_to(worktree) else path


def _verdict(source: Source) -> Verdict | None:
    own = [row.verdict for row in source.verdicts() if row.verdict.role == source.job.role]
    return own[-1] if own else None


def _said(verdict: Verdict) -> str:
    seen = [f"- seen: {one}" for one in verdict.verified]
    sought = [f"- looked for and not found: {one}" for one in verdict.missing]
    return "\n".join([verdict.summary, *seen, *sought])


def _grown(source: Source, code: Code) -> Code:
    """The code as it was first reviewed, and what came after it, round by round."""
    first, *later = _rounds(source)
    if not later or not code.diff:
        return code
    text = _change(source, _base(source), first)
    pairs = zip((first, *later), later, strict=False)
    since = tuple(one for old, new in pairs if (one := _change(source, old, new)))
    return replace(code, diff=text, since=since) if text else code


def _rounds(source: Source) -> list[str]:
    """The commits that this loop's rounds reviewed, the current one last."""
    found: list[str] = []
    looked: set[tuple[str, int]] = set()
    for row in source.verdicts():
        look = (row.verdict.role, row.iteration)
        if row.iteration >= source.job.iteration or not source.knows(row.commit):
            continue
        if look in looked:  # the stage was begun anew
            found, looked = [], set()
        looked.add(look)
        found.append(row.commit)
    return list(dict.fromkeys((*found, source.job.head)))


def _change(source: Source, old: str, new: str) -> str:
    """The change as reviewers of that commit were shown it."""
    return changes_of(replace(source, job=replace(source.job, head=new)), old, CONTEXT_LINES)
