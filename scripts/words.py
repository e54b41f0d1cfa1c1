"""Words that a reader would stumble over, and what to write instead: `make lint` runs it.

The list is the table under "Words" in CONTRIBUTING.md. It is applied to what people read:
README, changelog, docs/, templates of the page, and texts in the code. Docstrings and names are
left out, and so is what only agents and the stand-ins for models read.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| ([^|`]+?) \| ([^|]+?) \|$", re.MULTILINE)
PAGES = ("README.md", "CHANGELOG.md", "docs/*.md", "src/sparing/web/templates/*.j2")
UNREAD = ("double", "prompts")
"""Rooms whose texts no person reads."""


class Wording(NamedTuple):
    poor: str
    good: str

    def is_in(self, text: str) -> bool:
        return re.search(rf"\b{re.escape(self.poor)}\b", text, re.IGNORECASE) is not None


class Place(NamedTuple):
    file: str
    line: int
    text: str


def wordings(contributing: str) -> tuple[Wording, ...]:
    section = contributing.partition("\n## Words\n")[2].partition("\n## ")[0]
    rows = [Wording(*row) for row in ROW.findall(section)]
    return tuple(row for row in rows if row.poor != "not" and set(row.poor) != {"-"})


def read_by_people(root: Path) -> Iterator[Place]:
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                yield Place(path.relative_to(root).as_posix(), number, line)
    package = root / "src" / "sparing"
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in UNREAD:
            name = path.relative_to(root).as_posix()
            yield from (Place(name, *one) for one in texts(ast.parse(path.read_text("utf-8"))))


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """String literals; of docstrings those of commands, which are their help."""
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.endswith("_command"):
            yield node.lineno, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Constant) and id(node) not in quiet:
            # Fewer than three words are names, and stored ones may not change.
            shown = isinstance(node.value, str) and len(node.value.split()) > 2
            yield node.lineno, str(node.value) if shown else ""


def complaints(root: Path) -> list[str]:
    known = wordings((root / "CONTRIBUTING.md").read_text("utf-8"))
    return [
        f'{place.file}:{place.line}: write "{one.good}", not "{one.poor}"'
        for place in read_by_people(root)
        for one in known
        if one.is_in(place.text)
    ]


def main() -> int:
    found = complaints(ROOT)
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
