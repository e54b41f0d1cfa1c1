"""`sparing doctor --restore`: back to a daily copy of the records, keeping what was there."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import echo, style
from sparing.config.load import current
from sparing.config.terminal import homely
from sparing.errors import StateError, UsageError
from sparing.records.copies import NAME, RESTORE, copies, is_sound, restore
from sparing.records.folder import open_folder
from sparing.runtime.engine_lock import engine_lock
from sparing.workspace.git.repository import locate_repository

AFTER = (
    "what was decided and paid after it is not in the records; commits and branches are untouched"
)


def restore_records(day: str, *, yes: bool, as_json: bool) -> int:
    """The records themselves are not opened: they may be what is broken."""
    repository = locate_repository(Path.cwd())
    folder = open_folder(current(repository.checkout).state_root, repository.key).path
    found = copies(folder)
    if found and not yes and is_sound(folder / NAME):
        raise UsageError(
            f"the records are sound; the copy of {day or found[0].stem} would take them back",
            f"if that is what you want: {RESTORE}{f' {day}' if day else ''} --yes",
        )
    if not found and is_sound(folder / NAME):
        raise StateError("there is no daily copy yet", "nothing is damaged: sparing status")
    with engine_lock(folder / "engine.lock"):
        copy, aside = restore(folder, day)
    if as_json:
        print_json(restored=copy.stem, kept=[str(path) for path in aside])
        return 0
    echo(f"the records are those of {copy.stem} again; {AFTER}")
    for path in aside:
        echo(style(f"  what was there is kept: {homely(str(path))}", dim=True))
    echo(f"  {style('sparing status', fg='cyan')}   where features stand")
    return 0
