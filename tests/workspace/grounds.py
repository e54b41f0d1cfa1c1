"""A folder for an agent, and beside it what the agent must not reach."""

from __future__ import annotations

from pathlib import Path

from sparing.workspace.project.paths import Confined

SECRET = "outside the folder"


class Grounds:
    def __init__(self, base: Path) -> None:
        self.inside = base / "inside"
        self.outside = base / "outside"
        (self.inside / "src").mkdir(parents=True)
        (self.inside / ".git").mkdir()
        (self.inside / ".git" / "config").write_text(SECRET)
        (self.inside / "src" / "app.py").write_text("fine")
        self.outside.mkdir()
        self.secret = self.outside / "secret"
        self.secret.write_text(SECRET)
        self.files = Confined(self.inside)

    def state(self) -> tuple[object, ...]:
        """All that must stay as it is: what is outside, and git's own folder."""
        config = (self.inside / ".git" / "config").read_text()
        return entries(self.outside), self.secret.read_text(), config


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
