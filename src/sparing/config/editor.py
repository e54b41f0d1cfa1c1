"""Which editor a person likes, as their environment says."""

from __future__ import annotations

import os
import shutil

EDITORS = ("sensible-editor", "nano", "vim", "vi")


def editor() -> str:
    """A command line; empty if there is no editor at all."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    return named or next((name for name in EDITORS if shutil.which(name)), "")
