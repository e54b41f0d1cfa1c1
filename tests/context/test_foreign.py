"""Specs of other tools as documents of ours: every task, dependency, file and reference.

Covers: K6
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.artifact import ArtifactName as A
from sparing.context.documents.tasks import parse_tasks
from sparing.context.foreign.folder import (
    ForeignFolder,
    SpecFormat,
    appendix_of,
    demoted,
    heading_title,
)
from sparing.context.foreign.formats import import_folder, recognise
from sparing.context.foreign.task_list import paths_in, stated_dependencies
from tests.foreign.folders import FOLDERS, files_of, read

TASKS = {
    "spec-kit/001-rate-limits": (
        ("T001", "Create the package in limits/__init__.py", "", "limits/__init__.py", ""),
        ("T002", "Configure the linter in pyproject.toml", "T001", "pyproject.toml", ""),
        ("T003", "Write the token bucket in limits/bucket.py", "T002", "limits/bucket.py", ""),
        (
            "T004",
            "Test the 61st request in tests/test_noisy.py",
            "T003",
            "tests/test_noisy.py",
            "US1",
        ),
        ("T005", "Test two keys in tests/test_fair.py", "T003", "tests/test_fair.py", "US1"),
        (
            "T006",
            "Count requests in limits/middleware.py (depends on T003) for FR-001 and FR-002",
            "T003 T004 T005",
            "limits/middleware.py",
            "US1 FR-001 FR-002",
        ),
        (
            "T007",
            "Serve `PUT /admin/limits/{key}` in limits/admin.py",
            "T006",
            "limits/admin.py contracts/limits.yaml",
            "US2",
        ),
        ("T008", "Describe limits in docs/limits.md", "T007", "docs/limits.md", ""),
    ),
    "spec-kit/014-export-csv": (
        (
            "T001",
            "Contract test of the header in `tests/test_export.py`",
            "",
            "tests/test_export.py",
            "",
        ),
        ("T002", "Quoting test in `tests/test_quotes.py`", "", "tests/test_quotes.py", ""),
        ("T003", "Write rows in `ledger/export.py`", "T001 T002", "ledger/export.py", ""),
        (
            "T004",
            "Add the subcommand to `ledger/cli.py`",
            "T003",
            "ledger/cli.py",
            "",
        ),
        ("T005", "Update README.md", "T004", "README.md", ""),
    ),
    "openspec/add-login-throttle": (
        ("1.1", "Keep failures per account in `shop/store.py`", "", "shop/store.py", ""),
        ("1.2", "Forget them after a minute", "", "", ""),
        (
            "2.1",
            "Refuse a locked account in `shop/auth.py`",
            "1.1 1.2",
            "shop/auth.py",
            "",
        ),
        ("2.2", "Test the sixth try in `tests/test_auth.py`", "", "tests/test_auth.py", ""),
        ("2.3", "Update `docs/api.md`", "", "docs/api.md", ""),
    ),
    "openspec/split-billing": (
        (
            "1.1",
            "Create `billing/__init__.py` and `billing/prices.py`",
            "",
            "billing/__init__.py billing/prices.py",
            "",
        ),
        ("1.2", "Move the table from `orders/prices.py`", "", "orders/prices.py", ""),
        ("2.1", "Call `price_of` in `orders/total.py`", "", "orders/total.py", ""),
        ("2.2", "Delete `orders/prices.py`", "", "orders/prices.py", ""),
    ),
    "openspec/update-readme-badges": (
        ("1", "Remove the old badges from `README.md`", "", "README.md", ""),
        ("2", "Add the badge of the present build to `README.md`", "", "README.md", ""),
        ("3", "Check every link in `scripts/links.py`", "", "scripts/links.py", ""),
    ),
    "kiro/photo-upload": (
        ("1", "Set up the package", "", "photos/__init__.py", "Requirement 1.1"),
        (
            "2.1",
            "Write `save` in `photos/store.py`",
            "",
            "photos/store.py",
            "Requirement 1.1 Requirement 1.2",
        ),
        (
            "2.2",
            "Property tests of `save` in `tests/test_store.py`",
            "",
            "tests/test_store.py",
            "Requirement 1.2",
        ),
        ("3", "Make previews in `photos/preview.py`", "", "photos/preview.py", "Requirement 2.1"),
    ),
    "kiro/audit-log": (
        ("1.1", "Write the line in `audit/log.py`", "", "audit/log.py", "Requirement 1.1"),
        ("1.2", "Call it from `audit/save.py`", "", "audit/save.py", "Requirement 1.1"),
        ("2", "Checkpoint - all tests pass", "", "", ""),
    ),
    "iflow/007-quiet-mode": (
        ("1.1", "Write say", "", "tool/say.py tests/test_say.py", "1.1 C1 I1"),
        ("1.2", "Use it", "1.1", "tool/main.py", ""),
    ),
}
DOCUMENTS = {
    "iflow/007-quiet-mode": "prd spec design plan tasks",
    "iflow/008-colour": "prd",
    "iflow/009-stub": "spec",
    "kiro/audit-log": "spec tasks",
    "kiro/photo-upload": "spec design tasks",
    "kiro/search": "spec",
    "openspec/add-login-throttle": "prd spec tasks",
    "openspec/split-billing": "prd design spec tasks",
    "openspec/update-readme-badges": "prd spec tasks",
    "spec-kit/001-rate-limits": "spec design tasks",
    "spec-kit/014-export-csv": "spec design tasks",
    "spec-kit/021-dark-mode": "spec design",
}


@pytest.mark.parametrize("place", TASKS)
def test_every_task_with_its_dependencies_files_and_references(place: str) -> None:
    """K6: nothing of a task hides in prose."""
    found = [
        (
            task.number,
            task.title,
            " ".join(task.depends_on),
            " ".join(task.files),
            " ".join(one.id for one in task.references),
        )
        for task in parse_tasks(read(place).documents[A.TASKS])
    ]
    assert found == list(TASKS[place])


def test_every_folder_gives_the_documents_it_has() -> None:
    found = {place: " ".join(name.value for name in read(place).documents) for place in FOLDERS}
    assert found == DOCUMENTS


@pytest.mark.parametrize("place", FOLDERS)
def test_every_line_is_in_a_document_or_in_the_appendix(place: str) -> None:
    """K6: only the rank of a heading may differ, and the titles of joined documents are ours."""
    imported = read(place)
    whole = "\n".join((*imported.documents.values(), imported.appendix))
    have = {_bare(line) for line in whole.splitlines()}
    lines = [_bare(line) for text in files_of(place).values() for line in text.splitlines()]
    assert [line for line in lines if line not in have] == []


def _bare(line: str) -> str:
    return line.lstrip("# ").rstrip()


@pytest.mark.parametrize("place", FOLDERS)
def test_every_file_says_where_it_went(place: str) -> None:
    imported = read(place)
    assert {one.path for one in imported.uses} == set(files_of(place))
    names = {*(name.filename for name in imported.documents), "appendix.md"}
    assert {one.where for one in imported.uses} <= names


def test_a_group_of_tasks_is_no_task_and_ends_where_another_begins() -> None:
    groups = [task.group for task in parse_tasks(read("kiro/photo-upload").documents[A.TASKS])]
    assert groups == ["", "2. Store photos", "2. Store photos", ""]


def test_what_was_ticked_and_what_is_optional_is_said() -> None:
    tasks = {one.number: one for one in parse_tasks(read("kiro/photo-upload").documents[A.TASKS])}
    assert "**Ticked when imported:** yes" in tasks["1"].body
    assert "**Optional:** yes" in tasks["2.2"].body
    assert "Ticked" not in tasks["2.1"].body + tasks["3"].body


def test_a_delta_keeps_what_is_added_changed_removed_and_renamed() -> None:
    spec = read("openspec/split-billing").documents[A.SPEC]
    assert re.findall(r"^## (.*)$", spec, re.MULTILINE) == [
        "billing: ADDED Requirements",
        "orders: REMOVED Requirements, RENAMED Requirements",
    ]
    assert "**Migration**: call `price_of`" in spec


@pytest.mark.parametrize(
    ("path", "names", "kind"),
    [
        ("specs/001-x", {"spec.md"}, SpecFormat.SPEC_KIT),
        ("anywhere/x", {"spec.md", "plan.md"}, SpecFormat.SPEC_KIT),
        ("openspec/changes/x", {"proposal.md"}, SpecFormat.OPENSPEC),
        ("packages/a/openspec/changes/x", set[str](), SpecFormat.OPENSPEC),
        (".kiro/specs/x", {"tasks.md"}, SpecFormat.KIRO),
        ("copied", {"requirements.md"}, SpecFormat.KIRO),
        ("docs/features/001-x", {"spec.md"}, SpecFormat.IFLOW),
        ("copied", {"spec.md", ".meta.json"}, SpecFormat.IFLOW),
        ("copied", {"spec.md"}, None),
        ("copied", {"README.md"}, None),
    ],
)
def test_a_folder_is_told_by_its_place_or_its_files(
    path: str, names: set[str], kind: SpecFormat | None
) -> None:
    assert recognise(path, frozenset(names)) == kind


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("in src/a.py and/or `b.ts`, see https://host/x.html", ("b.ts", "src/a.py")),
        ("tests/ and `docs/`", ("docs/", "tests/")),
        ("version 3.12 of v2.0, e.g. nothing", ()),
        ("read/write the client/server pair", ()),
        ("`PUT /limits/{key}`", ()),
        ("Makefile.am, setup.cfg.", ("Makefile.am", "setup.cfg")),
    ],
)
def test_paths_are_told_from_other_words_with_slashes_and_dots(
    text: str, paths: tuple[str, ...]
) -> None:
    assert paths_in(text) == paths


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(depends on T012, T013)", ["t012", "t013"]),
        ("after 1.1 and 1.2", ["1.1", "1.2"]),
        ("Requires: T-4", ["t-4"]),
        ("afterwards 1.1 is there", []),
    ],
)
def test_dependencies_that_are_said(text: str, numbers: list[str]) -> None:
    assert stated_dependencies(text) == numbers


def test_headings_move_below_and_code_stays() -> None:
    text = "# A\n\n```\n# no heading\n```\n\n## B\n"
    assert demoted(text) == "### A\n\n```\n# no heading\n```\n\n#### B\n"


def test_a_file_that_is_no_markdown_can_not_leave_its_fence() -> None:
    text = appendix_of({"a.yaml": "x: 1\n```\n# Task 1: hello\n"})
    assert text == "# Imported files\n\n## a.yaml\n\n````\nx: 1\n```\n# Task 1: hello\n````\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Feature Specification: Rate limits\n", "Rate limits"),
        ("# Requirements Document\n", "Some words"),
        ("no heading", "Some words"),
        ("# Change: `auth`  again\n", "auth again"),
    ],
)
def test_a_title_without_the_word_for_the_document(text: str, title: str) -> None:
    kinds = ("feature specification", "requirements document", "change")
    assert heading_title(text, kinds, "012-some-words") == title


@given(st.dictionaries(st.sampled_from(["spec.md", "plan.md", "tasks.md", "x.md"]), st.text()))
def test_any_text_is_imported_or_kept(files: dict[str, str]) -> None:
    """K6: whatever the files hold, each ends up somewhere and nothing breaks."""
    imported = import_folder(ForeignFolder("x", files), SpecFormat.SPEC_KIT)
    assert {one.path for one in imported.uses} == set(files)
