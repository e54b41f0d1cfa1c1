"""The project a feature belongs to, as far as the project's folder shows it."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import NamedTuple, cast

from sparing.artifact import META
from sparing.context.documents.project import (
    ProjectContext,
    milestone_of,
    project_block,
    project_goals,
    sorted_by_status,
)
from sparing.prompts.render import words
from sparing.records import features
from sparing.runtime.source import Source
from sparing.workspace.git.commit import list_folder
from sparing.workspace.project.paths import is_id


class ProjectBlock(NamedTuple):
    text: str
    warnings: tuple[str, ...] = ()


def project_of(source: Source) -> ProjectBlock | None:
    """What authors are told about their project, and every role of a project that is being
    split; a project without a folder gives a warning."""
    if source.row.feature.is_project:
        return ProjectBlock(words("blocks", "whole_project"))
    if not source.role.role_class.writes:
        return None
    meta, background = source.meta, source.row.background
    project = background.project or meta.get("project_id")
    if not is_id(project):
        return None
    root = PurePosixPath(source.folder).parent.parent / "projects"
    names = list_folder(source.around.repository, source.job.head, str(root))
    folder = next((name for name in names if name.split("-")[0] == project), None)
    if folder is None:
        return ProjectBlock("", (f"project {project} has no folder in {root}: no project context",))
    name = source.row.feature.name
    completed, working, blocked = sorted_by_status(
        _statuses(source, list(background.depends_on) or meta.get("depends_on_features"))
    )
    context = ProjectContext(
        project=folder,
        feature=name,
        goals=project_goals(source.text(f"{root}/{folder}/prd.md") or ""),
        completed=completed,
        in_progress=working,
        blocked=blocked,
        milestone=milestone_of(source.text(f"{root}/{folder}/roadmap.md") or "", name),
    )
    return ProjectBlock(project_block(context))


def _statuses(source: Source, listed: object) -> dict[str, str]:
    given = cast("list[object]", listed) if isinstance(listed, list) else []
    wanted = [one for one in given if is_id(one)]
    if not wanted:
        return {}
    with source.around.database.read() as connection:
        rows = features.list_all(connection)
    known = {key: row.status.value for row in rows for key in (row.feature.name, row.feature.id)}
    return {one: known.get(one) or _recorded(source, one) for one in wanted}


def _recorded(source: Source, name: str) -> str:
    """The recorded status of a feature that our database does not know."""
    parent = PurePosixPath(source.folder).parent
    try:
        found: object = json.loads(source.text(f"{parent}/{name}/{META}") or "{}")
    except (ValueError, RecursionError):
        return "unknown"
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return str(fields.get("status", "unknown"))
