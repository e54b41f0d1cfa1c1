"""Whatever lies where a settings file should be, a person reads two lines about it.

Covers: K1
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.config.load import load
from sparing.config.sources import read_sources
from sparing.errors import ConfigError


def two_lines(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        act()
    return caught.value.what, caught.value.repair


DISK: list[tuple[str, Callable[[Path], object], str]] = [
    ("folder", lambda file: file.mkdir(), "a folder"),
    ("pipe", os.mkfifo, "not a regular file"),
    ("link to itself", lambda file: file.symlink_to(file), "a link to itself"),
    ("link to nothing", lambda file: file.symlink_to("gone"), "a broken link"),
    ("too large", lambda file: file.write_bytes(b"#" * (4 * 2**20 + 1)), "more than 4 MiB"),
]


@pytest.mark.parametrize(("make", "reason"), [one[1:] for one in DISK], ids=[d[0] for d in DISK])
@pytest.mark.parametrize("name", ["sparing.toml", "pyproject.toml"])
def test_a_file_that_cannot_be_read(
    tmp_path: Path, name: str, make: Callable[[Path], object], reason: str
) -> None:
    make(tmp_path / name)
    lines = two_lines(lambda: read_sources({}, tmp_path))
    # Newer Pythons leave a link to itself to the system's own words.
    found = lines[0].replace("Too many levels of symbolic links", "a link to itself")
    assert found == f"{tmp_path}/{name} can't be read as a settings file: {reason}"
    assert lines[1] == "replace it with a readable text file, or remove it"


def test_the_systems_own_refusal(tmp_path: Path) -> None:
    (tmp_path / "sparing").write_text("a file where a folder should be")
    lines = two_lines(lambda: read_sources({"XDG_CONFIG_HOME": str(tmp_path)}, None))
    path = f"{tmp_path}/sparing/config.toml"
    assert lines[0] == f"{path} can't be read as a settings file: Not a directory"


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "sparing.toml").write_bytes("# fine\n# größe".encode("latin-1"))
    assert two_lines(lambda: read_sources({}, tmp_path)) == (
        f"{tmp_path}/sparing.toml, line 2: a byte that is not UTF-8",
        "correct line 2 of that file",
    )


def test_a_link_out_of_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    repository.mkdir()
    (tmp_path / "secret").write_text("review.cap = 1")
    (repository / "sparing.toml").symlink_to("../secret")
    assert two_lines(lambda: read_sources({}, repository)) == (
        f"project file {repository}/sparing.toml: a link that leads out of the repository",
        "replace the link with a regular file",
    )


def test_a_link_inside_the_repository_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("review.cap = 1")
    (tmp_path / "sparing.toml").symlink_to("real.toml")
    assert load(read_sources({"HOME": "/h"}, tmp_path), {}).settings.review.cap == 1


def test_a_path_with_a_line_break_stays_one_line(tmp_path: Path) -> None:
    repository = tmp_path / "a\nb"
    repository.mkdir()
    (repository / "sparing.toml").write_text("x = 1")
    lines = two_lines(lambda: load(read_sources({"HOME": "/h"}, repository), {}))
    assert lines[0].endswith("a\\nb/sparing.toml: there is no setting x")
