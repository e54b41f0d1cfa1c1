"""Import a folder of specs that another tool wrote as a new feature.

All of it is untrusted text: read up to a size limit, never followed out of its folder, and used as
data. The folder itself is only read. A document fit to build on replaces the stage that would have
written it; the rest is kept in an appendix, and what can't be kept is named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.config.flow import FlowName
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import blocking, validate_artifact
from sparing.context.foreign.folder import (
    APPENDIX,
    FileUse,
    ForeignFolder,
    ImportedFeature,
    Section,
    SpecFormat,
    joined,
)
from sparing.context.foreign.formats import import_folder, recognise
from sparing.desk.features.start_input import LONGEST_TITLE, StartInput, StartRequest
from sparing.desk.features.start_sources import place_of, read_document
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.feature import Background
from sparing.flow.entry import entry_stage
from sparing.flow.flows import FLOWS
from sparing.records import features

FLOW = FlowName.FEATURE.value
MOST_FILES = 200
_HOMES = ("specs/*", "openspec/changes/*", ".kiro/specs/*")
_LEFT_OUT = "left out: "


class FoundSpecs(NamedTuple):
    path: Path
    place: str
    """Path in the form the command takes."""
    format: SpecFormat


class SpecImport(NamedTuple):
    """What importing one folder would do."""

    request: StartRequest
    format: SpecFormat
    stage: str
    uses: tuple[FileUse, ...]
    tasks: int
    notes: tuple[str, ...]
    """Documents that could not be used as their kind, and why."""


def find_specs(office: Office) -> tuple[FoundSpecs, ...]:
    """Folders of known tools in this repository, without archives and features of ours."""
    root = office.repository.checkout
    ours = office.loaded.settings.flow.features_folder
    found: list[FoundSpecs] = []
    for pattern in (*_HOMES, "docs/features/*"):
        for path in sorted(root.glob(pattern)):
            place = path.relative_to(root).as_posix()
            if path.name == "archive" or not path.is_dir() or _is_ours(office, place, ours):
                continue
            kind = recognise(place, _names(path))
            if kind is not None:
                found.append(FoundSpecs(path, place, kind))
    return tuple(found)


def plan_import(
    office: Office, path: Path, kind: SpecFormat | None = None, title: str = ""
) -> SpecImport:
    """Everything that would be stored; the texts are kept by hash, no feature is made."""
    folder = path.resolve()
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder", "see what there is: sparing import auto")
    place = place_of(office, folder)
    kind = kind or recognise(place, _names(folder))
    if kind is None:
        raise UsageError(
            f"{path} contains no specs of spec-kit, OpenSpec, Kiro or iflow",
            f"name the tool: sparing import {place} --format kiro",
        )
    files, left = _read(office, folder)
    return _planned(
        office, import_folder(ForeignFolder(folder.name, files), kind), place, left, title
    )


def refuse_again(office: Office, place: str) -> None:
    """Refuse to import a folder twice, unless a person says otherwise."""
    with office.database.read() as connection:
        rows = features.list_all(connection)
    before = next((row for row in rows if row.background.source == place), None)
    if before is not None:
        name = before.feature.id
        raise FeatureError(
            f"{place} was imported as feature {name}",
            f"see it: sparing show {name}; again: sparing import {place} --again",
        )


def _planned(
    office: Office, found: ImportedFeature, place: str, left: tuple[FileUse, ...], title: str
) -> SpecImport:
    flow, complaints = FLOWS[FLOW], _complaints(found)
    fit = frozenset(found.documents) - frozenset(complaints)
    stage = entry_stage(flow, fit, frozenset(found.expected))
    names = [one.name for one in flow.stages]
    before = {one.writes for one in flow.stages[: names.index(stage)]}
    given = {name: text for name, text in found.documents.items() if name in fit & before}
    rest = {name: text for name, text in found.documents.items() if name not in given}
    appendix = _appendix(found.appendix, rest)
    keep = office.folder.keep
    beginning = StartInput(
        background=Background(source=place),
        given=tuple((name, keep(text)) for name, text in given.items()),
        enclosures=((APPENDIX, keep(appendix)),) if appendix else (),
        stage=stage,
    )
    tasks = given.get(ArtifactName.TASKS)
    return SpecImport(
        request=StartRequest((title or found.title)[:LONGEST_TITLE], beginning),
        format=found.format,
        stage=stage,
        uses=(*_where(found.uses, rest), *left),
        tasks=len(parse_tasks(tasks)) if tasks else 0,
        notes=tuple(_notes(complaints, rest, stage)),
    )


def _complaints(found: ImportedFeature) -> dict[ArtifactName, str]:
    """Documents that can't be built on, and why."""
    problems = {
        name: blocking(validate_artifact(name, text), strict=False)
        for name, text in found.documents.items()
    }
    said = {name: all_of[0].what for name, all_of in problems.items() if all_of}
    tasks = found.documents.get(ArtifactName.TASKS)
    if tasks is not None and ArtifactName.TASKS not in said:
        try:
            parse_tasks(tasks)
        except FeatureError as error:
            said[ArtifactName.TASKS] = error.what
    return said


def _notes(
    complaints: dict[ArtifactName, str], rest: dict[ArtifactName, str], stage: str
) -> Iterator[str]:
    for name in rest:
        why = complaints.get(name, f"it comes after {stage}, which is not done yet")
        yield f"{name.filename} is kept in {APPENDIX}: {why}"


def _where(uses: tuple[FileUse, ...], rest: dict[ArtifactName, str]) -> tuple[FileUse, ...]:
    moved = {name.filename for name in rest}
    return tuple(one._replace(where=APPENDIX) if one.where in moved else one for one in uses)


def _appendix(text: str, rest: dict[ArtifactName, str]) -> str:
    sections = [Section(name.filename, body) for name, body in rest.items()]
    more = joined("Imported documents", sections) if sections else ""
    return "\n".join(part for part in (more, text) if part)


def _read(office: Office, folder: Path) -> tuple[dict[str, str], tuple[FileUse, ...]]:
    """Texts by path, and the files that can't be imported, each with its reason."""
    files: dict[str, str] = {}
    left: list[FileUse] = []
    for count, path in enumerate(_walk(folder)):
        name = path.relative_to(folder).as_posix()
        if count >= MOST_FILES:
            left.append(FileUse(name, 0, f"{_LEFT_OUT}more than {MOST_FILES} files"))
        elif not path.resolve().is_relative_to(folder):
            left.append(FileUse(name, 0, f"{_LEFT_OUT}a link that leads out of the folder"))
        else:
            try:
                files[name] = read_document(office, path)
            except UsageError as error:
                why = error.what.removeprefix(f"{path} ")
                left.append(FileUse(name, 0, f"{_LEFT_OUT}{why}"))
    if not files:
        raise UsageError(f"{folder.name} contains no text", "name a folder with specs")
    return files, tuple(left)


def _walk(folder: Path) -> Iterator[Path]:
    """Files below it in a stable order; links to folders are not followed."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted([*names, *(one for one in folders if (Path(where) / one).is_symlink())]):
            yield Path(where) / name


def _names(folder: Path) -> frozenset[str]:
    with suppress(OSError):
        return frozenset(one.name for one in folder.iterdir())
    return frozenset()


def _is_ours(office: Office, place: str, features_folder: str) -> bool:
    """Whether a feature of this repository writes the folder, so that it can't be imported."""
    if not place.startswith(f"{features_folder.strip('/')}/"):
        return False
    with office.database.read() as connection:
        names = {row.feature.name for row in features.list_all(connection)}
    return place.rpartition("/")[2] in names
