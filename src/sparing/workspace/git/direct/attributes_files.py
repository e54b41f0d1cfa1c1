"""Whether a repository has any attributes that say how its files are converted.

git reads attributes from a file in each folder above a path (on disk, else in the index), from one
of the repository, and from one that a setting names. If there is none of them, git need not be
asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import PurePosixPath

from sparing.workspace.git.direct.history_reader import FOLDER, read_commit, read_folder
from sparing.workspace.git.object_reader import NoAnswer
from sparing.workspace.git.runner import Git, common_dir

NAME = ".gitattributes"


def may_have_attributes(git: Git, objects: Git, commit: str, paths: Iterable[str]) -> bool:
    """False only if none of these paths can have attributes. `commit` is what the index holds."""
    assert git.work_tree is not None
    own = common_dir(git.git_dir) / "info" / "attributes"
    if own.exists() or any(one.key == "core.attributesfile" for one in git.settings()):
        return True
    folders = {parent for path in paths for parent in PurePosixPath(path).parents}
    if any(os.path.lexists(git.work_tree / folder / NAME) for folder in folders):
        return True
    try:
        return any(_is_tracked(objects, commit, folder) for folder in folders)
    except NoAnswer:
        return True


def _is_tracked(git: Git, commit: str, folder: PurePosixPath) -> bool:
    tree = read_commit(git, commit).tree
    for part in folder.parts:
        entry = read_folder(git, tree).get(part)
        if entry is None or entry.mode != FOLDER:
            return False
        tree = entry.digest
    return NAME in read_folder(git, tree)
