"""The system's list of users, with a shell of ours for the one who runs us.

Some clients look up their shell there and read no variable. The list is shown to the client in
place of the real one, which only a mount namespace can do: where the host has none, such a client
is refused, because its commands would know its key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sparing.errors import SandboxRefused
from sparing.workspace.sandbox.policy import SandboxLevel, SandboxPolicy

USERS = Path("/etc/passwd")
FIELDS = 7


def with_shell(policy: SandboxPolicy, level: SandboxLevel, shell: str) -> SandboxPolicy:
    """The policy under which a client that reads the list of users finds this shell."""
    if not policy.passwd_shell or level <= SandboxLevel.CALLS:
        return policy
    if level is not SandboxLevel.SEALED:
        raise SandboxRefused(
            "this system can't sandbox the commands of this client: it takes its shell from "
            f"{USERS}, which can be replaced only where user namespaces are allowed",
            "allow user namespaces, use another backend, or run without a sandbox: --unsandboxed",
        )
    text = users_with(USERS.read_text("utf-8", "surrogateescape"), os.getuid(), shell)
    return replace(policy, covered={**policy.covered, USERS: text})


def users_with(text: str, user: int, shell: str) -> str:
    lines = list(_lines(text, user, shell))
    if not any(line.split(":")[2:3] == [str(user)] for line in lines):
        lines.append(f"agent:x:{user}:{user}::/:{shell}")
    return "\n".join(lines) + "\n"


def _lines(text: str, user: int, shell: str) -> Iterator[str]:
    for line in text.splitlines():
        fields = line.split(":")
        own = len(fields) == FIELDS and fields[2] == str(user)
        yield ":".join([*fields[:-1], shell]) if own else line
