"""Build wheel and sdist, install the wheel into an empty folder, and run it there.

`python -m scripts.package` leaves both in `dist/`. The wheel is built from the sdist, as an index
would do it. What runs is the installed copy: nothing of the clone is on its path but the
dependencies of the virtual environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from sparing import __version__

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
NEEDED = (
    "sparing/__main__.py",
    "sparing/prompts/roles/implementer.md",
    "sparing/review/planted/defects.toml",
    "sparing/eval/coding_tasks.toml",
    "sparing/cli/sample/script.toml",
)
UNWANTED = ("tests/", "bench/", ".ci/", "__pycache__")


def main() -> int:
    for old in DIST.glob(f"sparing-{__version__}*"):
        old.unlink()
    _run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(DIST))
    sdist = DIST / f"sparing-{__version__}.tar.gz"
    with tempfile.TemporaryDirectory(prefix="sparing-package-") as name:
        folder = Path(name)
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        source = folder / f"sparing-{__version__}"
        _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(DIST), cwd=source)
        (wheel,) = DIST.glob(f"sparing-{__version__}-*.whl")
        faults = missing(zipfile.ZipFile(wheel).namelist())
        for fault in faults:
            sys.stderr.write(f"error: {fault}\n")
        if faults:
            return 1
        _tried(wheel, folder)
    sys.stdout.write(f"{sdist.name} and {wheel.name} in dist/\n")
    return 0


def missing(names: Sequence[str]) -> list[str]:
    """What is wrong with the files of a wheel."""
    found = [f"{name} is not in the wheel" for name in NEEDED if name not in names]
    return found + [f"{n} is in the wheel" for n in names if n.startswith(UNWANTED[:3])]


def _tried(wheel: Path, folder: Path) -> None:
    """The installed copy says its version and plays the smallest demo."""
    target, home = folder / "installed", folder / "home"
    home.mkdir()
    install = ("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target))
    _run(sys.executable, *install, str(wheel))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(target)}
    where = _run(
        sys.executable, "-P", "-c", "import sparing; print(sparing.__file__)",
        cwd=home, environ=environ,
    )  # fmt: skip
    assert where.startswith(str(target)), f"not the installed copy: {where}"
    said = _run(sys.executable, "-P", "-m", "sparing", "--version", cwd=home, environ=environ)
    assert __version__ in said, said
    demo = ("-P", "-m", "sparing", "demo", "--tier", "L1", "--json")
    assert '"merged": true' in _run(sys.executable, *demo, cwd=home, environ=environ)


def _run(*command: str, cwd: Path = ROOT, environ: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        raise SystemExit(f"error: {' '.join(command)} failed")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
