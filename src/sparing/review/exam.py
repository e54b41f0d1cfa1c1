"""Planted defects: what a reviewer is shown on trial, and which of its findings count.

The project and its thirty defects are data files beside this one. A finding counts for a defect
if it is a blocker or a warning and its words meet the defect's key; what meets none is a false
alarm. Nothing here asks a model.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.finding import Finding, Severity

CLEAN = "clean"
ALARMS = (Severity.BLOCKER, Severity.WARNING)


class ExamSubject(StrEnum):
    """What the defects of a case are planted in."""

    SPEC = "spec"
    DESIGN = "design"
    PLAN = "plan"
    DIFF = "diff"

    @property
    def stage(self) -> str:
        """The stage of the flow in which it is reviewed."""
        return {"spec": "specify", "design": "design", "plan": "create-plan"}.get(self, "implement")


class Defect(NamedTuple):
    id: str
    file: str
    old: str
    new: str
    why: str
    key: tuple[tuple[re.Pattern[str], ...], ...]

    def met_by(self, finding: Finding) -> bool:
        words = "\n".join((finding.text, finding.location, finding.quote, finding.suggestion))
        return finding.severity in ALARMS and all(
            any(pattern.search(words) for pattern in group) for group in self.key
        )


class Case(NamedTuple):
    """What one reviewer is shown; without defects it is the clean project."""

    id: str
    subject: ExamSubject
    role: str
    defects: tuple[Defect, ...] = ()


class Exam(NamedTuple):
    base: dict[str, str]
    """Files that are there before the feature begins."""
    documents: dict[str, str]
    """Documents in the feature's folder, by name."""
    code: dict[str, str]
    cases: tuple[Case, ...]

    @property
    def clean(self) -> tuple[Case, ...]:
        """One case without defects for every reviewer, to count its false alarms."""
        seen = dict.fromkeys((case.subject, case.role) for case in self.cases)
        return tuple(Case(f"{CLEAN} {subject}, {role}", subject, role) for subject, role in seen)

    def documents_of(self, case: Case) -> dict[str, str]:
        """The documents that exist when it is reviewed; for a review of code, all of them."""
        names = list(self.documents)
        if case.subject is not ExamSubject.DIFF:
            names = names[: names.index(f"{case.subject}.md") + 1]
        return {name: _planted(self.documents[name], name, case) for name in names}

    def code_of(self, case: Case) -> dict[str, str]:
        if case.subject is not ExamSubject.DIFF:
            return {}
        return {name: _planted(text, name, case) for name, text in self.code.items()}


def _planted(text: str, name: str, case: Case) -> str:
    for defect in case.defects:
        if defect.file == name:
            if text.count(defect.old) != 1:
                raise ValueError(f"{case.id}, {defect.id}: its passage must stand there once")
            text = text.replace(defect.old, defect.new)
    return text


class Score(NamedTuple):
    found: tuple[str, ...]
    """Ids of defects that a finding counts for."""
    missed: tuple[str, ...]
    alarms: int
    """Blockers and warnings that match no defect."""


def score(case: Case, findings: Iterable[Finding]) -> Score:
    raised = [finding for finding in findings if finding.severity in ALARMS]
    met = {one.id for one in case.defects if any(one.met_by(finding) for finding in raised)}
    alarms = sum(not any(one.met_by(finding) for one in case.defects) for finding in raised)
    ids = [one.id for one in case.defects]
    return Score(
        tuple(id for id in ids if id in met), tuple(id for id in ids if id not in met), alarms
    )


@cache
def load_exam() -> Exam:
    project, planted = _read("project.toml"), _read("defects.toml")
    return Exam(
        _texts(project["base"]),
        _texts(project["documents"]),
        _texts(project["code"]),
        tuple(_case(one) for one in planted["case"]),
    )


def _read(name: str) -> JsonObject:
    return tomllib.loads((files("sparing.review") / "planted" / name).read_text("utf-8"))


def _texts(value: dict[str, str]) -> dict[str, str]:
    return {name: text.lstrip("\n") for name, text in value.items()}


def _case(value: JsonObject) -> Case:
    defects = tuple(_defect(one) for one in value["defect"])
    return Case(value["id"], ExamSubject(value["kind"]), value["role"], defects)


def _defect(value: JsonObject) -> Defect:
    key: Sequence[Sequence[str]] = value["key"]
    groups = tuple(tuple(re.compile(one, re.IGNORECASE) for one in group) for group in key)
    return Defect(value["id"], value["file"], value["old"], value["new"], value["why"], groups)
