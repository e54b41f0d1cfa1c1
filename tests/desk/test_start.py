"""Starting and finding features.

Covers: A4, A6, H1, K1
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from sparing.desk.features.view import list_views
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError, SparingError, UsageError
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow
from tests.desk.standing import NOW, made_folder, started
from tests.guard import Guard
from tests.repositories import git, make_repository

ASKED = 'sparing start "Add rate limiting"'


def names(office: Office) -> list[str]:
    return [view.name for view in list_views(office)]


def test_the_first_feature(office: Office) -> None:
    """A4: its number, folder and branch names, and the commit that it will start from."""
    row = answers.start(office, "Add rate limiting", "feature", {"review.cap": 2}, NOW)
    feature = row.feature
    assert (feature.id, feature.branch) == ("001", "feature/001-add-rate-limiting")
    assert (feature.key, feature.flow) == (f"{office.repository.key}-001", "feature")
    assert feature.base_branch == "main"
    assert feature.base_commit == git(office.repository.checkout, "rev-parse", "HEAD")
    assert (row.status, row.running, row.leg_id) == (
        FeatureStatus.PLANNED,
        False,
        f"{feature.key}.g0.0",
    )
    assert row.overrides == {"review.cap": 2}
    assert answers.find(office, "1") == row


def test_starting_makes_rows_only(office: Office) -> None:
    """H1: neither branch nor folder nor worktree is there before the feature runs."""
    started(office)
    branches = git(office.repository.checkout, "branch", "--list", "feature/*")
    assert (branches, office.folder.worktree("001-add-rate-limiting").exists()) == ("", False)


@pytest.mark.parametrize(
    ("taken", "number"),
    [
        ((), 1),
        (("folder 007-old",), 8),
        (("commit 012-old",), 13),
        (("branch feature/020-x",), 21),
        (("branch origin/feature/030-y",), 31),
        (("folder 007-old", "branch feature/020-x", "commit 012-z"), 21),
        (("folder notes", "folder 2024", "branch feature/no-number", "branch other/099-x"), 1),
    ],
)
def test_a_number_is_one_more_than_the_highest(
    tmp_path: Path, guard: Guard, taken: tuple[str, ...], number: int
) -> None:
    """A4: over features of ours, folders in the checkout and in commits, and branches."""
    path = make_repository(tmp_path / "r")
    for kind, _, name in (one.partition(" ") for one in taken):
        if kind == "branch":
            ref = f"remotes/{name}" if name.startswith("origin/") else f"heads/{name}"
            git(path, "update-ref", f"refs/{ref}", "HEAD")
        else:
            made_folder(path / "docs" / "features", name)
        if kind == "commit":
            git(path, "add", "--all")
            git(path, "commit", "--quiet", "-m", "earlier work")
            git(path, "rm", "-r", "--quiet", "--cached", "docs")
    guard.watch(path)
    office = open_office(path)
    assert [started(office).feature.number for _ in range(2)] == [number, number + 1]


def test_starts_at_the_same_moment_get_different_numbers(office: Office) -> None:
    """A4"""
    titles = [f"Feature {letter}" for letter in "abcdefgh"]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(partial(started, office), titles))
    assert sorted(row.feature.number for row in rows) == list(range(1, 9))


@pytest.mark.parametrize(
    ("title", "kept", "slug"),
    [
        ("  Add\trate\n limiting  ", "Add rate limiting", "add-rate-limiting"),
        ("Größe der Wörter", "Größe der Wörter", "gr-e-der-w-rter"),
        ("日本語 👩‍💻", "日本語 👩‍💻", "untitled"),
        ("x" * 200, "x" * 200, "x" * 30),
    ],
)
def test_a_title_is_one_line(office: Office, title: str, kept: str, slug: str) -> None:
    """A4"""
    feature = started(office, title).feature
    assert (feature.title, feature.slug) == (kept, slug)


LENGTH = "a feature is one sentence of at most 200 characters"
PLAIN = "that is not plain text: it has control characters or broken bytes"


@pytest.mark.parametrize(
    ("title", "what"),
    [
        ("", LENGTH),
        (" \n\t ", LENGTH),
        ("x" * 201, LENGTH),
        ("red \x1b[31m", PLAIN),
        ("nul \0 byte", PLAIN),
        ("half \udcff a byte", PLAIN),
    ],
)
def test_a_bad_title_makes_nothing(office: Office, title: str, what: str) -> None:
    """K1: two lines, and the number is still free."""
    with pytest.raises(UsageError) as caught:
        started(office, title)
    assert (caught.value.what, caught.value.repair) == (what, ASKED)
    assert names(office) == []


def test_an_unknown_flow() -> None:
    """K1"""
    with pytest.raises(UsageError) as caught:
        answers.check_flow("features")
    assert caught.value.what == "there is no flow 'features'"
    assert caught.value.repair == "did you mean feature? flows: feature, L1, L2, L3"
    assert [answers.check_flow(name) for name in ("feature", "L1", "L2", "L3")]


@pytest.fixture
def three(office: Office) -> list[FeatureRow]:
    titles = ("Add rate limiting", "Log slow queries", "Log slow queries")
    return [started(office, title) for title in titles]


@pytest.mark.parametrize(
    "name",
    [
        "1",
        "001",
        "0001",
        " 1 ",
        "add-rate-limiting",
        "001-add-rate-limiting",
        "001-ADD-rate-limiting",
    ],
)
def test_a_feature_by_any_of_its_names(office: Office, three: list[FeatureRow], name: str) -> None:
    """A6"""
    assert answers.find(office, name) == three[0]


def complaint(office: Office, name: str) -> tuple[str, str]:
    with pytest.raises(SparingError) as caught:
        answers.find(office, name)
    assert isinstance(caught.value, FeatureError)
    return caught.value.what, caught.value.repair


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("7", ""),
        ("", ""),
        ("0", ""),
        ("nothing like it", ""),
        ("add-rate-limitng", "did you mean add-rate-limiting? "),
        ("001-add-rate", "did you mean 001-add-rate-limiting? "),
    ],
)
def test_an_unknown_feature(office: Office, three: list[FeatureRow], name: str, hint: str) -> None:
    """K1: with the name that was probably meant."""
    assert three
    assert complaint(office, name) == (
        f"there is no feature '{name}' here",
        f"{hint}see them all: sparing list",
    )


def test_a_name_of_two_features(office: Office, three: list[FeatureRow]) -> None:
    """K1"""
    assert three
    assert complaint(office, "log-slow-queries") == (
        "'log-slow-queries' fits features 002, 003",
        "name one by its number: 002",
    )
    assert answers.find(office, "003-log-slow-queries") == three[2]


def test_a_number_is_a_number_even_where_a_slug_looks_like_one(
    office: Office, three: list[FeatureRow]
) -> None:
    """A6"""
    odd = started(office, "2")
    assert answers.find(office, "2") == three[1]
    assert answers.find(office, "4") == odd == answers.find(office, "004-2")
