"""A repository to work in, made anew each time and always the same: 40 modules, tests that pass.

No file of it is kept with this program.
"""

from __future__ import annotations

from sparing.double.agent.repository import module_files

PACKAGE = "store"


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
    return found | module_files(PACKAGE)


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
