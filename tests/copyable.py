"""Lines of the README and of docs/ that a reader may copy into a terminal.

In a fence of `console` those behind `$`; in other fences and in indented blocks those that begin
with a program; in running text what stands in backticks and begins with `sparing`, `make` or
`python -m`, and what begins with another program of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = r"(?:[A-Z_]+=\S+ )?(?:sparing|make|git|pip|npm|export|python3?)(?= |$)"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(rf"^    ({PROGRAMS}.*)$", re.MULTILINE)
INLINE = re.compile(r"(?<!`)`((?:[A-Z_]+=\S+ )?sparing(?: [^`\n]*)?)`(?!`)")
INLINE_OTHER = re.compile(r"(?<!`)`(?:sudo )?((?:make|python3? -m) [^`\n]+)`(?!`)")
INLINE_SHELL = re.compile(
    r"(?<!`)`((?:sudo )?(?:[A-Z_]+=\S+ )?(?:pip|pipx|uv|npm|git|gh|pg_dump|psql|unzip|rm|kill|curl"
    r"|codex|claude|opencode) [^`\n]+)`(?!`)"
)
STEP = re.compile(r"^- run: (sparing .*)$", re.MULTILINE)
REMARK = re.compile(r"(?:\s{2,}|\s+# ).*$")
TABLE = re.compile(r"\[[a-z]")
SKIPPED = ("yaml", "toml")


class Line(NamedTuple):
    page: str
    words: str


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def lines() -> list[Line]:
    """Those of blocks, each once a page."""
    found = [Line(page.name, words) for page in pages() for words in _of(page.read_text("utf-8"))]
    return list(dict.fromkeys(found))


def _of(text: str) -> Iterator[str]:
    for kind, body in FENCE.findall(text):
        marked = "$ " if kind == "console" or body.startswith("$ ") else ""
        for line in body.splitlines() if kind not in SKIPPED else ():
            words = line.removeprefix(marked)
            if line.startswith(marked) and re.match(PROGRAMS, words):
                yield REMARK.sub("", words)
    for line in INDENTED.findall(FENCE.sub("", text)):
        yield REMARK.sub("", line)


def settings_blocks() -> list[Line]:
    """Fences of settings, marked as TOML or not; scripts of agents are no settings."""
    return [
        Line(page.name, body)
        for page in pages()
        for kind, body in FENCE.findall(page.read_text("utf-8"))
        if TABLE.match(body) and kind in ("", "toml")
    ]


def in_workflows() -> list[Line]:
    """Steps of a CI workflow, in YAML."""
    return _in_text(STEP, pages(), fences=True)


def inline() -> list[Line]:
    return _in_text(INLINE, pages())


def inline_other() -> list[Line]:
    """Targets of the Makefile and modules that are named in running text."""
    return _in_text(INLINE_OTHER, [*pages(), ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md"])


def inline_shell() -> list[Line]:
    return _in_text(INLINE_SHELL, [*pages(), ROOT / "CONTRIBUTING.md"])


def _in_text(wanted: re.Pattern[str], where: Sequence[Path], *, fences: bool = False) -> list[Line]:
    found = [
        Line(page.name, words)
        for page in where
        for text in (page.read_text("utf-8"),)
        for words in wanted.findall(text if fences else FENCE.sub("", text))
    ]
    return list(dict.fromkeys(found))
