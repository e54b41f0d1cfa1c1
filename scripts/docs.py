"""Generated pages: `python -m scripts.docs` writes them, `--check` only looks.

A page is a path and a function that renders it from the files below a root. A new generated
page is one more line in `PAGES`; both commands and the tests then know it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from scripts import conformance, coverage
from scripts.outline import outline_page
from sparing.cli.main import app
from sparing.config.describe import settings_page

ROOT = Path(__file__).resolve().parent.parent


class Page(NamedTuple):
    path: str
    render: Callable[[Path], str]


def coverage_page(root: Path) -> str:
    entries = coverage.requirements((root / "docs/requirements.md").read_text("utf-8"))
    known = {entry.id for entry in entries}
    claimed = [
        claim
        for file in _test_files(root / "tests")
        for claim in coverage.claims(
            file.relative_to(root).as_posix(), file.read_text("utf-8"), known
        )
    ]
    return coverage.render(entries, claimed)


def _test_files(folder: Path) -> list[Path]:
    """Builders and samples prove nothing; a fixture around the whole suite may."""
    return sorted([*folder.rglob("test_*.py"), *folder.rglob("conftest.py")])


def configuration_page(_root: Path) -> str:
    return settings_page()


def cli_page(_root: Path) -> str:
    """Every command with the help it prints."""
    top = click.Context(app, info_name="sparing", **app.context_settings)
    parts = ["# Commands\n", _help(app, top)]
    for name in app.list_commands(top):
        command = app.get_command(top, name)
        assert command is not None
        parts += [f"## sparing {name}\n", _help(command, click.Context(command, top, name))]
    return "\n".join(parts)


def _help(command: click.Command, context: click.Context) -> str:
    context.terminal_width = 100
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    return "```\n" + "\n".join(lines) + "\n```\n"


def agents_page(root: Path) -> str:
    """From what the conformance suite has kept."""
    kept = root / conformance.FILE.relative_to(ROOT)
    return conformance.page(conformance.stored(kept))


PAGES = (
    Page("docs/generated/coverage.md", coverage_page),
    Page("docs/generated/configuration.md", configuration_page),
    Page("docs/generated/cli.md", cli_page),
    Page("docs/generated/agents.md", agents_page),
    Page("src/sparing/cli/outline.json", outline_page),
)


def stale(root: Path, pages: Iterable[Page]) -> tuple[str, ...]:
    """Paths of the pages that a new run would change."""
    return tuple(page.path for page in pages if _current(root / page.path) != page.render(root))


def _current(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def write(root: Path, pages: Iterable[Page]) -> None:
    for page in pages:
        (root / page.path).write_text(page.render(root), "utf-8")


def check(root: Path, pages: Iterable[Page]) -> int:
    """The exit code; each stale page is two lines on stderr, what is wrong and what repairs it."""
    old = stale(root, pages)
    for path in old:
        print(f"error: {path} is stale\nfix: make docs", file=sys.stderr)
    return 1 if old else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if a page is stale")
    if parser.parse_args(arguments).check:
        return check(ROOT, PAGES)
    write(ROOT, PAGES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
