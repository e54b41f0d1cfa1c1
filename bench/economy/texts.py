"""Words for documents and code of a wanted length, equal for equal names.

Nobody reads them; they are there so that prompts, sections, references and diffs are made by the
program's own code. Every line is unlike all others, so that it can be told whether an agent was
given it.
"""

from __future__ import annotations

import difflib
import hashlib
import random
from collections.abc import Sequence

WORDS = (
    "limit", "window", "token", "bucket", "client", "header", "retry", "queue", "worker",
    "table", "index", "column", "batch", "page", "cursor", "parser", "writer", "reader",
    "session", "cache", "entry", "key", "value", "store", "lock", "event", "signal", "timer",
    "format", "field", "record", "stream", "buffer", "handler", "route", "policy", "guard",
    "check", "report", "summary", "detail", "default", "option", "setting", "error", "warning",
    "message", "input", "output", "result", "source", "target", "module",
)  # fmt: skip
LINE_CHARS = 88
RUN_LINES = 5
"""Neighbouring lines that change together."""


def line(name: str, number: int, chars: int = LINE_CHARS) -> str:
    """One line of about so many characters, without its end."""
    digest = hashlib.sha256(f"{name} {number}".encode()).digest()
    start = digest[:3].hex()
    words = " ".join(WORDS[byte % len(WORDS)] for byte in digest[3:])
    return f"{start} {words}"[: max(8, chars)].rstrip()


def lines(name: str, chars: int, prefix: str = "") -> list[str]:
    """Lines that are `chars` long together, ends included."""
    made: list[str] = []
    left = chars
    while left > 0:
        width = min(LINE_CHARS, left - 1)
        made.append((prefix + line(name, len(made), width - len(prefix)))[: max(8, width)])
        left -= len(made[-1]) + 1
    return made


def section(heading: str, name: str, chars: int) -> list[str]:
    return [heading, "", *lines(name, chars - len(heading) - 3, "- "), ""]


def prd(name: str, chars: int) -> str:
    """Problem and goals are 15 % of it."""
    parts = [("## Problem", 0.08), ("## Goals", 0.07), ("## Evidence", 0.3), ("## Scope", 0.3)]
    parts += [("## Risks", 0.25)]
    return _document(f"# PRD: {name}", name, chars, parts)


def spec(name: str, chars: int) -> str:
    parts = [(f"## R{number}: {line(name, number, 24)}", 0.1) for number in range(1, 11)]
    return _document(f"# Spec: {name}", name, chars, parts)


def design(name: str, chars: int) -> str:
    """Twenty components of 5 % each: a task refers to three, four or five."""
    parts = [(f"## C{number}: {line(name, number, 24)}", 0.05) for number in range(1, 21)]
    return _document(f"# Design: {name}", name, chars, parts)


def plan(name: str, chars: int) -> str:
    """Eight steps: each is about 12 % of it."""
    parts = [(f"## Step {number}: {line(name, number, 24)}", 0.125) for number in range(1, 9)]
    return _document(f"# Plan: {name}", name, chars, parts)


def tasks(name: str, chars: int, references: Sequence[str]) -> str:
    """A task for each line of references."""
    made = [f"# Tasks: {name}", ""]
    share = (chars - len(made[0])) // len(references)
    for number, reference in enumerate(references, 1):
        head = f"### Task {number}: {line(name, number, 24)}"
        why, done = f"**Why:** {reference}", f"**Done when:** {line(name + ' done', number, 60)}"
        body = lines(f"{name} {number}", share - len(head) - len(why) - len(done) - 6, "- ")
        made += [head, why, done, *body, ""]
    return "\n".join(made) + "\n"


def code(name: str, tokens: int) -> str:
    """A module of about so many tokens, four characters each."""
    made = [f'"""{line(name, 0, 60)}."""', ""]
    left = 4 * tokens - len(made[0]) - 2
    number = 0
    while left > 0:
        head = f"def part_{number}(value: int) -> int:"
        body = lines(f"{name} {number}", min(left, 700) - len(head) - 2, "    # ")
        made += [head, *body, ""]
        left -= len(head) + 2 + sum(len(one) + 1 for one in body)
        number += 1
    return "\n".join(made) + "\n"


def revised(text: str, name: str, share: float, growth: float, draw: random.Random) -> str:
    """The text with about that share of its lines changed, and as much longer as `growth` says."""
    old = text.splitlines()
    plain = [number for number, one in enumerate(old) if _plain(one)]
    changed = _runs(plain, round(share * len(text) / LINE_CHARS), draw)
    more = round((growth - 1) * len(text))
    dropped = _dropped(old, sorted(changed), -more)
    new = [
        _other(one, name, number) if number in changed else one
        for number, one in enumerate(old)
        if number not in dropped
    ]
    if more > 0:
        new += lines(f"{name} more", more, "- ")
    return "\n".join(new) + "\n"


def diff(path: str, old: str, new: str) -> str:
    """As git writes it, without context."""
    if old == new:
        return ""
    head = f"diff --git a/{path} b/{path}\n"
    if not old:
        added = new.splitlines()
        body = "".join(f"+{one}\n" for one in added)
        top = f"new file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        return f"{head}{top}@@ -0,0 +1,{len(added)} @@\n{body}"
    found = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", n=0, lineterm=""
    )
    return head + "".join(f"{one}\n" for one in found)


def _document(title: str, name: str, chars: int, parts: Sequence[tuple[str, float]]) -> str:
    left = chars - len(title) - 2
    made = [title, ""]
    for heading, share in parts:
        made += section(heading, f"{name} {heading}", round(share * left))
    return "\n".join(made) + "\n"


def _runs(plain: Sequence[int], count: int, draw: random.Random) -> set[int]:
    """So many of the lines, in runs as people edit them."""
    starts = range(0, len(plain), RUN_LINES)
    picked = draw.sample(starts, min(len(starts), -(-count // RUN_LINES)))
    lines_of = [number for start in picked for number in plain[start : start + RUN_LINES]]
    return set(lines_of[:count])


def _dropped(old: Sequence[str], changed: Sequence[int], chars: int) -> set[int]:
    """Of the changed lines the first ones, until so many characters are gone."""
    gone: set[int] = set()
    for number in changed:
        if chars <= 0:
            break
        gone.add(number)
        chars -= len(old[number]) + 1
    return gone


def _plain(one: str) -> bool:
    return len(one) > 30 and not one.startswith(("#", "**", "def ", '"""'))


def _other(one: str, name: str, number: int) -> str:
    prefix = one[: len(one) - len(one.lstrip(" -#"))]
    return (prefix + line(name, number, len(one) - len(prefix)))[: max(8, len(one))]
