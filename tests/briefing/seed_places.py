"""Every function of the code that knows the policy, or a rule that only `seed` has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import sparing

ROOT = Path(sparing.__file__).parent
CLASSES = frozenset({"Policy", "Order", "Bar"})
FLAGS = frozenset({"strict", "judges_inside", "panels"})
"""Fields and settings by which a policy is carried further."""
CALLS = frozenset({"policy_of", "is_seed", "is_strict", "seed_again"})
MAY_KNOW = re.compile(
    rf"\b({'|'.join(sorted(CLASSES))})\s*\.|\.\s*({'|'.join(sorted(FLAGS))})\b"
    rf"|\b({'|'.join(sorted(CALLS))})\b"
)
"""A file without it need not be parsed."""


def knows(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in CLASSES:
            return attr.isupper()
        case ast.Attribute(attr=attr):
            return attr in FLAGS
        case ast.Name(id=name):
            return name in CALLS
        case _:
            return False


def functions(node: ast.AST, around: str = "-") -> Iterator[tuple[str, ast.AST]]:
    """All nodes, each with the innermost function that it stands in."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else around
        yield inside, child
        yield from functions(child, inside)


def places() -> set[str]:
    found: set[str] = set()
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text if MAY_KNOW.search(text) else "")
        file = path.relative_to(ROOT).as_posix()
        found |= {f"{file}::{name}" for name, node in functions(tree) if knows(node)}
    return found
