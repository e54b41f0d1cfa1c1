"""Files outside a worktree's part of the repository that a feature needs after all.

Documents name them, or the feature has changed them: they are put on disk for the next agent.
"""

from __future__ import annotations

import re

from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files, list_folder, read_file
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.missing_files import bring_files
from sparing.workspace.project.sparse_checkout import read_cone

MOST_FILES = 500
_PATH = re.compile(r"[\w@+.-]+(?:/[\w@+.-]+)+")


def bring_named_files(around: Surroundings, row: FeatureRow, worktree: Worktree) -> None:
    if not read_cone(worktree.git_dir):
        return
    repo, tip, folder = around.repository, worktree.tip(), around.feature_folder(row)
    documents = (name for name in list_folder(repo, tip, folder) if name.endswith(".md"))
    texts = (read_file(repo, tip, f"{folder}/{name}") or b"" for name in documents)
    words = "\n".join((row.feature.title, *(one.decode("utf-8", "replace") for one in texts)))
    changed = (one.path for one in changed_files(repo, row.feature.base_commit, tip))
    bring_files(worktree, {*_PATH.findall(words), *changed}, MOST_FILES, folders=False)
