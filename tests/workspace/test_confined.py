"""Files inside the folder are read, written and removed as one expects.

Covers: H4
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.project.paths import PathRefused, check_path
from tests.workspace.grounds import SECRET, Grounds, entries


@pytest.fixture
def grounds(tmp_path: Path) -> Grounds:
    return Grounds(tmp_path)


def test_files_are_written_whole_with_their_folders_and_mode(grounds: Grounds) -> None:
    files = grounds.files
    files.write_text("docs/features/001-x/spec.md", "# Spec\n")
    assert files.read_text("docs/features/001-x/spec.md") == "# Spec\n"
    script = grounds.inside / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    files.write_bytes("run.sh", b"new")
    assert (script.read_text(), script.stat().st_mode & 0o777) == ("new", 0o755)
    assert entries(grounds.inside) == [".git", "docs", "run.sh", "src"]


def test_what_a_dead_process_left_is_no_obstacle(grounds: Grounds) -> None:
    (grounds.inside / ".a.sparing").symlink_to(grounds.secret)
    grounds.files.write_text("a", "fine")
    assert grounds.secret.read_text() == SECRET
    assert (grounds.inside / "a").read_text() == "fine"


def test_size_has_a_limit(grounds: Grounds) -> None:
    grounds.files.write_text("big", "x" * 100)
    assert grounds.files.read_text("big", limit=100) == "x" * 100
    with pytest.raises(PathRefused, match="larger than 99 bytes"):
        grounds.files.read_text("big", limit=99)


def test_exists_is_true_for_files_that_can_be_read(grounds: Grounds) -> None:
    (grounds.inside / "link").symlink_to(grounds.secret)
    assert grounds.files.exists("src/app.py")
    assert not grounds.files.exists("src/none.py")
    assert not grounds.files.exists("none/x")
    with pytest.raises(PathRefused):
        grounds.files.exists("link")


def test_remove_takes_the_link_and_the_empty_folders(grounds: Grounds) -> None:
    (grounds.inside / "a/b").mkdir(parents=True)
    (grounds.inside / "a/b/link").symlink_to(grounds.outside)
    grounds.files.remove("a/b/link")
    assert entries(grounds.inside) == [".git", "src"]
    (grounds.inside / "link").symlink_to(grounds.outside)
    for path in ("link/secret", "../outside/secret", ".git/config", str(grounds.secret), ""):
        with pytest.raises(PathRefused):
            grounds.files.remove(path)
    assert grounds.secret.exists()


def test_the_error_has_two_lines_and_does_not_print_the_trick() -> None:
    with pytest.raises(RepositoryError) as caught:
        check_path("a\x1b[31m\nb" * 100)
    assert len(str(caught.value).splitlines()) == 2
    assert "\x1b" not in str(caught.value)
