"""Imports go down only: `.importlinter` says how, and each contract sees a fault planted for it.

The faults are planted in a copy of the source, never in the tree that is being worked on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.repositories import make_repository

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "sparing"

LAYERS = "Imports go down, and rooms never import each other"
ENGINE_ONLY = "Only the engine imports DBOS and its database libraries"
QUICK_DOORS = "Doors reach DBOS only from the commands that run the engine"
PURE_ROOMS = "Rooms that decide touch nothing"
CONTRACTS = (LAYERS, ENGINE_ONLY, QUICK_DOORS, PURE_ROOMS)

ENGINE_HEAVY = "dbos", "psycopg", "sqlalchemy"
DRAWING_HEAVY = "jinja2", "markdown_it", "pydantic", "rich"
NOT_FOR_A_LOOK = (
    *(
        *ENGINE_HEAVY,
        *DRAWING_HEAVY,
        "genai_prices",
        "subprocess",
        "tempfile",
        "decimal",
        "difflib",
    ),
    *("shutil", "tomllib", "click.shell_completion", "sparing.config.settings", "sparing.flow"),
    *("sparing.context", "sparing.turn_kind", "sparing.workspace.git.runner", "decimal", "difflib"),
)
FOR_A_RUN = (
    *("pydantic", "jinja2", "genai_prices", "asyncio", "sparing.runtime.surroundings"),
    *("sparing.clients.backends", "sparing.roles.load", "sparing.stages.place"),
)
MOST_FOR_A_LOOK = 46
"""Modules of our own that a command loads which finds nothing under way."""


def copy_with(folder: Path, planted: Mapping[str, str]) -> Path:
    """A copy of the source with more modules; a room that is still missing is made."""
    package = folder / "src" / "sparing"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", folder)
    for path, text in planted.items():
        file = package / path
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text)
    return folder


def broken_contracts(folder: Path) -> set[str]:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    broken = {name for name in CONTRACTS if f"{name} BROKEN" in done.stdout}
    assert done.returncode == (1 if broken else 0), done.stdout + done.stderr
    return broken


@pytest.mark.long
def test_the_source_keeps_every_contract(tmp_path: Path) -> None:
    assert broken_contracts(copy_with(tmp_path, {})) == set()


@pytest.mark.long
@pytest.mark.parametrize(
    ("planted", "broken"),
    [
        pytest.param(
            {"flow/planted.py": "import sparing.review.planted\n", "review/planted.py": ""},
            {LAYERS},
            id="a room imports its sibling",
        ),
        pytest.param(
            {"records/planted.py": "import sparing.engine.planted\n", "engine/planted.py": ""},
            {LAYERS},
            id="a room imports the engine",
        ),
        pytest.param(
            {"planted.py": ""},
            {LAYERS},
            id="a file at the root that is no noun",
        ),
        pytest.param(
            {"utils/planted.py": ""},
            {LAYERS},
            id="a folder that is no room",
        ),
        pytest.param(
            {"desk/planted.py": "def late():\n    import dbos\n"},
            {ENGINE_ONLY, QUICK_DOORS},
            id="the desk imports DBOS, even late",
        ),
        pytest.param(
            {
                "cli/planted.py": "def late():\n    import sparing.engine.planted\n",
                "engine/planted.py": "import dbos\n",
            },
            {QUICK_DOORS},
            id="a quick command reaches DBOS through the engine",
        ),
        pytest.param(
            {"flow/planted.py": "import subprocess\n"},
            {PURE_ROOMS},
            id="a deciding room starts a process",
        ),
    ],
)
def test_a_planted_fault_breaks_its_contract(
    tmp_path: Path, planted: Mapping[str, str], broken: set[str]
) -> None:
    assert broken_contracts(copy_with(tmp_path, planted)) == broken


def test_importing_nouns_and_doors_loads_no_engine() -> None:
    """K1: a command that only looks does not wait for the engine's libraries."""
    assert loaded_with(light_modules(), ENGINE_HEAVY) == []


@pytest.mark.parametrize(
    "module",
    [
        *("sparing.cli.main", "sparing.cli.look.status", "sparing.cli.look.show"),
        "sparing.cli.gate.approve",
    ],
)
def test_what_is_asked_most_loads_nothing_heavy(module: str) -> None:
    """K1: bare `sparing`, `status`, `show`, `approve` and `reject` answer at once."""
    assert loaded_with({module}, (*ENGINE_HEAVY, *DRAWING_HEAVY)) == []
    assert loaded_with({"sparing.report.cost"}, DRAWING_HEAVY) != [], "the check sees what loads"


@pytest.mark.parametrize("flags", [[], ["--dry-run"]])
def test_start_says_what_it_starts_before_it_loads_what_a_run_needs(
    tmp_path: Path, flags: list[str]
) -> None:
    """K1: the name and the flow come first; prices, roles and backends are loaded after them."""
    folder = make_repository(tmp_path / "repository")
    script = (
        "import io, sys\n"
        "class Told(io.TextIOWrapper):\n"
        "    said = ''\n"
        "    def write(self, text):\n"
        "        before, self.said = self.said, self.said + text\n"
        "        if 'branch ' in self.said and 'branch ' not in before:\n"
        f"            print(*sorted(set(sys.modules) & set({FOR_A_RUN})), file=sys.stderr)\n"
        "        return super().write(text)\n"
        "sys.stdout = Told(sys.stdout.buffer)\n"
        "from sparing.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        f"print('then', *sorted(set(sys.modules) & set({FOR_A_RUN})), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    words = ["start", "Add a greeting", "--tier", "L1", "--backend", "scripted", *flags]
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=folder, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("feature 001: Add a greeting\n  flow ")
    first, *_, last = done.stderr.splitlines()
    assert first == ""
    assert "genai_prices" in last, "the check sees what loads"


def test_no_backend_is_loaded_before_it_is_made() -> None:
    """K1: most commands make none, and a run makes one of a dozen."""
    backends = (
        *(
            "sparing.agents.acp.backend",
            "sparing.agents.codex.backend",
            "sparing.agents.scripted.backend",
        ),
        *(
            "sparing.agents.scripted.script",
            "sparing.double.agent.play",
            "sparing.clients.claude_detection",
        ),
    )
    assert (
        loaded_with({"sparing.clients.backends", "sparing.clients.simulated_agent"}, backends) == []
    )
    assert loaded_with(set(backends), backends) == sorted(backends), "the check sees what loads"


def test_a_look_where_nothing_is_set_or_under_way_loads_few_modules(tmp_path: Path) -> None:
    """K1: neither the table of settings, nor git, nor the flows: each would take longer than the
    answer. What is loaded is counted, not timed."""
    folder = make_repository(tmp_path / "repository")
    script = (
        "import sys\n"
        "from sparing.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    for arguments in ([], ["status"], ["--help"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=folder, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        loaded = done.stderr.split()
        assert sorted(name for name in loaded if name.startswith(NOT_FOR_A_LOOK)) == []
        own = [name for name in loaded if name.startswith("sparing.")]
        assert len(own) <= MOST_FOR_A_LOOK


def loaded_with(modules: set[str], watched: tuple[str, ...]) -> list[str]:
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        f"print(*sorted(set(sys.modules) & set({watched})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *sorted(modules)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def light_modules() -> set[str]:
    files = [file for file in PACKAGE.glob("*.py") if file.name != "__main__.py"]
    for door in ("cli", "web", "desk"):
        files += (PACKAGE / door).rglob("*.py")
    dotted = (file.relative_to(PACKAGE.parent).with_suffix("") for file in files)
    return {".".join(path.parts).removesuffix(".__init__") for path in dotted}
