"""What each tool's folder holds, and which of our documents each file becomes.

spec-kit's plan is a design (context, structure, decisions), and its tasks are its build order; Kiro
and OpenSpec have no plan either. So none of the three yields a plan.md, and where there are tasks
no plan is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from sparing.artifact import ArtifactName as A
from sparing.context.foreign.folder import (
    APPENDIX,
    FileUse,
    ForeignFolder,
    ImportedFeature,
    Section,
    SpecFormat,
    appendix_of,
    heading_title,
    joined,
)
from sparing.context.foreign.task_list import ListedTask, rewritten

_STORY = re.compile(r"\[US-?(\d{1,3})\]")
_REQUIREMENT = re.compile(r"\b(?:FR|NFR|SC|R|REQ)-\d{1,4}\b")
_KIRO = re.compile(r"_Requirements?: *([^_\n]{1,300})_")
_NUMBERS = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
_DELTA = re.compile(r"^## +((?:ADDED|MODIFIED|REMOVED|RENAMED) Requirements)", re.MULTILINE)
_TITLES = (
    *("feature specification", "feature spec", "specification", "spec", "change", "proposal"),
    *("change proposal", "requirements document", "requirements", "prd", "brainstorm"),
)


class _Layout(NamedTuple):
    """What a format's folder holds."""

    expected: tuple[A, ...]
    build: Callable[[ForeignFolder], tuple[str, dict[A, str], dict[str, str]]]
    """Returns the title, our documents, and our file for each path that was used."""


def import_folder(folder: ForeignFolder, kind: SpecFormat) -> ImportedFeature:
    layout = _LAYOUTS[kind]
    title, documents, used = layout.build(folder)
    rest = {path: text for path, text in folder.files.items() if path not in used}
    uses = tuple(
        FileUse(path, len(text.splitlines()), used.get(path, APPENDIX))
        for path, text in folder.files.items()
    )
    return ImportedFeature(
        format=kind,
        title=title,
        documents=documents,
        expected=layout.expected,
        appendix=appendix_of(rest),
        uses=uses,
    )


def recognise(path: str, files: Mapping[str, str] | frozenset[str]) -> SpecFormat | None:
    """Recognise a format by the folder's location in its repository, else by telltale files."""
    parts = path.strip("/").split("/")
    if "openspec" in parts and "changes" in parts:
        return SpecFormat.OPENSPEC
    if parts[-3:-1] == [".kiro", "specs"]:
        return SpecFormat.KIRO
    if ".meta.json" in files or parts[-3:-1] == ["docs", "features"]:
        return SpecFormat.IFLOW
    if "requirements.md" in files:
        return SpecFormat.KIRO
    if "proposal.md" in files:
        return SpecFormat.OPENSPEC
    if "spec.md" in files and (parts[-2:-1] == ["specs"] or "plan.md" in files):
        return SpecFormat.SPEC_KIT
    return None


def _spec_kit(folder: ForeignFolder) -> tuple[str, dict[A, str], dict[str, str]]:
    files = folder.files
    title = heading_title(files.get("spec.md", ""), _TITLES, folder.name)
    design = [path for path in files if path in _DESIGN_FILES or path.startswith("contracts/")]
    design.sort(key=lambda path: (_DESIGN_FILES.get(path, len(_DESIGN_FILES)), path))
    documents, used = _copied(files, {"spec.md": A.SPEC})
    if "plan.md" in files:
        sections = [Section(_named(path), _fenced(path, files[path])) for path in design]
        documents[A.DESIGN] = joined(f"Design: {title}", sections)
        used |= dict.fromkeys(design, A.DESIGN.filename)
    if "tasks.md" in files:
        documents[A.TASKS] = rewritten(files["tasks.md"], title, _spec_kit_task, chain=True)
        used["tasks.md"] = A.TASKS.filename
    return title, documents, used


_DESIGN_FILES = {"plan.md": 0, "research.md": 1, "data-model.md": 2, "quickstart.md": 3}


def _named(path: str) -> str:
    """`plan.md` holds what we call architecture; every other file keeps its name."""
    return "Architecture (plan.md)" if path == "plan.md" else path


def _fenced(path: str, text: str) -> str:
    return text if path.endswith(".md") else f"```\n{text.rstrip()}\n```\n"


def _spec_kit_task(task: ListedTask) -> ListedTask:
    stories = [f"US{one}" for one in _STORY.findall(task.title)]
    return replace(task, references=(*stories, *_REQUIREMENT.findall(task.text)))


def _openspec(folder: ForeignFolder) -> tuple[str, dict[A, str], dict[str, str]]:
    files = folder.files
    title = heading_title(files.get("proposal.md", ""), _TITLES, folder.name)
    documents, used = _copied(files, {"proposal.md": A.PRD, "design.md": A.DESIGN})
    deltas = [path for path in files if path.startswith("specs/") and path.endswith(".md")]
    if deltas:
        sections = [Section(*_capability(path, files[path])) for path in deltas]
        documents[A.SPEC] = joined(f"Spec: {title}", sections)
        used |= dict.fromkeys(deltas, A.SPEC.filename)
    if "tasks.md" in files:
        documents[A.TASKS] = rewritten(files["tasks.md"], title, _openspec_task)
        used["tasks.md"] = A.TASKS.filename
    return title, documents, used


def _capability(path: str, text: str) -> tuple[str, str]:
    """`specs/auth/spec.md`: the capability's name, and which kinds of change it has."""
    name = path.removeprefix("specs/").removesuffix(".md").removesuffix("/spec")
    kinds = ", ".join(dict.fromkeys(_DELTA.findall(text)))
    return (f"{name}: {kinds}" if kinds else f"{name}: Requirements"), text


def _openspec_task(task: ListedTask) -> ListedTask:
    return replace(task, references=tuple(_REQUIREMENT.findall(task.text)))


def _kiro(folder: ForeignFolder) -> tuple[str, dict[A, str], dict[str, str]]:
    files = folder.files
    title = heading_title(files.get("requirements.md", ""), _TITLES, folder.name)
    documents, used = _copied(files, {"requirements.md": A.SPEC, "design.md": A.DESIGN})
    if "tasks.md" in files:
        documents[A.TASKS] = rewritten(files["tasks.md"], title, _kiro_task)
        used["tasks.md"] = A.TASKS.filename
    return title, documents, used


def _kiro_task(task: ListedTask) -> ListedTask:
    found = [one for line in _KIRO.findall(task.text) for one in _NUMBERS.findall(line)]
    return replace(task, references=tuple(dict.fromkeys(found)))


def _iflow(folder: ForeignFolder) -> tuple[str, dict[A, str], dict[str, str]]:
    files = folder.files
    names = {one.filename: one for one in (A.PRD, A.SPEC, A.DESIGN, A.PLAN, A.TASKS)}
    documents, used = _copied(files, names)
    first = next((documents[one] for one in (A.PRD, A.SPEC) if one in documents), "")
    return heading_title(first, _TITLES, folder.name), documents, used


def _copied(
    files: Mapping[str, str], names: Mapping[str, A]
) -> tuple[dict[A, str], dict[str, str]]:
    """Documents that are taken as they are."""
    found = {name: files[path] for path, name in names.items() if path in files}
    return found, {path: name.filename for path, name in names.items() if path in files}


_LAYOUTS = {
    SpecFormat.SPEC_KIT: _Layout((A.SPEC, A.DESIGN, A.TASKS), _spec_kit),
    SpecFormat.OPENSPEC: _Layout((A.PRD, A.SPEC, A.TASKS), _openspec),
    SpecFormat.KIRO: _Layout((A.SPEC, A.DESIGN, A.TASKS), _kiro),
    SpecFormat.IFLOW: _Layout((A.PRD, A.SPEC, A.DESIGN, A.PLAN, A.TASKS), _iflow),
}
