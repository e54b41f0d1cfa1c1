"""Whether the base branch has moved since a feature began, and what in the feature that affects.

Shown at every gate: the person approving should know that the code below has changed. Reads only;
no merge is attempted here. If a branch follows a remote one, the later of the two counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.desk.office import Office, settings_of
from sparing.errors import SparingError
from sparing.records.features import FeatureRow
from sparing.upstream.fetched_base import newest_base
from sparing.workspace.git.commit import changed_files, read_file
from sparing.workspace.git.repository import common_ancestor, contains

MOST_NAMES = 5
DOCUMENTS = (ArtifactName.SPEC, ArtifactName.DESIGN, ArtifactName.PLAN)


class BaseMove(NamedTuple):
    branch: str
    """Name for display: `main`, or `origin/main` if that is ahead."""
    tip: str
    commits: int
    files: tuple[str, ...]
    """Files changed in the base since the feature began."""
    both: tuple[str, ...]
    """Those among them that the feature changes, too."""
    tasks: tuple[str, ...]
    """Numbers of tasks that name one of them."""
    sections: tuple[tuple[str, str], ...]
    """Document and heading of sections that name one of them."""
    rewritten: bool = False
    """True if the base no longer contains the commit that the feature began with."""


def base_move(office: Office, row: FeatureRow) -> BaseMove | None:
    """None if the branch has not moved, or is in the feature already."""
    feature, repo = row.feature, office.repository
    found = newest_base(repo, feature.base_branch)
    if found is None or found.commit == feature.base_commit:
        return None
    tip = found.commit
    if contains(repo, row.head, tip):
        return None
    old = feature.base_commit
    rewritten = not contains(repo, tip, old)
    old = common_ancestor(repo, old, tip) if rewritten else old
    count = int(repo.git().text("rev-list", "--count", f"{old}..{tip}").strip())
    there = tuple(sorted({one.path for one in changed_files(repo, old, tip)}))
    here = {one.path for one in changed_files(repo, feature.base_commit, row.head)}
    return BaseMove(
        branch=found.name, tip=tip, commits=count, files=there,
        both=tuple(path for path in there if path in here),
        tasks=_tasks(office, row, there), sections=_sections(office, row, there),
        rewritten=rewritten,
    )  # fmt: skip


def _document(office: Office, row: FeatureRow, name: ArtifactName) -> str:
    path = f"{settings_of(office, row).flow.folder_of(row.feature)}/{name.filename}"
    return (read_file(office.repository, row.head, path) or b"").decode("utf-8", "replace")


def _tasks(office: Office, row: FeatureRow, changed: tuple[str, ...]) -> tuple[str, ...]:
    from sparing.context.documents.tasks import parse_tasks
    from sparing.implement.facts import touched

    text = _document(office, row, ArtifactName.TASKS)
    try:
        tasks = parse_tasks(text, row.feature.id) if text.strip() else ()
    except SparingError:  # a document that can't be read names nothing
        return ()
    return tuple(one.number for one in tasks if any(touched(name, changed) for name in one.files))


def _sections(
    office: Office, row: FeatureRow, changed: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    from sparing.context.links.section_files import sections_naming

    return tuple(
        (name.filename, heading)
        for name in DOCUMENTS
        for heading in sections_naming(_document(office, row, name), changed)
    )


def moved_base_notes(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """A few lines; empty if the branch has not moved."""
    found = base_move(office, row)
    if found is None:
        return ()
    return (*move_words(row, found), f"to bring it in: sparing sync {row.feature.id}")


def move_words(row: FeatureRow, found: BaseMove) -> tuple[str, ...]:
    commits = f"{found.commits} commit{'' if found.commits == 1 else 's'}"
    first = (
        f"{found.branch} was rewritten: it no longer contains {row.feature.base_commit[:10]}, the"
        f" commit that this feature started from; {commits} since their common ancestor"
        if found.rewritten
        else f"{found.branch} has moved on: {commits} since this feature began"
    )
    return tuple(filter(None, (f"{first}; {_overlap(found.both)}", _named(found))))


def _overlap(paths: tuple[str, ...]) -> str:
    if not paths:
        return "none of them touches a file that this feature changes"
    return f"both changed {few(paths)}"


def _named(found: BaseMove) -> str:
    tasks = f"tasks {few(found.tasks)} name files that changed there" if found.tasks else ""
    places = tuple(f"{name} § {heading}" for name, heading in found.sections)
    sections = f"so do {few(places)}" if places and tasks else ""
    alone = f"{few(places)} name files that changed there" if places and not tasks else ""
    return "; ".join(filter(None, (tasks, sections, alone)))


def few(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else ""
    return f"{', '.join(listed[:MOST_NAMES])}{more}"
