"""What a repository contains, before anything is done in it: for `init` and `start`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from sparing.artifact import RULES
from sparing.desk.office import Office
from sparing.errors import UsageError
from sparing.workspace.checks.discover import Check, find_checks
from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import BranchHead, is_dirty
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.setup import lent_files, setup_plan
from sparing.workspace.setup.files import Folder
from sparing.workspace.setup.setup_plan import SetupPlan

PRIVATE = (".env", ".env.local", ".env.test", ".envrc")
"""Files that are rarely in git but often needed by tests."""
PROJECT_FILE = "sparing.toml"
ASKED = "init.asked"
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.*\S)", re.MULTILINE)


class RepositoryScan(NamedTuple):
    base: BranchHead
    checks: tuple[Check, ...]
    setup: SetupPlan
    agreed: bool | None
    """The person's answer about this set-up; None if no one was asked."""
    rules: tuple[str, ...]
    lent: tuple[str, ...]
    """Files that would be copied to a worktree."""
    private: tuple[str, ...]
    """Files that could be copied, but that no setting lists."""
    configured: str
    """The project file that has settings already; empty if none has."""
    submodules: tuple[str, ...]
    """Their folders, which are empty in worktrees."""


def prospect(office: Office, base: BranchHead | None = None) -> RepositoryScan:
    """`base`: where a feature that exists started; by default where a new one would."""
    checkout, settings = office.repository.checkout, office.loaded.settings.workspace
    base = base or resolve_base(office.repository, settings.base_branch)
    root = settings.root
    plan = setup_plan.plan_setup(Folder(checkout / root), settings.setup, settings.copy, root)
    plan = plan._replace(services=settings.services, variables=settings.lend_env)
    lent = lent_files.matching(checkout, settings.copy)
    near = [name for name in PRIVATE if (checkout / name).is_file() and name not in lent]
    return RepositoryScan(
        base=base,
        checks=_checks_of(office, base.commit, root),
        setup=plan,
        agreed=True if plan.empty else setup_plan.answer_of(office.folder.path, plan),
        rules=tuple(name for name in RULES if read_file(office.repository, base.commit, name))[:1],
        lent=lent,
        private=tuple(
            name for name in near if read_file(office.repository, base.commit, name) is None
        ),
        configured=_configured(office),
        submodules=_submodules(office, base.commit),
    )


def _submodules(office: Office, commit: str) -> tuple[str, ...]:
    listed = read_file(office.repository, commit, ".gitmodules") or b""
    return tuple(_SUBMODULE.findall(listed.decode("utf-8", "replace")))


def check_root(office: Office) -> None:
    """Raise an error if the base branch has no such folder."""
    settings = office.loaded.settings.workspace
    if not settings.root:
        return
    base = resolve_base(office.repository, settings.base_branch)
    if not Snapshot(office.repository, base.commit, settings.root).entries:
        raise UsageError(
            f"{settings.root} is not a folder of {base.branch or base.commit[:10]}",
            "name one that has files: git ls-files | head",
        )


def _checks_of(office: Office, commit: str, root: str) -> tuple[Check, ...]:
    own = find_checks(Snapshot(office.repository, commit, root)) if root else ()
    return own or find_checks(Snapshot(office.repository, commit))


def agree(office: Office, plan: SetupPlan, *, agreed: bool) -> None:
    """Remember the answer for each part: copied files stay agreed to even if commands change."""
    for one in plan.parts:
        setup_plan.remember(office.folder.path, one, agreed=agreed)


def project_file(found: RepositoryScan, *, copy: tuple[str, ...]) -> str:
    """The settings that `init` would write, from what was found."""
    lines = ["# Settings of Sparing. To see all: sparing config show", ""]
    lines += ["[workspace]", f'base_branch = "{found.base.branch}"']
    if found.setup.commands:
        shown = ", ".join(_quoted(one.words) for one in found.setup.commands)
        lines.append(f"setup = [{shown}]")
    if copy:
        lines.append(f"copy = [{', '.join(map(_quoted, copy))}]")
    return "\n".join(lines) + "\n"


def write_project_file(office: Office, text: str) -> Path:
    """Write the only file ever written in a checkout, once a person has agreed."""
    path = office.repository.checkout / PROJECT_FILE
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path


def offer_once(office: Office) -> bool:
    """Whether `init` has not been offered here before; marks it as offered."""
    mark = office.folder.path / ASKED
    if mark.exists():
        return False
    mark.touch(0o600)
    return True


def has_changes(office: Office) -> bool:
    return is_dirty(office.repository)


def _configured(office: Office) -> str:
    files = [one for one in office.loaded.origins.values() if one.startswith("project file ")]
    if files:
        return Path(files[0].removeprefix("project file ")).name
    return PROJECT_FILE if (office.repository.checkout / PROJECT_FILE).exists() else ""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
