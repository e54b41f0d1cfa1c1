"""Prepare a release: version, changelog, packages. `python -m scripts.release 0.2.0`.

Nothing leaves this machine: the commands that would publish are printed for a person to run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from scripts import package
from sparing import __version__

ROOT = Path(__file__).parents[1]
CHANGELOG, VERSION = ROOT / "CHANGELOG.md", ROOT / "src" / "sparing" / "__init__.py"
_NUMBER = re.compile(r"\d+\.\d+\.\d+")
_UNRELEASED = "## Unreleased\n"


class Refused(Exception):
    """What is wrong, and what to do about it."""


def main(arguments: list[str]) -> int:
    try:
        version = wanted(arguments[0] if arguments else "", __version__)
        text = released(CHANGELOG.read_text("utf-8"), version, datetime.now(UTC).date().isoformat())
        changed = subprocess.run(
            ("git", "status", "--porcelain"), cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        if changed.strip():
            raise Refused("there are uncommitted changes", "commit them, then make release again")
    except Refused as error:
        sys.stderr.write(f"error: {error.args[0]}\nfix: {error.args[1]}\n")
        return 64
    CHANGELOG.write_text(text, "utf-8")
    old = VERSION.read_text("utf-8")
    VERSION.write_text(old.replace(f'"{__version__}"', f'"{version}"'), "utf-8")
    # A new process: this one knows the old version.
    code = subprocess.run(
        (sys.executable, "-m", package.__name__), cwd=ROOT, check=False
    ).returncode
    if code:
        return code
    sys.stdout.write(
        f"{version} is prepared; nothing was published. What is left to you:\n"
        f"  git commit -am 'chore: release {version}' && git tag v{version}\n"
        f"  git push --follow-tags\n"
        f"  upload dist/sparing-{version}* to the index of your choice\n"
        f"to take it back: git checkout CHANGELOG.md src/sparing/__init__.py\n"
    )
    return 0


def wanted(version: str, now: str) -> str:
    if not _NUMBER.fullmatch(version):
        raise Refused("a release needs a version such as 0.2.0", "make release VERSION=0.2.0")
    if _key(version) <= _key(now):
        raise Refused(f"{version} is not newer than {now}", "make release VERSION=…")
    return version


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def released(changelog: str, version: str, day: str) -> str:
    """The changelog with a section for this version, and an empty one for what comes next."""
    head, found, rest = changelog.partition(_UNRELEASED)
    body = rest.partition("\n## ")[0].strip()
    if not found or not body:
        raise Refused("CHANGELOG.md has nothing under Unreleased", "say there what has changed")
    return f"{head}{_UNRELEASED}\n## {version} - {day}\n{rest}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
