"""The secret that wrappers are made with.

Covers: B9
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparing.errors import StateError
from sparing.records.folder import LENGTH, NAME, folder_secret


def test_it_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = folder_secret(tmp_path)
    assert len(first) == LENGTH
    assert folder_secret(tmp_path) == first
    assert oct((tmp_path / NAME).stat().st_mode)[-3:] == "600"
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_two_folders_have_two(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    assert folder_secret(folders[0]) != folder_secret(folders[1])


def test_many_at_once_get_the_same(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = pool.map(folder_secret, [tmp_path] * 8)
    assert len(set(found)) == 1


def test_many_threads_get_the_same(tmp_path: Path) -> None:
    """Assistants that look around side by side are the first to need it."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(folder_secret, [tmp_path] * 64))
    assert len(set(found)) == 1
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_a_broken_one_is_said_with_its_repair(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"short")
    with pytest.raises(StateError, match="has 5 bytes") as error:
        folder_secret(tmp_path)
    assert error.value.repair == f"rm {tmp_path / NAME}"


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(StateError, match="can't be read"):
        folder_secret(tmp_path)
