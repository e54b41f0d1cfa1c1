"""The environment git is started in: built from empty, with settings that outrank all files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from sparing.workspace.git.config import Setting


def search_path(git: str) -> str:
    found = [program for program in (git, shutil.which("git-lfs")) if program]
    # A relative folder of PATH would be looked for in the working folder, where agents write.
    folders = [str(Path(program).parent) for program in found if Path(program).is_absolute()]
    return os.pathsep.join(dict.fromkeys([*folders, "/usr/local/bin", "/usr/bin", "/bin"]))


def base_environment(settings: Sequence[Setting]) -> dict[str, str]:
    environment = {
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "GIT_EDITOR": "false",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        # A trusted filter in Python must not import what lies in the folder it is run in.
        "PYTHONSAFEPATH": "1",
    }
    return environment | overriding(settings)


def overriding(settings: Sequence[Setting]) -> dict[str, str]:
    """Variables by which these settings outrank all files. Not `-c`: there a key has no "="."""
    environment = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, setting in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{number}"] = setting.key
        environment[f"GIT_CONFIG_VALUE_{number}"] = setting.value
    return environment
