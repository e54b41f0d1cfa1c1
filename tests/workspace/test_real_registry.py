"""The real pip and npm load from a registry by its name, from inside the sandbox.

Registry and nameserver are ours, on a loopback of their own; `own_network` says which manners the
nameserver lacks.

Covers: H6, K2
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.repositories import write_files
from tests.workspace.test_real_setup import WHEEL, wheel

INDEX = "http://registry.example"


def tarball() -> bytes:
    data = io.BytesIO()
    files = {
        "package/package.json": b'{"name": "tinywords", "version": "1.0.0"}',
        "package/index.js": b"module.exports = 3;\n",
    }
    with tarfile.open(fileobj=data, mode="w:gz") as file:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            file.addfile(entry, io.BytesIO(text))
    return data.getvalue()


def registry(root: Path) -> Path:
    version = {
        "name": "tinywords",
        "version": "1.0.0",
        "dist": {"tarball": f"{INDEX}/files/tinywords-1.0.0.tgz"},
    }
    document = {
        "name": "tinywords",
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": version},
    }
    files: dict[str, str | bytes] = {
        "tinywords": json.dumps(document),
        "files/tinywords-1.0.0.tgz": tarball(),
        f"files/{WHEEL}": wheel(),
        "simple/tinywords/index.html": f'<a href="/files/{WHEEL}">{WHEEL}</a>',
    }
    write_files(root, files)
    return root


def run(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "tree").mkdir()
    programs = (shutil.which("npm") or "npm", shutil.which("node") or "node", sys.executable)
    roots = [str(Path(os.path.realpath(one)).parents[1]) for one in programs]
    root = str(registry(tmp_path / "registry"))
    argv = (
        *(sys.executable, "-m", "tests.workspace.own_network", str(tmp_path / "tree"), root),
        *(os.pathsep.join(roots), "sh", "-ec", script),
    )
    return subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)


def test_pip_loads_from_a_registry_by_its_name(tmp_path: Path) -> None:
    """H6: as found by a user whose resolver ends each TCP connection after one answer."""
    python = os.path.realpath(sys.executable)
    done = run(
        tmp_path,
        f"{python} -m venv .venv;"
        f" .venv/bin/pip install -q --isolated --trusted-host registry.example"
        f" --index-url {INDEX}/simple tinywords; .venv/bin/python -c 'import tinywords;"
        " print(tinywords.COUNT)'",
    )
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_npm_loads_from_a_registry_by_its_name(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        f"npm install --silent --no-package-lock --no-audit --registry {INDEX}/ tinywords;"
        " node -e 'console.log(require(\"tinywords\"))'",
    )
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
