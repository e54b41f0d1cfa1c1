"""`sparing doctor --restore`: return to a daily copy of the records, keeping the current ones."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import echo, style
from sparing.config.load import current
from sparing.config.terminal import homely
from sparing.desk.office import open_office
from sparing.desk.setup.restored_branches import set_branches_back
from sparing.errors import StateError, UsageError
from sparing.printable import printable
from sparing.records.daily_backup import NAME, RESTORE, copies, is_sound, named, restore
from sparing.records.folder import open_folder
from sparing.runtime.engine_lock import engine_lock
from sparing.workspace.git.repository import locate_repository

AFTER = "decisions and costs after that are missing from the records; no commit is lost"


def restore_records(day: str, *, yes: bool, as_json: bool) -> int:
    """Restore without opening the current records: they may be what is broken."""
    repository = locate_repository(Path.cwd())
    folder = open_folder(current(repository.checkout).state_root, repository.key).path
    found = copies(folder)
    if found and not yes and is_sound(folder / NAME):
        raise UsageError(
            f"the records are intact; the backup of {day or found[0].stem} would set them back",
            f"if that is what you want: {RESTORE}{f' {day}' if day else ''} --yes",
        )
    if not found and not day and is_sound(folder / NAME):
        raise StateError("there is no daily backup yet", "nothing is damaged: sparing status")
    with engine_lock(folder / "engine.lock"):
        copy, aside = restore(folder, day)
        back = set_branches_back(open_office(Path.cwd()))
    if as_json:
        kept = [str(path) for path in aside]
        print_json(restored=named(copy), kept=kept, branches=[one._asdict() for one in back])
        return 0
    echo(f"the records are those of {named(copy)} again; {AFTER}")
    for path in aside:
        echo(style(f"  what was there is kept: {homely(str(path))}", dim=True))
    for one in back:
        words = f"{one.branch} is back where the records have it; its later commits: {one.ref}"
        echo(style(f"  {printable(words)}", dim=True))
    echo(f"  {style('sparing status', fg='cyan')}   where features stand")
    return 0
