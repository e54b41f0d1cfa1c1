"""Planted defects: thirty, each of them findable, and a clean project that is really clean.

Covers: E4
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from sparing.finding import Finding, Severity
from sparing.review.exam import Case, Defect, Exam, ExamSubject, load_exam, score

EXAM: Exam = load_exam()
PLANTED = [(case, defect) for case in EXAM.cases for defect in case.defects]
NAMES = [f"{case.id} {defect.id}" for case, defect in PLANTED]


def said(text: str, severity: Severity = Severity.BLOCKER) -> Finding:
    return Finding(severity, text)


def test_there_are_thirty_in_four_kinds() -> None:
    """E4: specs, designs, plans and diffs."""
    kinds = Counter(case.subject for case, _ in PLANTED)
    assert kinds == {
        ExamSubject.SPEC: 9,
        ExamSubject.DESIGN: 9,
        ExamSubject.PLAN: 6,
        ExamSubject.DIFF: 6,
    }
    ids = [defect.id for _, defect in PLANTED]
    assert len(set(ids)) == len(ids) == 30
    assert len(EXAM.clean) == 5


@pytest.mark.parametrize(("case", "defect"), PLANTED, ids=NAMES)
def test_each_is_in_what_the_reviewer_is_shown(case: Case, defect: Defect) -> None:
    """E4: once, and not in the clean version."""
    clean = case._replace(defects=())
    shown = {**EXAM.documents_of(case), **EXAM.code_of(case)}[defect.file]
    before = {**EXAM.documents_of(clean), **EXAM.code_of(clean)}[defect.file]
    assert defect.new in shown
    assert defect.old in before
    assert shown != before


@pytest.mark.parametrize(("case", "defect"), PLANTED, ids=NAMES)
def test_saying_why_meets_its_key_and_no_other(case: Case, defect: Defect) -> None:
    """E4: who finds it is believed; the words of another defect of the case do not count for it."""
    place = defect.new or defect.old
    found = Finding(Severity.WARNING, defect.why, quote=place.strip(), suggestion=defect.old)
    assert defect.met_by(found)
    assert defect.id in score(case, [found]).found
    others = [one for one in case.defects if one is not defect]
    assert not any(one.met_by(said(defect.why)) for one in others)
    assert not defect.met_by(said("The document reads well and could be shorter."))


def test_a_suggestion_is_no_find_and_no_alarm() -> None:
    """E4: what a reviewer does not hold against a document does not count."""
    case = EXAM.cases[0]
    words = "AC2 says 72 hours, R2 says 7 days"
    assert score(case, [said(words, Severity.SUGGESTION)]) == ((), _ids(case), 0)
    assert score(case, [said(words)]).found == ("two lifetimes",)


def test_what_meets_nothing_is_a_false_alarm() -> None:
    """E4: also on the clean version, where every alarm is false."""
    words = [said("AC2 says 72 hours, R2 says 7 days"), said("The title is too long")]
    assert score(EXAM.cases[0], words).alarms == 1
    assert score(EXAM.clean[0], words) == ((), (), 2)


def test_no_document_is_ahead_of_its_review() -> None:
    """E4: who reviews a spec sees no design yet."""
    spec, code = EXAM.cases[0], EXAM.cases[-1]
    assert list(EXAM.documents_of(spec)) == ["prd.md", "spec.md"]
    assert EXAM.code_of(spec) == {}
    assert set(EXAM.code_of(code)) == set(EXAM.code)


def test_the_clean_code_does_what_its_documents_say(tmp_path: Path) -> None:
    """E4: else its alarms would not be false."""
    for name, text in {**EXAM.base, **EXAM.code}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def _ids(case: Case) -> tuple[str, ...]:
    return tuple(defect.id for defect in case.defects)
