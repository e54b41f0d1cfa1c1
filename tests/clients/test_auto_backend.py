"""Which agent `auto` takes, and by whose names models are then looked up. Covers: G5."""

import subprocess
import sys
from pathlib import Path

import pytest

from sparing.backend_name import NAMES
from sparing.clients.backends import MAKERS

SCRIPT = """
import sys
from pathlib import Path
from sparing.config.load import load
from sparing.config.sources import Sources
from sparing.records.folder import StateFolder
from sparing.clients.backends import settle_backend
loaded = load(Sources(environ={"HOME": sys.argv[1]}), {})
agent = settle_backend(loaded, StateFolder(Path(sys.argv[1]))).settings
print(agent.agent.backend, agent.models.of("strong", agent.agent.backend))
"""
FAKE = "#!/bin/sh\necho 'codex-cli 0.166.0'\n"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, "auto claude-"),
        ({"OPENAI_API_KEY": "for-a-test"}, "codex gpt-"),
    ],
)
def test_where_only_codex_is_ready_its_models_are_named(
    tmp_path: Path, keys: dict[str, str], expected: str
) -> None:
    """G5: a model of another vendor would fail at the first turn."""
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": f"{program.parent}:/usr/bin:/bin", **keys}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith(expected), done.stderr


def test_every_name_that_can_be_set_is_made() -> None:
    """G5: so there is no backend of which only its maker knows that it is missing."""
    assert set(MAKERS) == set(NAMES)
