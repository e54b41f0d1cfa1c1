"""The documents of a feature.

An artifact's name says which file it is; its digest says which version. Whether a text is
good enough to build on is decided in `context.validate`, not here.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum

from sparing.lazy_dataclass import lazy_dataclass

META = ".meta.json"
"""The file in a feature's folder with its status, as in the database."""
RULES = ("AGENTS.md", "CLAUDE.md")
"""Files in a repository's root with instructions for everyone who works on it."""


class ArtifactName(StrEnum):
    PRD = "prd"
    SPEC = "spec"
    DESIGN = "design"
    PLAN = "plan"
    TASKS = "tasks"
    BRAINSTORM = "brainstorm"
    DESIGN_REVIEW = "design_review"
    IMPLEMENTATION = "implementation"
    CODE_REVIEW = "code_review"
    VERIFICATION = "verification"
    SUMMARY = "summary"
    RETRO = "retro"
    ROADMAP = "roadmap"

    @property
    def filename(self) -> str:
        return f"{self.value}.md"


@lazy_dataclass
class Artifact:
    name: ArtifactName
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())
