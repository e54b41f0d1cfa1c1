"""Modules of a repository for drawn agents to explore: generated, and always the same.

They have as many tokens as files of real repositories; the contents mean nothing, but include the
names that agents search for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from sparing.double.agent.phrases import ACTS, NOUNS, search_word
from sparing.double.agent_draws import share
from sparing.double.agent_kinds import FILE_TOKENS, REPOSITORY_FILES, SEARCHES
from sparing.segment import CHARS_PER_TOKEN

_WORDS = ("keeps", "returns", "orders", "refuses", "repeats", "counts", "names", "follows")


def module_files(package: str) -> dict[str, str]:
    """Text by path, in a package of this path."""
    name = PurePosixPath(package).name
    numbers = range(REPOSITORY_FILES)
    return {f"{package}/{_file(number)}": _module(name, number) for number in numbers}


def _file(number: int) -> str:
    noun, act = NOUNS[number % len(NOUNS)], ACTS[number * 3 % len(ACTS)]
    return f"{noun}_{act}_{number:02d}.py"


def _module(package: str, number: int) -> str:
    least, most = FILE_TOKENS
    tokens = least + (most - least) * share("module", number)
    lines, chars = [f'"""The part of the {package} that has number {number}."""', ""], 0
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
