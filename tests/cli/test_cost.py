"""`sparing cost` and `sparing raise` as a person has them. Covers: E2, E3, K1."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.desk.ledgers import office_with, spend
from tests.terminal import Said, sparing


@pytest.fixture
def path(user_repository: UserRepository) -> Path:
    found = user_repository()
    office, row = office_with(found)
    spend(office, row, "1.0-builder", Usage(read=900, output=100))
    return found


def complaint(said: Said) -> tuple[int, str]:
    return said.code, said.complaint[0]


def test_a_table_with_caps_and_what_may_follow(path: Path) -> None:
    said = sparing(path, "cost", "1")
    assert said.code == 0
    lines = [line.rstrip() for line in said.out.splitlines()]
    assert lines[0].split() == ["stage", "turns", "input", "cached", "output", "cost"]
    assert lines[1].split() == ["plan", "1", "900", "100", "%", "100", "$0.001"]
    assert lines[4] == "simulated"
    assert lines[5] == "cap of feature: $0.001 of $40.00, 1,000 of 60.00M tokens"
    assert lines[8].startswith("to come: $")


def test_one_object_for_programs(path: Path) -> None:
    said = sparing(path, "cost", "1", "--by", "role", "--json").json
    assert said["rows"]["builder"]["cost_usd"] == 0.001
    assert said["caps"][0]["limit_usd"] == 40.0
    assert said["forecast"]["origin"] == "estimated"
    every = sparing(path, "cost", "--json").json
    assert (every["by"], every["total"]["turns"]) == ("feature", 1)


def test_lines_for_a_spreadsheet(path: Path) -> None:
    said = sparing(path, "cost", "--by", "day", "--csv")
    assert said.out.splitlines()[1].startswith("2023-11-14,1,0,900,")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("cost", "--csv", "--json"), "error: --csv and --json can't be combined"),
        (("raise", "1"), "error: name what to raise: money, tokens or attempts"),
        (
            ("raise", "1", "--money", "much"),
            "error: 'much' is not an amount of US dollars above 0 and up to 1000000",
        ),
        (
            ("raise", "1", "--money", "nan"),
            "error: 'nan' is not an amount of US dollars above 0 and up to 1000000",
        ),
        (
            ("raise", "1", "--money", "9", "--stage", "plan", "--day"),
            "error: use only one of --stage, --day and --turn",
        ),
        (
            ("raise", "1", "--attempts", "9", "--day"),
            "error: --attempts can't be combined with other limits",
        ),
    ],
)
def test_a_mistake_is_two_lines(path: Path, words: tuple[str, ...], what: str) -> None:
    assert complaint(sparing(path, *words)) == (64, what)


def test_a_raise_before_any_stop(path: Path) -> None:
    said = sparing(path, "raise", "1", "--money", "$60", "--tokens", "90000000")
    assert (said.code, said.out) == (0, "raised. It counts from the next turn on.\n")
    caps = sparing(path, "cost", "1", "--json").json["caps"]
    assert (caps[0]["limit_usd"], caps[0]["limit_tokens"]) == (60.0, 90_000_000)
