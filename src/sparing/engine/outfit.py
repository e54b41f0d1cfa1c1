"""Making a worktree usable before anybody works in it: files that are lent, and the set-up.

Nothing of it happens before a person has agreed to exactly this plan. A set-up runs behind the
same walls as a check, but with the network and with folders in which its tools keep what they
have loaded. It runs once a worktree; one that was made again is set up again. If the feature
itself changes what is loaded, a person is asked before that runs.
"""

from __future__ import annotations

from pathlib import Path

from sparing.engine.jobs import Job
from sparing.engine.stories import Teller, tell
from sparing.engine.surroundings import Surroundings
from sparing.engine.walls import check_walls
from sparing.errors import NeedsHuman
from sparing.records.features import FeatureRow
from sparing.workspace import copies
from sparing.workspace.checks import Walls
from sparing.workspace.commit import read_file
from sparing.workspace.environment import clear, is_sealed, seal
from sparing.workspace.equip import Means, caches, equip, is_equipped
from sparing.workspace.ingredients import changed, fingerprint, reader
from sparing.workspace.setup import Plan, answer_of, answer_to, plan_setup
from sparing.workspace.worktree import Worktree

WEB = frozenset({80, 443})
NOBODY_AGREED = "the set-up was not run: nobody has agreed to it yet (sparing init)"


def outfit(
    around: Surroundings, row: FeatureRow, worktree: Worktree, teller: Teller, job: Job
) -> None:
    """Run what has to be run. A set-up that fails is a SparingError: the feature waits."""
    plan = _plan(around, row, worktree)
    if plan.empty or (is_equipped(worktree, plan) and is_sealed(worktree.path)):
        return
    agreed = _agreed(around, row, worktree, plan)
    if not agreed:
        if agreed is None:
            _tell(around, teller, job, "warning", NOBODY_AGREED)
        return
    tip = worktree.tip()
    clear(worktree, tip)
    lend(around, row, worktree)
    done = equip(worktree, plan, tip, _means(around, row))
    seal(worktree, tip)
    if done:
        _tell(around, teller, job, "setup", "; ".join(one.command for one in done))


def _agreed(around: Surroundings, row: FeatureRow, worktree: Worktree, plan: Plan) -> bool | None:
    """What a person said to what would run now: to the commands, and to what a feature adds."""
    said, base = answer_of(around.folder.path, plan), row.feature.base_commit
    now = reader(worktree.path)

    def before(name: str) -> bytes | None:
        return read_file(around.repository, base, name)

    new = changed(plan, before, now)
    begun = any(one.origin in new and before(one.origin) is None for one in plan.commands)
    if not new or said is False or (said is None and not begun):
        return said  # a set-up that nobody agreed to is not run, however it changes
    again = answer_to(around.folder.path, fingerprint(plan, now))
    if again is None:
        raise NeedsHuman(
            f"the feature changes what its set-up loads and runs: {', '.join(new)}",
            f"look at it and decide: sparing trust --setup {row.feature.id}, then sparing run",
        )
    return again


def lend(around: Surroundings, row: FeatureRow, worktree: Worktree) -> None:
    """For an author and for checks: files that git does not know."""
    wanted = Plan((), around.settings(row).workspace.copy)
    if wanted.copy and answer_of(around.folder.path, wanted):
        copies.lend(around.repository.checkout, worktree, wanted.copy)


def lend_to(around: Surroundings, row: FeatureRow, worktree: Worktree, *, writes: bool) -> None:
    """An author has them; they are gone before a reviewer looks."""
    if writes:
        lend(around, row, worktree)
    else:
        copies.take_back(worktree)


def tool_environ(around: Surroundings) -> dict[str, str]:
    """What checks must know of what a set-up has loaded."""
    folder = _caches(around)
    return {**around.environ, **(caches(folder) if folder.is_dir() else {})}


def tool_walls(around: Surroundings) -> Walls:
    """A check may read what a set-up has loaded, and change none of it."""
    walls, folder = check_walls(around), _caches(around)
    return walls._replace(readable=(*walls.readable, folder)) if folder.is_dir() else walls


def _caches(around: Surroundings) -> Path:
    return around.folder.path / "caches"


def _plan(around: Surroundings, row: FeatureRow, worktree: Worktree) -> Plan:
    settings = around.settings(row).workspace
    return plan_setup(worktree.path, settings.setup, settings.copy)


def _means(around: Surroundings, row: FeatureRow) -> Means:
    folder = _caches(around)
    folder.mkdir(mode=0o700, exist_ok=True)
    walls = check_walls(around)._replace(writable=(folder,), ports=WEB)
    limit = around.settings(row).workspace.setup_seconds
    return Means(around.environ, folder, limit, walls, around.folder.redactor.known)


def _tell(around: Surroundings, teller: Teller, job: Job, kind: str, text: str) -> None:
    with around.database.write() as tx:
        tell(tx, teller, job, kind, text=text, name=f"outfit.{kind}")
