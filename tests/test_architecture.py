"""Each rule of `scripts.architecture` sees a fault planted for it, and nothing where there is none.

Covers: K4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from scripts.architecture import (
    ENGINE_DOOR,
    FOLDER_FILES,
    ROOM_LINES,
    RULES,
    Package,
    class_names_are_unique,
    doors_import_the_engine_once,
    files_and_functions_stay_small,
    money_has_one_caller,
    read,
    records_are_built_by_keyword,
    rooms_stay_small,
    signatures_are_typed,
)

Rule = Callable[[Package], Iterator[str]]

CLEAN = {
    "usage.py": "class Usage: ...\n",
    "payment/paid_call.py": "def pay(ledger, backend):\n    ledger.begin()\n    backend.run()\n",
    "cli/run/engine_ownership.py": "def late():\n    from sparing.engine.lifecycle import Engine\n",
    "engine/lifecycle.py": "from sparing.usage import Usage\n\nclass Engine: ...\n",
    "engine/steps/calls.py": "def step(value: dict[str, Any]) -> dict[str, Any]: ...\n",
    "records/ledger.py": "def load(row: dict[str, Any]) -> None: ...\n",
}


def package(folder: Path, files: Mapping[str, str]) -> Package:
    for name, text in {**CLEAN, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read(folder)


def test_a_package_without_faults_is_not_complained_about(tmp_path: Path) -> None:
    """K4: what is allowed is allowed: one payer, one door to the engine, JSON in steps and rows."""
    assert [said for rule in RULES for said in rule(package(tmp_path, {}))] == []


FAULTS: list[tuple[Rule, dict[str, str], str]] = [
    (
        records_are_built_by_keyword,
        {"flow/many.py": "class Many(NamedTuple): ...\n\nmany = Many(1, 2, 3, 4, 5, 6, 7)\n"},
        "flow.many:3 builds Many from 7 values by position: name them",
    ),
    (
        rooms_stay_small,
        {"finish/long.py": "\n" * (ROOM_LINES["finish"] + 1)},
        "finish has 2501 lines, more than 2500: part of it is another room",
    ),
    (
        rooms_stay_small,
        {"engine/a.py": "\n" * 900, "engine/steps/b.py": "\n" * 900},
        f"engine has {1800 + 4} lines, more than 1800: part of it is another room",
    ),
    (
        rooms_stay_small,
        {f"workspace/git/m{number}.py": "" for number in range(FOLDER_FILES + 1)},
        "workspace.git has 26 files, more than 25: make folders in it",
    ),
    (
        class_names_are_unique,
        {
            "review/loop.py": "class Look: ...\n",
            "desk/reviews.py": "class Look: ...\n",
            "stages/rounds.py": "from sparing.review.loop import Look\n",
        },
        "class Look means several things: desk.reviews, review.loop",
    ),
    (
        class_names_are_unique,
        {
            "review/loop.py": "class Look: ...\n",
            "desk/reviews.py": "class Look: ...\n",
            "stages/rounds.py": "from sparing.review import loop\n\nlook = loop.Look\n",
        },
        "class Look means several things: desk.reviews, review.loop",
    ),
    (
        signatures_are_typed,
        {"stages/moves.py": "def move(**place: dict[str, Any]) -> None: ...\n"},
        "stages.moves.move passes dict[str, Any]: give the value a type",
    ),
    (
        signatures_are_typed,
        {"stages/moves.py": "def move(place: dict[str, Any]) -> None: ...\n"},
        "stages.moves.move passes dict[str, Any]: give the value a type",
    ),
    (
        signatures_are_typed,
        {"desk/view.py": "class View:\n    async def dump(self) -> list[dict[str, Any]]: ...\n"},
        "desk.view.dump passes dict[str, Any]: give the value a type",
    ),
    (
        signatures_are_typed,
        {"records_of.py": "def load(*, row: dict[str, Any] | None) -> None: ...\n"},
        "records_of.load passes dict[str, Any]: give the value a type",
    ),
    (
        doors_import_the_engine_once,
        {"web/page.py": "def late():\n    from sparing.engine import lifecycle\n"},
        f"web.page imports the engine: only {ENGINE_DOOR} does",
    ),
    (
        doors_import_the_engine_once,
        {"cli/look/watch.py": "from sparing.engine.mail import deliver\n"},
        f"cli.look.watch imports the engine: only {ENGINE_DOOR} does",
    ),
    (
        doors_import_the_engine_once,
        {"cli/look/watch.py": "import sparing.engine.mail\n"},
        f"cli.look.watch imports the engine: only {ENGINE_DOOR} does",
    ),
    (
        money_has_one_caller,
        {"finish/retro.py": "def go(tx):\n    ledger.begin(tx)\n"},
        "finish.retro calls ledger.begin: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"eval/trial.py": "async def go(around):\n    await around.backend(1).run(2)\n"},
        "eval.trial calls backend.run: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"eval/trial.py": "class T:\n    async def go(self):\n        self._backend.run(2)\n"},
        "eval.trial calls backend.run: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"finish/retro.py": "from sparing.records import ledger as books\nbooks.begin(1)\n"},
        "finish.retro calls ledger.begin: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"eval/trial.py": "def go(around):\n    one = around.backend(1)\n    one.run(2)\n"},
        "eval.trial calls backend.run: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"eval/trial.py": "def go(one: Backend):\n    one.run(2)\n"},
        "eval.trial calls backend.run: only payment.paid_call does",
    ),
    (
        money_has_one_caller,
        {"finish/retro.py": "from sparing.records.ledger import begin\n"},
        "finish.retro imports ledger.begin by name: call it where others can see it",
    ),
]


@pytest.mark.parametrize(("rule", "planted", "complaint"), FAULTS)
def test_a_planted_fault_is_named(
    tmp_path: Path, rule: Rule, planted: dict[str, str], complaint: str
) -> None:
    """K4"""
    assert list(rule(package(tmp_path, planted))) == [complaint]


def test_every_rule_has_a_planted_fault() -> None:
    """K4: a rule that nobody has seen complain may be blind."""
    assert {rule for rule, _, _ in FAULTS} == set(RULES)


@pytest.mark.parametrize(
    "planted",
    [
        {"review/a.py": "class _Look: ...\n", "desk/a.py": "class _Look: ...\n"},
        {
            "review/a.py": "class Look: ...\n",
            "desk/a.py": "class Look: ...\n",
            "desk/b.py": "from sparing.desk.a import Look\n",
        },
    ],
    ids=["private", "imported within its own room alone"],
)
def test_a_name_that_stays_in_its_room_may_be_used_again(
    tmp_path: Path, planted: dict[str, str]
) -> None:
    """K4"""
    assert list(class_names_are_unique(package(tmp_path, planted))) == []


def test_long_files_and_functions_are_named(tmp_path: Path) -> None:
    """K4: wherever Python is, tests and benchmarks too."""
    long_function = "def long():\n" + "    print()\n" * 50
    for name, text in {
        "src/a.py": "x = 1\n" * 301,
        "tests/b.py": long_function,
        "bench/c.py": f"class C:\n    {long_function.replace(chr(10), chr(10) + '    ')}",
        "scripts/d.py": "x = 1\n" * 300 + "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text)
    assert list(files_and_functions_stay_small(tmp_path)) == [
        "src/a.py has 301 lines, more than 300: split it",
        "tests/b.py: long has 51 lines, more than 50: split it",
        "bench/c.py: long has 51 lines, more than 50: split it",
    ]
