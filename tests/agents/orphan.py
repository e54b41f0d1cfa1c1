"""A process of ours that drives Claude Code and is to be killed: `python -m tests.agents.orphan`.

Arguments: the client, its folder, the provider's address, the worktree, a lock file, a scratch
folder.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.agents.worktree_lock import worktree_lock
from tests.agents.backends import call
from tests.agents.sandboxed import sandboxed


def main(program: str, config: str, url: str, *folders: str) -> None:
    cwd, lock_file, scratch = map(Path, folders)
    login = Login(LoginKind.API_KEY, "sk-none")
    backend = ClaudeBackend(Setup(Path(program), "", Path(config), login, url))
    with worktree_lock(lock_file) as lock:
        asked = call(cwd, lock=lock, launch=sandboxed(cwd, scratch), limit_seconds=600.0)
        asyncio.run(backend.run(asked, lambda _: None))


if __name__ == "__main__":
    main(*sys.argv[1:])
