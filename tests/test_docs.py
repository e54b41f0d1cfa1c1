"""The papers of the project say what the code does, and keep its limits.

Covers: K4
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import coverage, words
from scripts.docs import PAGES, Page, check, write

ROOT = Path(__file__).resolve().parent.parent


# Written in pieces, so that this file does not name what it forbids.
MACHINE_PATH = re.compile(r"(?<![\w.}])/(?:(?:work|root)/|home/(?!ada\b)[a-z])")
REGISTRY_HOST = re.compile(
    r"\b(?:pypi\.(?:org|python)|pythonhosted\.|npmjs\.|crates\.(?:io)|rubygems\.|proxy\.golang)"
)

REQUIREMENTS = """\
## A. Flows

- **A1 First.** It holds.
- **A2 Second.** It holds too, unlike A1.

## B. Prompts

- **B10 Third.** No test yet.
"""

SAMPLES = """\
import pytest

def test_passes(): pass
def test_skips(): pytest.skip("something is missing")
@pytest.mark.xfail
def test_fails_as_expected(): raise ValueError
"""


def project_files() -> list[Path]:
    """All text files that are, or would be, under version control."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()]


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in project_files()
        for number, line in enumerate(file.read_text("utf-8", "replace").splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.long  # `make lint` says so sooner
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_generated_pages_are_fresh(page: Page) -> None:
    """K4: lint fails on a stale page, and so does this."""
    assert read(page.path).splitlines() == page.render(ROOT).splitlines()


def test_a_stale_page_is_named_and_written_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """K4: a page is stale if its text differs or it is missing."""
    pages = (Page("old.md", always_new), Page("missing.md", always_new))
    (tmp_path / "old.md").write_text("old\n")
    assert check(tmp_path, pages) == 1
    assert capsys.readouterr().err == (
        "error: old.md is stale\nfix: make docs\nerror: missing.md is stale\nfix: make docs\n"
    )
    write(tmp_path, pages)
    assert (check(tmp_path, pages), capsys.readouterr().err) == (0, "")


def always_new(_: Path) -> str:
    return "new\n"


def test_every_requirement_is_on_the_coverage_page() -> None:
    """K4: an id cannot fall out of sight."""
    text = read("docs/requirements.md")
    written = re.findall(r"^- \*\*(\w+)", text, re.MULTILINE)
    listed = re.findall(r"^- \*\*(\w+)\*\*", read("docs/generated/coverage.md"), re.MULTILINE)
    assert written == listed
    assert len(written) == len(set(written)) > 0


def test_claims_are_read_from_docstrings_of_every_kind() -> None:
    source = '''
"""Covers: A1"""
class TestThing:
    """A2 in a class."""
    async def test_it(self):
        """A2, B10: both; C7 is no requirement of that page."""
def test_sample():
    """A sample like `A1` claims nothing."""
    "B10 in a bare string neither"  # nor A2 in a comment
'''
    assert coverage.claims("tests/test_x.py", source, {"A1", "A2", "B10"}) == (
        coverage.Claim("A1", "tests/test_x.py"),
        coverage.Claim("A2", "tests/test_x.py::TestThing"),
        coverage.Claim("A2", "tests/test_x.py::TestThing::test_it"),
        coverage.Claim("B10", "tests/test_x.py::TestThing::test_it"),
    )


def test_the_coverage_page_lists_tests_or_says_not_yet() -> None:
    claims = [coverage.Claim("A2", test) for test in ("u.py", "t.py::b", "t.py::a", "t.py")]
    page = coverage.render(coverage.requirements(REQUIREMENTS), claims)
    assert page.partition("1 of 3 requirements are named by a test.\n")[2] == (
        "\n## Flows\n\n"
        "- **A1** First: not yet\n"
        "- **A2** Second\n  - `t.py::a`\n  - `t.py::b`\n  - `u.py`\n"
        "\n## Prompts\n\n"
        "- **B10** Third: not yet\n"
    )


def test_every_room_is_on_the_map() -> None:
    """K4: a newcomer finds each folder of the package explained."""
    papers = read("AGENTS.md") + read("docs/glossary.md")
    rooms = [init.parent.name for init in (ROOT / "src/sparing").glob("*/__init__.py")]
    assert [room for room in rooms if not re.search(rf"`{room}/?`", papers)] == []


def test_relative_links_lead_somewhere() -> None:
    broken = [
        f"{file.relative_to(ROOT)}: {target}"
        for file in project_files()
        if file.suffix == ".md" and not file.is_relative_to(ROOT / "src")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", file.read_text("utf-8"))
        if not (file.parent / target).exists()
    ]
    assert broken == []


def test_anchors_of_links_are_headings() -> None:
    broken = [
        f"{file.relative_to(ROOT)}: {target}#{anchor}"
        for file in project_files()
        if file.suffix == ".md" and not file.is_relative_to(ROOT / "src")
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)]+)\)", file.read_text("utf-8"))
        if anchor not in anchors(file.parent / target if target else file)
    ]
    assert broken == []


def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_is_in_the_index() -> None:
    """K4: whoever opens docs/ finds each page, in the order tutorial, how-to, reference, why."""
    index = read("docs/README.md")
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/generated").glob("*.md")]
    names = [page.relative_to(ROOT / "docs").as_posix() for page in pages]
    assert [name for name in names if f"]({name})" not in index and name != "README.md"] == []
    heads = re.findall(r"^## (.+)$", index, re.MULTILINE)
    assert heads == ["Tutorial", "How-to guides", "Reference", "Explanation"]


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_matching(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    """The lock file has hashes; where packages come from is the installer's choice."""
    assert lines_matching(REGISTRY_HOST) == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE_PATH, "see /ro" + "ot/x"),
        (MACHINE_PATH, "`/wo" + "rk/main`"),
        (MACHINE_PATH, "cd /ho" + "me/ann"),
        (REGISTRY_HOST, "--index-url https://py" + "pi.org/simple"),
        (REGISTRY_HOST, "https://files.python" + "hosted.org/packages"),
    ],
)
def test_what_no_file_may_name_would_be_seen(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


def test_on_ci_a_skipped_test_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_one.py").write_text(SAMPLES)
    (tmp_path / "test_two.py").write_text("import pytest\n\npytest.importorskip('no_such')\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "scripts.noskip", "-p", "no:cacheprovider"]
        + ["--continue-on-collection-errors", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed, 1 xfailed, 1 error" in done.stdout
    assert "skipped, which fails on CI: " in done.stdout


def test_words_that_readers_stumble_over_are_found(tmp_path: Path) -> None:
    """K4: in pages, in help and in texts of the code; docstrings are nobody's business."""
    table = "# C\n\n## Words\n\n| not | but |\n|---|---|\n| once more | again |\n\n## Next\n"
    code = (
        '"""Once more."""\ndef one_command():\n    """Do it once more."""\n'
        '    return "try once more"\n'
        '\n\ndef other():\n    """Once more."""\n'
    )
    files = {
        "CONTRIBUTING.md": table,
        "README.md": "# R\n\nTry once more.\n",
        "src/sparing/cli/a.py": code,
        "src/sparing/agents/b.py": 'STORED = "once more"\nERROR = "try it once more"\n',
        "src/sparing/double/c.py": 'ANSWER = "try it once more"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    says = 'write "again", not "once more"'
    assert words.complaints(tmp_path) == [
        f"README.md:3: {says}",
        f"src/sparing/agents/b.py:2: {says}",
        f"src/sparing/cli/a.py:2: {says}",
        f"src/sparing/cli/a.py:4: {says}",
    ]
    assert len(words.wordings(read("CONTRIBUTING.md"))) > 10
