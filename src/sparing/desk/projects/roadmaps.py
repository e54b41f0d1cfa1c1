"""The files of projects: those in the base branch, and those of projects not merged yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparing.desk.features.dependencies import LandedFeatures, landed_features
from sparing.desk.office import Office
from sparing.feature import FeatureStatus
from sparing.flow.roadmap import numbers, read_roadmap
from sparing.workspace.project.projects import ProjectFiles, files_of, projects_at


class Kept(NamedTuple):
    files: ProjectFiles
    in_base: bool


def roadmaps(office: Office, now: LandedFeatures) -> Iterator[Kept]:
    flow, repo = office.loaded.settings.flow, office.repository
    there = list(projects_at(repo, now.commit, flow.projects_folder))
    yield from (Kept(one, in_base=True) for one in there)
    folders = {one.folder for one in there}
    for row in {row.feature.key: row for row in now.rows.values()}.values():
        feature = row.feature
        outside = feature.is_project and feature.name not in folders
        if outside and row.status is not FeatureStatus.ABANDONED:
            folder = flow.folder_of(feature)
            yield Kept(files_of(repo, row.head, folder, -feature.number), in_base=False)


def promised(office: Office) -> frozenset[int]:
    """Numbers that roadmaps give to features, started or not."""
    kept = roadmaps(office, landed_features(office))
    return frozenset(n for one in kept for n in numbers(read_roadmap(one.files.roadmap)))
