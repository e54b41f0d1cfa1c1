"""H10: `cli/screen.py` is the one place of the product that writes to a terminal.

Linting says so in an editor; these rules see all of the source, whatever is ignored there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "sparing"
PRINTER = "cli/screen.py"
MACHINES = frozenset(
    {"agents/api/turn_process.py", "agents/scripted/player.py", "double/__main__.py"}
)
"""Programs of their own whose output another program reads."""
NAMES = frozenset({"print", "input", "breakpoint"})
ATTRIBUTES = {
    "sys": {"stdout", "stderr", "__stdout__", "__stderr__"},
    "click": {
        *("echo", "secho", "style", "prompt", "confirm", "echo_via_pager", "pause", "edit"),
        *("progressbar", "clear", "get_text_stream", "get_binary_stream"),
    },
}
IMPORTS = {
    "rich": {"print", "print_json", "inspect", "get_console"},
    "rich.console": {"Console"},
    **ATTRIBUTES,
}
MAY_PRINT = re.compile(r"\b(print|input|breakpoint|click|rich)\b|std(out|err)|/dev/tty")
"""A file without it need not be parsed."""


def faults(source: str) -> Iterator[str]:
    if not MAY_PRINT.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        for name in _used(node):
            yield f"{getattr(node, 'lineno', 0)}: {name}"


def _used(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield name
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            yield from {f"{module}.{name}"} if name in ATTRIBUTES.get(module, ()) else ()
        case ast.ImportFrom(module=str(module)):
            yield from (one.name for one in node.names if one.name in IMPORTS.get(module, ()))
        case ast.Constant(value="/dev/tty"):
            yield "/dev/tty"
        case _:
            pass


def test_nothing_else_prints() -> None:
    """H10: held by lint, so that no new command forgets it."""
    allowed = MACHINES | {PRINTER}
    found = {
        name: list(faults(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := str(path.relative_to(PACKAGE))) not in allowed
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "planted",
    [
        "print('x')",
        "import click\nclick.echo(text)",
        "import click\nclick.secho(text)",
        "from click import echo",
        "import sys\nsys.stdout.write(text)",
        "import sys\nprint_to = sys.stderr",
        "from rich.console import Console",
        "from rich import print",
        "open('/dev/tty', 'w')",
    ],
)
def test_a_planted_fault_is_seen(planted: str) -> None:
    assert list(faults(planted))


def test_the_printer_itself_is_where_it_is_said_to_be() -> None:
    assert all(list(faults((PACKAGE / name).read_text("utf-8"))) for name in (PRINTER, *MACHINES))
