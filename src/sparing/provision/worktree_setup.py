"""Setting up a worktree before anyone works in it: shared files, and the set-up commands.

Nothing of it happens before a person has agreed to exactly this plan. A set-up runs in the same
sandbox as a check, but with the network and with cache folders for its tools. So it runs on files
that a person knows: those of the commit a feature starts from, or of a later one that a person
agreed to. If the feature changes its dependencies, that is reported, and the work continues with
what is there.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from sparing.clients.check_resources import lent_to_checks
from sparing.event import RunEvent, SetupEvent, WarningEvent, kind_of
from sparing.job import Job
from sparing.provision.named_files import bring_named_files
from sparing.provision.setup_resources import caches_of, set_up_means
from sparing.records.features import FeatureRow
from sparing.runtime.events import Teller, tell
from sparing.runtime.sandbox import check_sandbox, tool_variables
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.installed_packages import is_sealed, unseal
from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.file_secrets import shared_secrets
from sparing.workspace.sandbox.launcher import place_of
from sparing.workspace.setup import lent_files
from sparing.workspace.setup.base_files import put_back
from sparing.workspace.setup.consent import Consent, SetupQuestion, consent
from sparing.workspace.setup.environments import Environments
from sparing.workspace.setup.input_files import Recipe
from sparing.workspace.setup.run import caches, equip, forget_setup, is_equipped
from sparing.workspace.setup.setup_plan import SetupPlan, answer_of

MOST_NAMED = 8
NOBODY_AGREED = "the set-up was not run: nobody has approved it yet (sparing init)"


class _Once(NamedTuple):
    id: str
    feature: str
    at: float


def outfit(
    around: Surroundings, row: FeatureRow, worktree: Worktree, teller: Teller, job: Job
) -> str:
    """Run the set-up if needed. One that fails is a SparingError: the feature waits.

    Returns what of the branch's own set-up is missing because no one has agreed to it.
    """
    put_back(worktree)
    asked = SetupQuestion.of(
        around.repository, around.folder.path, row.feature, around.settings(row).workspace
    )
    found = consent(asked, worktree.tip())
    note = _not_agreed(row, found)
    if note and worktree.branch == row.feature.branch:
        version = f"{found.now.digest[:16]}.{found.known.commit[:16]}"
        _warn_once(around, row, teller, job, version, note)
    if found.known.plan.empty or _is_ready(around, worktree, found.known):
        return note
    if found.agreed:
        _set_up(around, row, worktree, found.known, teller, job)
    elif found.agreed is None:
        _warn_once(around, row, teller, job, found.known.digest[:16], NOBODY_AGREED)
    return note


def _set_up(
    around: Surroundings,
    row: FeatureRow,
    worktree: Worktree,
    recipe: Recipe,
    teller: Teller,
    job: Job,
) -> None:
    """Run the set-up, and seal the result for checks while only the recipe's files and the
    set-up's own are there: agents' files are put back afterwards."""
    forget_setup(worktree)
    unseal(worktree.path)
    base = recipe.commit == row.feature.base_commit
    with set_up_means(around, row, logins=base) as means:
        found = equip(worktree, recipe, means, lambda: share_files(around, row, worktree))
    if found.done or found.copied:
        agreed = "" if base else f" (as you agreed, from {recipe.commit[:10]})"
        copied = " (copied from an earlier set-up)" if found.copied else ""
        text = "; ".join(one.words for one in recipe.plan.commands) + agreed + copied
        _tell(around, teller, job, SetupEvent(), text)
    if found.done:
        kept = Environments(around.folder.path / "environments")
        kept.prune(around.folder.worktree(""), time.time())


def _is_ready(around: Surroundings, worktree: Worktree, recipe: Recipe) -> bool:
    kept = not recipe.plan.commands or is_sealed(worktree.path)
    return kept and is_equipped(worktree, recipe, place_of(worktree.path, around.level))


def _not_agreed(row: FeatureRow, found: Consent) -> str:
    if not found.changed or not found.agreed or found.said is False:
        return ""  # a set-up that nobody agreed to is not run, however it changes
    more = len(found.changed) - MOST_NAMED
    names = ", ".join(found.changed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return (
        f"the feature changes its set-up: {names}; the work continues with the"
        f" set-up of {found.known.commit[:10]} until you review it:"
        f" sparing trust --setup {row.feature.id}"
    )


def _warn_once(
    around: Surroundings, row: FeatureRow, teller: Teller, job: Job, version: str, text: str
) -> None:
    """Warn once per feature and version, not per step: the key is the same each time."""
    once = _Once(f"{row.feature.key}.setup.{version}", teller.feature, teller.at)
    _tell(around, once, job, WarningEvent(), text)


def share_files(around: Surroundings, row: FeatureRow, worktree: Worktree) -> tuple[str, ...]:
    """Lend untracked files to an author and to checks; returns which ones."""
    wanted = SetupPlan((), around.settings(row).workspace.copy)
    if not wanted.copy or not answer_of(around.folder.path, wanted):
        return ()
    checkout = around.repository.checkout
    around.folder.redactor.learn(
        shared_secrets(checkout, lent_files.matching(checkout, wanted.copy))
    )
    return lent_files.lend(checkout, worktree, wanted.copy)


def lend_to(around: Surroundings, row: FeatureRow, worktree: Worktree, *, writes: bool) -> None:
    """Lend an author the files, or remove them before a review. Both get what documents name."""
    bring_named_files(around, row, worktree)
    if writes:
        share_files(around, row, worktree)
    else:
        lent_files.take_back(worktree)


def tool_environ(around: Surroundings) -> dict[str, str]:
    """The environment that checks need to use what a set-up has loaded."""
    folder = caches_of(around)
    own = {**around.environ, **tool_variables(around)}
    return {**own, **(caches(folder) if folder.is_dir() else {})}


def tool_sandbox(around: Surroundings, row: FeatureRow, worktree: Worktree) -> CheckSandbox:
    """The sandbox of a check, which may read what a set-up has loaded but not change it."""
    sandbox, folder = check_sandbox(around, worktree), caches_of(around)
    lent = lent_to_checks(around.settings(row).workspace, around.folder.path)
    sandbox = sandbox._replace(services=lent.services, given=lent.variables)
    return sandbox._replace(readable=(*sandbox.readable, folder)) if folder.is_dir() else sandbox


def _tell(around: Surroundings, teller: Teller, job: Job, what: RunEvent, text: str) -> None:
    with around.database.write() as tx:
        tell(tx, teller, job, what, text=text, name=f"outfit.{kind_of(what)}")
