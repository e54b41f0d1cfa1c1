"""What a check is made of: the command, and those parts of files that decide what it does.

Each part has a name that a person understands and a value that can be compared. A change in another
part of the same file does not count as a change of the check. Everything is read from a commit.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from sparing.workspace.checks.discover import Check, as_table, makefile_of, read_json, read_toml
from sparing.workspace.checks.makefiles import rule_text
from sparing.workspace.checks.named_files import named_scripts, prepared_by
from sparing.workspace.checks.runners import BUILT, INSTALLED, RUNNERS, STARTS, TOOLS, Setting
from sparing.workspace.git.snapshot import Snapshot

Parts = Mapping[str, str]
"""Names of parts, each with a digest of its content."""
_PACKAGE_KEYS = ("jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "eslintConfig", "babel")
_PLUGIN = re.compile(r"-p[\s=]*([A-Za-z_][\w.]*)|pytest_plugins\s*=\s*(.+)")
_MODULE = re.compile(r"[A-Za-z_][\w.]*")
_SEARCHED = ("", "src", "tests", "test")
"""Folders whose modules Python may import in place of installed ones."""


def parts_of(check: Check, files: Snapshot) -> Parts:
    text, found = _commands(check, files)
    scripts = dict(named_scripts(files, text))
    text = "\n".join((text, *scripts.values()))
    settings = dict(_settings(files, text))
    prepared = dict(prepared_by(files, (*settings.values(), *found.values())))
    found = {**found, **scripts, **settings, **prepared}
    found |= dict(_plugins(files, "\n".join(found.values())))
    return {name: _digest(value) for name, value in found.items() if value.strip()}


def command_text(check: Check, files: Snapshot) -> str:
    """The command together with what make or npm expands it to."""
    return _commands(check, files)[0]


def _commands(check: Check, files: Snapshot) -> tuple[str, dict[str, str]]:
    text, found = check.words, dict[str, str]()
    if check.command[0] == "make":
        name, target = makefile_of(files), check.command[-1]
        rule = rule_text(files, name, target)
        text, found = f"{text}\n{rule}", {**found, f"{name}, target {target}": rule}
    if check.origin == "package.json" or re.search(r"\b(?:npm|yarn|pnpm|bun)\b", text):
        own = dict(_package(files, check.command[-1] if check.command[0] == "npm" else "test"))
        text, found = "\n".join((text, *own.values())), {**found, **own}
    return text, found


def common_parts(files: Snapshot) -> Parts:
    """Files that affect every check, because programs read them when they start."""
    return dict(_common(files))


def _common(files: Snapshot) -> Iterator[tuple[str, str]]:
    for path, (_, digest) in files.entries.items():
        place = PurePosixPath(path)
        if _starts(place):
            yield path, digest
        elif (module := _module(place)) in sys.stdlib_module_names or module in TOOLS:
            yield f"{path}, which shadows the module {module},", ""


def shadows(base: Snapshot, head: Snapshot, installed: frozenset[str]) -> Iterator[str]:
    """Describe new modules that shadow installed packages of the environment."""
    if not installed:
        return
    for path in head.entries:
        module = _module(PurePosixPath(path)) if path not in base.entries else ""
        if module in installed:
            yield f"{path}, which shadows the installed module {module}, is new"


def _starts(place: PurePosixPath) -> bool:
    """Whether programs read it at start; package metadata counts, as it can name plugins."""
    if place.name in STARTS or place.name.endswith(BUILT):
        return True
    records = any(part.endswith((".dist-info", ".egg-info")) for part in place.parts)
    return records or not INSTALLED.isdisjoint(place.parts)


def _module(place: PurePosixPath) -> str:
    """The name of a file's module if Python could import it by its bare name; else empty."""
    is_package = place.name == "__init__.py"
    folder = str(place.parent.parent if is_package else place.parent)
    if place.suffix != ".py" or ("" if folder == "." else folder) not in _SEARCHED:
        return ""
    return place.parent.name if is_package else place.stem


def _package(files: Snapshot, script: str) -> Iterator[tuple[str, str]]:
    package = read_json(files, "package.json")
    scripts = {name: str(text) for name, text in as_table(package.get("scripts")).items()}
    wanted, waiting = set[str](), [script]
    while waiting:
        name = waiting.pop()
        for one in (f"pre{name}", name, f"post{name}"):
            if one in scripts and one not in wanted:
                wanted.add(one)
                waiting += [word for word in re.split(r"[\s\"']+", scripts[one]) if word in scripts]
    for name in sorted(wanted):
        yield f"package.json, script {name}", scripts[name]
    for key in _PACKAGE_KEYS:
        if key in package:
            yield f"package.json, {key}", _plain(package[key])


def _settings(files: Snapshot, text: str) -> Iterator[tuple[str, str]]:
    for runner in RUNNERS:
        if runner.words.search(text):
            for setting in runner.settings:
                for path in _named(files, setting.file):
                    yield from _parts(files, path, setting)


def _named(files: Snapshot, pattern: str) -> Iterator[str]:
    """Find settings files in any folder: a runner reads those nearest to what it is given."""
    if "/" in pattern:
        yield from (pattern,) if pattern in files.entries else ()
        return
    for path in files.matching("", pattern, deep=True):
        if INSTALLED.isdisjoint(PurePosixPath(path).parts):
            yield path


def _parts(files: Snapshot, path: str, setting: Setting) -> Iterator[tuple[str, str]]:
    if not setting.part:
        yield path, files.text(path) or files.entries[path][1]
    elif path.endswith(".toml"):
        for name in setting.part.split("|"):
            value: object = read_toml(files, path)
            for key in name.split("."):
                value = as_table(value).get(key)
            if value is not None:
                yield f"{path}, {name}", _plain(value)
    elif path.endswith((".ini", ".cfg")):
        yield from _sections(files, path, setting.part)
    else:
        lines = [
            one for one in files.text(path).splitlines() if re.match(setting.part, one.strip())
        ]
        yield f"{path}, {setting.part.replace('|', ', ')}", "\n".join(lines)


def _sections(files: Snapshot, path: str, pattern: str) -> Iterator[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    section = ""
    for line in files.text(path).splitlines():
        head = re.match(r"\s*\[(.+)\]\s*$", line)
        section = head[1].strip() if head else section
        if line.strip() and not line.lstrip().startswith(("#", ";")):
            found.setdefault(section, []).append(line.rstrip())
    for name, lines in found.items():
        if re.fullmatch(pattern, name):
            yield f"{path}, [{name}]", "\n".join(lines)


def _plugins(files: Snapshot, text: str) -> Iterator[tuple[str, str]]:
    """Modules of the repository that pytest is configured to load."""
    for match in _PLUGIN.finditer(text):
        for name in _MODULE.findall(match[1] or match[2]):
            for folder in ("", "src/"):
                path = f"{folder}{name.replace('.', '/')}.py"
                if path in files.entries:
                    yield path, files.text(path) or files.entries[path][1]


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
