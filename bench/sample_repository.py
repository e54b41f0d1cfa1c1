"""A repository to work in, made anew each time and always the same: 40 modules, tests that pass.

Modules have as many tokens as those of the drawn agents' repository; what they say means nothing,
but names that agents search for stand in them. No file of it is kept with this program.
"""

from __future__ import annotations

from collections.abc import Iterator

from sparing.double.agent.phrases import ACTS, NOUNS, search_word
from sparing.double.agent_draws import share
from sparing.double.agent_kinds import FILE_TOKENS, REPOSITORY_FILES, SEARCHES
from sparing.segment import CHARS_PER_TOKEN

PACKAGE = "store"
_WORDS = ("keeps", "returns", "orders", "refuses", "repeats", "counts", "names", "follows")


def sample_files() -> dict[str, str]:
    """Text by path."""
    found = {
        ".gitignore": "__pycache__/\n",
        "README.md": "# Store\n\nKeeps records and tells what became of them.\n",
        "AGENTS.md": "# Working on store\n\n- Standard library only; tests use `unittest`.\n"
        "- Run them with `python3 -m unittest discover -s tests`.\n",
        f"{PACKAGE}/__init__.py": '"""Records and what becomes of them."""\n',
        "tests/__init__.py": "",
        "tests/test_store.py": _tests(),
    }
    return found | {path(number): _module(number) for number in range(REPOSITORY_FILES)}


def path(number: int) -> str:
    noun, act = NOUNS[number % len(NOUNS)], ACTS[number * 3 % len(ACTS)]
    return f"{PACKAGE}/{noun}_{act}_{number:02d}.py"


def _module(number: int) -> str:
    least, most = FILE_TOKENS
    tokens = least + (most - least) * share("module", number)
    lines, chars = [f'"""The part of the store that has number {number}."""', ""], 0
    for part in _functions(number):
        lines.append(part)
        chars += len(part) + 1
        if chars >= tokens * CHARS_PER_TOKEN:
            break
    return "\n".join(lines) + "\n"


def _functions(number: int) -> Iterator[str]:
    step = 0
    while True:
        word = search_word(int(SEARCHES * share("name", number, step)))
        name = f"{word}_{number}_{step}"
        says = _WORDS[int(len(_WORDS) * share("word", number, step))]
        yield (
            f"\ndef {name}(values: list[int], limit: int = {step + 3}) -> int:\n"
            f'    """It {says} what {word.replace("_", " ")} asks for, up to the limit."""\n'
            f"    total = {step}  # where step {step} of part {number} begins\n"
            "    for place, value in enumerate(values):\n"
            f"        if place >= limit:  # step {step} {says} no more than that\n"
            "            break\n"
            f"        total += value * {step + 1}\n"
            "    return total\n"
        )
        step += 1


def _tests() -> str:
    body = [
        "import importlib", "import pkgutil", "import unittest", "", f"import {PACKAGE}", "", "",
        "class TestStore(unittest.TestCase):",
        "    def test_every_part_counts(self) -> None:",
        f"        for found in pkgutil.iter_modules({PACKAGE}.__path__):",
        f'            part = importlib.import_module(f"{PACKAGE}.{{found.name}}")',
        "            for name, value in vars(part).items():",
        "                if callable(value):",
        "                    self.assertGreaterEqual(value([1, 2, 3]), 0, name)",
    ]  # fmt: skip
    return "\n".join(body) + "\n"
