"""Lines that a person is told to copy fit how this copy was installed. Covers: K8."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.package import NEEDED, missing
from scripts.release import Refused, released, wanted
from sparing.installation import Installation, add_command, here, needs

PYTHON = Path("/opt/x/bin/python")


def installed(prefix: str) -> Installation:
    return Installation(Path(prefix) / "lib/python3.11/site-packages/sparing", Path(prefix), PYTHON)


def test_a_clone_has_a_makefile(tmp_path: Path) -> None:
    """K8: from wherever the person is."""
    package = tmp_path / "my clone" / "src" / "sparing"
    package.mkdir(parents=True)
    place = Installation(package, tmp_path, PYTHON)
    assert "pip install" in add_command("claude", place), "no Makefile, no clone"
    (tmp_path / "my clone" / "Makefile").touch()
    assert add_command("claude", place) == f"make -C '{tmp_path}/my clone' extras"
    assert add_command("claude", here()).startswith("make -C /")


@pytest.mark.parametrize(
    ("prefix", "begins"),
    [
        ("/u/x/.local/share/pipx/venvs/sparing", "pipx inject sparing claude-agent-sdk=="),
        ("/u/x/.local/share/uv/tools/sparing", "uv pip install --python /u/x/.local/"),
        ("/opt/x", "/opt/x/bin/python -m pip install claude-agent-sdk=="),
    ],
)
def test_other_ways_add_the_packages_that_are_published(prefix: str, begins: str) -> None:
    """K8: nothing is fetched from an index that does not have it."""
    said = add_command("claude", installed(prefix))
    assert said.startswith(begins)
    assert "sparing[" not in said


@pytest.mark.parametrize("extra", ["claude", "charts", "web"])
def test_every_extra_names_its_packages(extra: str) -> None:
    assert needs(extra)
    assert not any("sparing" in one for one in needs(extra))


def test_a_wheel_that_lacks_something_is_refused() -> None:
    """K8"""
    assert missing(NEEDED) == []
    assert missing([*NEEDED[1:], "tests/x.py"]) == [
        f"{NEEDED[0]} is not in the wheel", "tests/x.py is in the wheel",
    ]  # fmt: skip


CHANGES = "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2026-01-01\n"


def test_a_release_gives_the_changelog_a_section() -> None:
    """K8: and an empty one for what comes next."""
    text = released(CHANGES, "0.2.0", "2026-02-03")
    assert "## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n\n- A thing.\n" in text
    with pytest.raises(Refused, match="nothing under Unreleased"):
        released(text, "0.3.0", "2026-02-04")


def test_a_release_is_newer() -> None:
    assert wanted("0.10.0", "0.9.9") == "0.10.0"
    for bad in ("", "1", "0.9.9", "0.9.8", "v1.0.0"):
        with pytest.raises(Refused):
            wanted(bad, "0.9.9")
