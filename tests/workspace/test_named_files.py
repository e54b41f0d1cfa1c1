"""Helpers of a check: files that its command, its scripts or its runner's settings name.

Covers: H8
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.checks.named_files import named_scripts, prepared_by
from sparing.workspace.checks.runners import RUNNERS
from sparing.workspace.git.snapshot import Snapshot
from tests.repositories import make_repository
from tests.workspace.features import snapshot

FILES = {
    "ci/run.sh": ". ci/lib.sh\npython3 app.py\npython3 ci/run.py\n",
    "ci/lib.sh": "all() { true; }\n",
    "ci/run.py": "import helper\nimport app\nfrom json import loads\n",
    "ci/helper.py": "",
    "ci/other.py": "",
    "ci/run.js": "require('./load')\nrequire('../src/app')\n",
    "ci/load.js": "",
    "src/app.js": "",
    "app.py": "",
    "suite/Makefile": "",
    "tests/test_a.py": "",
    "jest.setup.js": "",
    "src/index.ts": "",
}
RUN = {"ci/run.sh", "ci/lib.sh", "ci/run.py", "ci/helper.py"}


@pytest.fixture
def files(tmp_path: Path) -> Snapshot:
    return snapshot(make_repository(tmp_path / "r", FILES))


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("sh ci/run.sh", RUN),
        ("node ci/run.js", {"ci/run.js", "ci/load.js"}),
        ("for one in ci/*.sh; do sh $$one; done", RUN),
        ("cd ci && sh lib.sh", {"ci/lib.sh"}),
        ("cd suite && make all", {"suite/Makefile"}),
        ("make -C suite", {"suite/Makefile"}),
        ("python -m pytest tests/test_a.py", set[str]()),
        ("*", set[str]()),
    ],
)  # fmt: skip
def test_what_a_command_leads_to(files: Snapshot, command: str, found: set[str]) -> None:
    """H8: product code that a script starts is not a part of the check."""
    assert set(dict(named_scripts(files, command))) == found


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("setupFiles: ['<rootDir>/jest.setup.js'],", {"jest.setup.js"}),
        ('{"setupFilesAfterEnv": ["./jest.setup.js"]}', {"jest.setup.js"}),
        ("require: ./jest.setup.js", {"jest.setup.js"}),
        ("build: { lib: { entry: 'src/index.ts' } }", set[str]()),
        ("add_test(NAME one COMMAND sh ${CMAKE_SOURCE_DIR}/ci/lib.sh)", {"ci/lib.sh"}),
        ("add_library(app app.c)", set[str]()),
    ],
)
def test_what_settings_prepare_tests_with(files: Snapshot, settings: str, found: set[str]) -> None:
    assert set(dict(prepared_by(files, (settings,)))) == found


def test_a_build_script_of_another_name() -> None:
    """H8: cargo runs it before it compiles the tests."""
    (parts,) = [
        setting.part
        for runner in RUNNERS
        for setting in runner.settings
        if setting.file == "Cargo.toml"
    ]
    assert "package.build" in parts.split("|")
