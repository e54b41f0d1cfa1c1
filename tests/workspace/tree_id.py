"""What a worktree holds, as one id: equal ids before and after mean that nobody wrote."""

from __future__ import annotations

import os
import tempfile

from sparing.workspace.git import private_index
from sparing.workspace.git.index_entries import add
from sparing.workspace.git.runner import Git, common_dir
from sparing.workspace.git.worktree import Worktree


def tree_of(worktree: Worktree) -> str:
    """The id of all that is on disk now."""
    tip = worktree.tip()
    with worktree.held() as git, tempfile.TemporaryDirectory(prefix="sparing-") as folder:
        private_index.load(git, tip)
        found = private_index.scan(git)
        add(git, found, "--info-only")
        for path in (*found.nested, *found.special):
            mark = git.text("hash-object", "--stdin", stdin=os.fsencode(path))
            git.run("update-index", "--add", "--replace", "--cacheinfo", f"160000,{mark},{path}")
        return git.text("write-tree", "--missing-ok", env=_elsewhere(git, folder))


def _elsewhere(git: Git, folder: str) -> dict[str, str]:
    """New objects go to a folder of ours, so that a look leaves no litter in the repository."""
    objects = str(common_dir(git.git_dir) / "objects")
    quoted = objects.replace("\\", "\\\\").replace('"', '\\"')
    return {
        "GIT_OBJECT_DIRECTORY": folder,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{quoted}"',
    }
