"""The records of a repository, wherever the suite has them: in a file, or on a server."""

from __future__ import annotations

from pathlib import Path

from sparing.database import Database
from sparing.desk.office import open_office


def records_of(folder: Path) -> Database:
    """For a test whose repository and state lie in `folder` under these names."""
    given = {"state.folder": str(folder / "state")}
    return open_office(folder / "repository", given).database
