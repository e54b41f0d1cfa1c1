"""Commands found in a text that an agent wrote, such as a task's done criterion.

Such a command runs only if it is one of the repository's own checks, which run anyway, or if the
user trusted its exact text. All others are listed, so that a person can decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sparing.workspace.checks.discover import Check, command_name

MOST = 20
LONGEST = 300
_SPAN = re.compile(r"`([^`\n]{2,1000})`")
_PROGRAMS = frozenset(
    {
        *("bash", "bun", "cargo", "curl", "deno", "docker", "git", "go", "gradle", "make", "mvn"),
        *("node", "nox", "npm", "npx", "pip", "pip3", "pnpm", "poetry", "powershell", "python"),
        *("python3", "ruby", "sh", "sudo", "tox", "uv", "uvx", "wget", "yarn", "zsh"),
    }
)


class Named(NamedTuple):
    """The commands found in one text."""

    trusted: tuple[Check, ...]
    refused: tuple[str, ...]


def judge_commands(
    text: str, origin: str, checks: Sequence[Check], trusted: Sequence[str]
) -> Named:
    """Decide which of the commands in a text may run and which are only reported."""
    own = {_one_line(check.words) for check in checks}
    kinds = {check.name for check in checks}
    may: list[Check] = []
    refused: list[str] = []
    for found in dict.fromkeys(_SPAN.findall(text)):
        # Of a kind that runs anyway, as the repository itself says it, nobody need be told.
        covered = _one_line(found) in own or command_name(found) in kinds
        if found in trusted:
            may.append(Check(f"done: {found}", ("sh", "-c", found), origin))
        elif _is_command(found) and not covered:
            refused.append(_one_line(found)[:LONGEST])
    return Named(tuple(may[:MOST]), tuple(refused[:MOST]))


def _is_command(text: str) -> bool:
    words = text.split()
    first = words[0] if words else ""
    starts = first in _PROGRAMS or (first.startswith("./") and len(words) > 1)
    return (starts and len(words) > 1) or command_name(text) is not None


def _one_line(text: str) -> str:
    return " ".join(text.split())
