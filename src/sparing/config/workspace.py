"""Settings of the workspace: where a feature works, with what files, checks and set-up."""

from __future__ import annotations

from enum import StrEnum

from sparing.config.rules import (
    BRANCH,
    COMMANDS,
    DAY,
    FILES,
    FOLDER,
    FOLDERS,
    HOSTS,
    SERVICES,
    VARIABLES,
    Rule,
    SettingScope,
    limit,
    setting,
)
from sparing.config.value_forms import OneOf, Whole
from sparing.lazy_dataclass import lazy_dataclass

AUTO = "auto"  # as a set-up: whatever the files in a repository ask for


class HandOver(StrEnum):
    PRINT = "print"
    MERGE = "merge"
    PULL_REQUEST = "pull-request"


class SparseWorktree(StrEnum):
    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Sandbox(StrEnum):
    REQUIRED = "required"
    OPTIONAL = "optional"


@lazy_dataclass
class WorkspaceSettings:
    base_branch: str = setting(
        "", Rule(BRANCH, "The branch features start from. Empty: the one checked out.")
    )
    root: str = setting(
        "",
        Rule(
            FOLDER,
            "In a monorepo: the folder that a feature is about, such as `packages/api`. Checks, "
            "set-up and the code map come from there; the whole repository's checks run at the "
            "end. Empty: the package whose files a request names, else the whole repository.",
        ),
    )
    sparse: SparseWorktree = setting(
        SparseWorktree.AUTO,
        Rule(
            OneOf(SparseWorktree),
            "Whether the worktree of a feature with a `root` contains only that folder, the "
            "packages it depends on and the top-level files. `auto`: if the repository has "
            "more files than `sparse_above`.",
        ),
    )
    sparse_above: int = setting(
        20_000,
        Rule(Whole(0, 100_000_000), 'The number of files above which `sparse = "auto"` is on.'),
    )
    sparse_folders: tuple[str, ...] = setting(
        (),
        Rule(
            FOLDERS,
            "Other folders that a sparse worktree contains, such as `packages/shared`.",
        ),
    )
    hand_over: HandOver = setting(
        HandOver.PRINT,
        Rule(
            OneOf(HandOver),
            "What happens with a finished branch. `print` changes nothing and prints the "
            "commands; `merge` is your consent to fast-forward a clean checkout, `pull-request` "
            "to push this one branch and open a pull request with `gh`.",
            SettingScope.USER,
        ),
    )
    memory_mb: int = setting(
        0,
        Rule(
            Whole(0, 100_000_000),
            "How much memory the processes of one turn, check or set-up may use together, in "
            "megabytes; 0: half of the machine's memory.",
            SettingScope.USER,
        ),
    )
    disk_mb: int = setting(
        0,
        Rule(
            Whole(0, 100_000_000),
            "How much the processes of one turn, check or set-up may write to disk, in megabytes; "
            "0: half of the free space, at most 20,000.",
            SettingScope.USER,
        ),
    )
    check_seconds: int = setting(
        600, limit(DAY, "How long one run of the checks may take, in seconds.")
    )
    sandbox: Sandbox = setting(
        Sandbox.REQUIRED,
        Rule(
            OneOf(Sandbox),
            "What happens if the system can't sandbox agents and checks: `required` refuses to "
            "run, `optional` runs with whatever protection there is (the flag --unsandboxed).",
            SettingScope.USER,
        ),
    )
    commands: tuple[str, ...] = setting(
        (),
        Rule(
            COMMANDS,
            "Commands that may run when a task's done criterion names them, by their exact text. "
            "The repository's own checks need no entry; nothing else that agents write is run.",
            SettingScope.USER,
        ),
    )
    setup: tuple[str, ...] = setting(
        (AUTO,),
        Rule(
            COMMANDS,
            "Commands that prepare a new worktree. `auto` derives them from the repository's "
            "files, an empty list does nothing. You are asked before any of them first runs, and "
            "again if a feature changes what they would install.",
        ),
    )
    setup_seconds: int = setting(900, limit(DAY, "How long the set-up may take, in seconds."))
    setup_hosts: tuple[str, ...] = setting(
        (),
        Rule(
            HOSTS,
            "Hosts that a set-up may reach in addition to those of your package managers (their "
            "defaults, and those in your settings of pip, npm, uv, go and cargo). `*` stands for "
            "any host on ports 80 and 443.",
            SettingScope.USER,
        ),
    )
    copy: tuple[str, ...] = setting(
        (),
        Rule(
            FILES,
            "Untracked files of your checkout that a worktree needs, such as `.env`. They are "
            "never committed, reviewers never see them, and you are asked first.",
        ),
    )
    services: tuple[str, ...] = setting(
        (),
        Rule(
            SERVICES,
            "Servers on this machine that the repository's checks may reach, such as a database "
            "at `127.0.0.1:5432`. Agents may not, and you are asked first.",
        ),
    )
    lend_env: tuple[str, ...] = setting(
        (),
        Rule(
            VARIABLES,
            "Environment variables that the repository's checks get, such as `DATABASE_URL`. "
            "Agents don't get them, and you are asked first.",
        ),
    )
