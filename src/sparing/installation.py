"""How this copy of Sparing was installed, and the command line that adds an optional part to it.

A command that a person is told to copy has to work as it is, so it depends on the installer: a
clone has a Makefile, pipx and uv keep tools apart, any other environment has its own pip. The
package itself is never named, because no index is assumed to have it.
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import NamedTuple

NAME = "sparing"
_MARKER = re.compile(r"""^(?P<name>[^;]+);.*extra\s*==\s*['"](?P<extra>[\w-]+)['"]""")


class Installation(NamedTuple):
    """Where this copy runs."""

    package: Path
    """The folder of the package itself."""
    prefix: Path
    """The environment it is installed in."""
    python: Path


def here() -> Installation:
    return Installation(Path(__file__).parent, Path(sys.prefix), Path(sys.executable))


def add_command(extra: str, place: Installation | None = None) -> str:
    """The command that adds what this extra needs."""
    place = place or here()
    clone = clone_of(place)
    if clone is not None:
        target = "setup" if extra == "web" else "extras"
        return f"make -C {shlex.quote(str(clone))} {target}"
    wanted = " ".join(shlex.quote(one) for one in needs(extra))
    parts = place.prefix.parts
    if "pipx" in parts and "venvs" in parts:
        return f"pipx inject {NAME} {wanted}"
    if parts[-3:-1] == ("uv", "tools"):
        return f"uv pip install --python {shlex.quote(str(place.prefix))} {wanted}"
    return f"{shlex.quote(str(place.python))} -m pip install {wanted}"


def clone_of(place: Installation) -> Path | None:
    """The clone that the package runs from, if it does."""
    root = place.package.parent.parent
    inside = place.package == root / "src" / NAME
    return root if inside and (root / "Makefile").is_file() else None


def needs(extra: str) -> list[str]:
    """The packages of an extra, each with its version, as this copy was built."""
    try:
        listed = requires(NAME) or []
    except PackageNotFoundError:
        listed = []
    found = (_MARKER.match(one) for one in listed)
    names = [one["name"].strip() for one in found if one and one["extra"] == extra]
    return names or [f"{NAME}[{extra}]"]
