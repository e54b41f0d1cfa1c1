"""Projects: what the base branch says about them, which feature is next, how a new one begins.

A project's files reach the base branch as a feature's do: handed over on their own branch. Until
then its row knows more than the base branch, and the views say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sparing.codec import JsonObject
from sparing.context.documents.project import project_goals
from sparing.desk.features.dependencies import LandedFeatures, landed_features
from sparing.desk.features.start_input import (
    NOTHING,
    StartInput,
    StartRequest,
    with_start_input,
)
from sparing.desk.features.start_sources import from_file
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.desk.projects.roadmaps import roadmaps
from sparing.errors import FeatureError
from sparing.feature import Background, FeatureStatus
from sparing.flow.flows import PROJECT
from sparing.flow.project import Project, ProjectStanding, circle, standings
from sparing.flow.roadmap import read_roadmap
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.commit import list_folder
from sparing.workspace.project.projects import ProjectFiles

BRANCHES = "refs/heads/project/"


@dataclass(frozen=True, slots=True)
class FeatureLine:
    name: str
    about: str
    standing: str
    waits_for: tuple[str, ...]
    """Features it waits for, with why each is not done."""


@dataclass(frozen=True, slots=True)
class MilestoneView:
    name: str
    shows: str
    done: int
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectView:
    id: str
    name: str
    goals: tuple[str, ...]
    in_base: bool
    base: str
    features: tuple[FeatureLine, ...]
    milestones: tuple[MilestoneView, ...]
    circle: tuple[str, ...]
    """Features that wait for each other, so that none of them can begin."""
    faults: tuple[str, ...]
    next_command: str

    @property
    def done(self) -> int:
        return sum(one.standing == ProjectStanding.DONE for one in self.features)

    @property
    def ready(self) -> FeatureLine | None:
        return next((one for one in self.features if one.standing == ProjectStanding.READY), None)


def views(office: Office) -> list[ProjectView]:
    now = landed_features(office)
    return [_view(now, *kept) for kept in roadmaps(office, now)]


def find(office: Office, name: str = "") -> ProjectView:
    """Find by `P001`, `1`, the folder's name or its slug; without a name, the only project."""
    found = views(office)
    wanted = name.strip().casefold()
    if wanted:
        number = wanted.removeprefix("p").lstrip("0")
        found = [one for one in found if wanted in _names(one) or number == _number(one)]
    if len(found) == 1:
        return found[0]
    if not found:
        what = f"there is no project '{name}' here" if name else "there is no project here"
        raise FeatureError(what, 'sparing project new "what it should achieve"')
    ids = ", ".join(one.id for one in found)
    raise FeatureError(f"there are projects {ids}", f"name one: {found[0].id}")


def new(
    office: Office, begins: StartRequest, overrides: Mapping[str, object], at: float
) -> FeatureRow:
    """Create a project's row: run like a feature, on a branch `project/P001-slug`."""
    settings = office.loaded.settings
    title = answers.checked_title(begins.title, 'sparing project new "Payments"')
    base = resolve_base(office.repository, settings.workspace.base_branch)
    with office.database.write() as tx:
        rows = features.list_all(tx)
        known = [-row.feature.number for row in rows if row.feature.is_project]
        number = 1 + max((*known, *_taken(office, base.commit)), default=0)
        where = (base.branch or "", base.commit)
        row = answers.new_row(office, title, PROJECT.name, -number, where, overrides, at)
        row = with_start_input(row, begins.beginning)
        features.create(tx, row)
    return row


def from_words(title: str) -> StartRequest:
    return StartRequest(title, NOTHING)


def from_prd(office: Office, path: Path, title: str = "") -> StartRequest:
    return from_file(office, path, PROJECT.name, title)


def start_next(
    office: Office, project: ProjectView, flow: str, overrides: Mapping[str, object], at: float
) -> FeatureRow:
    """Start the next feature of a project that can begin, under its number in the roadmap."""
    line = _ready(project)
    number, _, slug = line.name.partition("-")
    plan = {one.name: one for one in _plan(office, project).features}
    depends = plan[line.name].depends_on
    title = slug.replace("-", " ").capitalize()
    about = "" if line.about.casefold() == title.casefold() else line.about
    background = Background(description=about, project=project.id, depends_on=depends)
    beginning = StartInput(background, number=int(number), slug=slug)
    return answers.start(office, title, flow, overrides, at, beginning)


def _ready(project: ProjectView) -> FeatureLine:
    if not project.in_base:
        raise FeatureError(
            f"{project.id} is not in {project.base} yet: its features have nothing to start from",
            project.next_command,
        )
    if project.ready is None and project.circle:
        raise FeatureError(
            f"these features wait for each other: {' → '.join(project.circle)}",
            f"correct the roadmap of {project.name} in {project.base}",
        )
    if project.ready is None:
        raise FeatureError(
            f"no feature of {project.id} can start now", f"sparing project show {project.id}"
        )
    return project.ready


def _plan(office: Office, project: ProjectView) -> Project:
    kept = roadmaps(office, landed_features(office))
    texts = (one.files.roadmap for one in kept if one.files.folder == project.name)
    return read_roadmap(next(texts))


def _view(now: LandedFeatures, files: ProjectFiles, in_base: bool) -> ProjectView:
    plan = read_roadmap(files.roadmap)
    states = {one.name: now.standing(one.name) for one in plan.features}
    done = frozenset(name for name, state in states.items() if state == FeatureStatus.COMPLETED)
    begun_ = frozenset(name for name in states if now.rows.get(name.partition("-")[0]))
    found = standings(plan.features, done, begun_)
    lines = tuple(
        FeatureLine(
            one.name,
            one.description,
            _standing_words(found[one.name], states[one.name]),
            tuple(f"{other} ({states[other]})" for other in one.depends_on if other not in done),
        )
        for one in plan.features
    )
    milestones = tuple(
        MilestoneView(one.name, one.shows, len(done.intersection(one.features)), one.features)
        for one in plan.milestones
    )
    command = _command(files.id, [one.standing for one in lines], in_base=in_base)
    return ProjectView(
        id=files.id,
        name=files.folder,
        goals=project_goals(files.prd),
        in_base=in_base,
        base=now.branch,
        features=lines,
        milestones=milestones,
        circle=circle(plan.features),
        faults=plan.faults,
        next_command=command,
    )


def _command(name: str, found: list[str], *, in_base: bool) -> str:
    """The next command; empty if all is done, or if only editing the roadmap would help."""
    if not in_base:
        return f"sparing run {name}"
    if ProjectStanding.READY in found:
        return f"sparing project next {name}"
    stuck = all(one in (ProjectStanding.DONE, ProjectStanding.WAITING) for one in found)
    return "" if stuck else "sparing run"


def _standing_words(found: ProjectStanding, state: str) -> str:
    """The standing in words; for a feature that has begun, what its own row says."""
    if found is not ProjectStanding.WORKING:
        return found.value
    return {
        FeatureStatus.ACTIVE.value: found.value,
        FeatureStatus.PLANNED.value: "started, not run yet",
    }.get(state, state)


def _taken(office: Office, commit: str) -> Iterator[int]:
    """Numbers of projects in the base branch, in the checkout, and of branches."""
    repo, root = office.repository, office.loaded.settings.flow.projects_folder
    names = [*list_folder(repo, commit, root)]
    folder = repo.checkout / root
    names += [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    refs = repo.git().text("for-each-ref", "--format=%(refname)", BRANCHES).splitlines()
    names += [ref.removeprefix(BRANCHES) for ref in refs]
    for name in names:
        number = name.partition("-")[0].removeprefix("P")
        if name.startswith("P") and number.isascii() and number.isdigit() and len(number) < 7:
            yield int(number)


def _names(one: ProjectView) -> tuple[str, ...]:
    slug = one.name.partition("-")[2]
    return one.id.casefold(), one.name.casefold(), slug.casefold()


def _number(one: ProjectView) -> str:
    return one.id.removeprefix("P").lstrip("0")


def as_json(one: ProjectView) -> JsonObject:
    return {
        "id": one.id,
        "name": one.name,
        "in_base": one.in_base,
        "goals": list(one.goals),
        "features": [
            {
                "name": line.name,
                "description": line.about,
                "standing": line.standing,
                "waits_for": list(line.waits_for),
            }
            for line in one.features
        ],
        "milestones": [
            {"name": m.name, "shows": m.shows, "features": list(m.features), "done": m.done}
            for m in one.milestones
        ],
        "circle": list(one.circle),
        "faults": list(one.faults),
        "next_command": one.next_command,
    }
