"""The list of users that some clients take their shell from.

Covers: H6
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparing.errors import SandboxRefused
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxLevel, SandboxPolicy
from sparing.workspace.sandbox.user_list import USERS, users_with, with_shell

LIST = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000:Me,,,:/h/me:/bin/zsh\n# a remark\n"


def policy() -> SandboxPolicy:
    return SandboxPolicy(SandboxAccess.AUTHOR, Path("/w"), passwd_shell=True)


def test_only_our_own_line_names_the_shell() -> None:
    """H6: others keep theirs, and what is no line of a user stays as it is."""
    assert users_with(LIST, 1000, "/s/bash").splitlines() == [
        "root:x:0:0:root:/root:/bin/bash",
        "me:x:1000:1000:Me,,,:/h/me:/s/bash",
        "# a remark",
    ]


def test_whoever_is_not_listed_gets_a_line() -> None:
    """H6: as in a container, or with a directory of users elsewhere."""
    assert users_with(LIST, 7, "/s/bash").splitlines()[-1] == "agent:x:7:7::/:/s/bash"


def test_sealed_in_it_is_covered() -> None:
    """H6"""
    covered = with_shell(policy(), SandboxLevel.SEALED, "/s/bash").covered
    own = [line for line in covered[USERS].splitlines() if f":{os.getuid()}:" in line]
    assert any(line.endswith(":/s/bash") for line in own)


def test_without_namespaces_the_client_is_refused() -> None:
    """H6: its commands would know its key, and nobody would notice."""
    with pytest.raises(SandboxRefused, match="can't sandbox the commands of this client"):
        with_shell(policy(), SandboxLevel.SHELL, "/s/bash")
    assert with_shell(policy(), SandboxLevel.UNSANDBOXED, "/bin/sh") == policy()
