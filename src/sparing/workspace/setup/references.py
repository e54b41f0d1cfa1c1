"""Which files of a commit a set-up file refers to: nested requirements, includes, scripts.

Read as text, never run. Words that are a path of the commit count, relative to the file's folder or
the root; in files with other content too, only the parts that a set-up uses.
"""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import cast

from sparing.workspace.checks.discover import as_table
from sparing.workspace.git.snapshot import Snapshot

_WORD = re.compile(r"[^\s'\"`;|&()<>=,:$\[\]{}]+")
_GLUED = re.compile(r"^-[rce](?=.)")
_RULE = re.compile(r"^([^\s:=#][^:=#]*):(?!=)(.*)$")
LIFECYCLE = ("preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare")
_PATH_KEYS = ("path", "file", "backend-path", "build-backend", "script", "build")
TEXTS = ("*.txt", "*.in", "*.sh", "*.bash", "*.py", "*.js", "*.cjs", "*.mjs", "*.mk")
LONGEST = 200_000


def words_of(text: str) -> list[str]:
    return [_GLUED.sub("", word) for word in _WORD.findall(text)]


def named_by(
    files: Snapshot, path: str, goals: frozenset[str], commands: frozenset[str]
) -> Iterator[str]:
    """Links and files that this file names.

    `goals` are the make targets that are run, `commands` all words of the set-up.
    """
    if not files.is_file(path):
        return
    text = files.text(path)[:LONGEST]
    for word in dict.fromkeys(_words(posixpath.basename(path), text, goals, commands)):
        for folder in dict.fromkeys((posixpath.dirname(path), "")):
            *links, end = files.follow(posixpath.join(folder, word))
            yield from links
            if end in files.entries:
                yield end


def _words(name: str, text: str, goals: frozenset[str], commands: frozenset[str]) -> Iterator[str]:
    if name in ("GNUmakefile", "makefile", "Makefile") or name.endswith(".mk"):
        yield from words_of(_reached(text, goals))
    elif name == "package.json":
        yield from _of_package(text, commands)
    elif name == "pyproject.toml":
        yield from _of_project(text)
    elif "." not in name or any(fnmatch.fnmatchcase(name, one) for one in TEXTS):
        yield from words_of(text)


def _reached(makefile: str, goals: frozenset[str]) -> str:
    """Lines outside of rules, and the rules the goals need; all of them if one is not found."""
    rules: dict[str, list[str]] = {}
    plain: list[str] = []
    targets: list[str] = []
    for line in makefile.replace("\\\n", " ").splitlines():
        if rule := _RULE.match(line):
            targets = rule[1].split()
        elif line.strip() and not line.startswith("\t"):
            targets = []
        if not targets:
            plain.append(line)
        for target in targets:
            rules.setdefault(target, []).append(line)
    if not goals <= set(rules):
        return makefile
    return "\n".join((*plain, *_followed(rules, goals)))


def _followed(rules: Mapping[str, list[str]], goals: frozenset[str]) -> Iterator[str]:
    todo, seen = list(goals), set[str]()
    while todo:
        target = todo.pop()
        if target in seen or target not in rules:
            continue
        seen.add(target)
        yield from rules[target]
        todo += [word for line in rules[target] for word in words_of(line)]


def _of_package(text: str, commands: frozenset[str]) -> Iterator[str]:
    """Scripts that an installation or a command starts, and packages of the repository."""
    try:
        package: object = json.loads(text)
    except (ValueError, RecursionError):
        return
    table = as_table(package)
    for name, script in as_table(table.get("scripts")).items():
        if (name in LIFECYCLE or name in commands) and isinstance(script, str):
            yield from words_of(script)
    for key, value in table.items():
        if key.endswith("ependencies"):
            yield from (word for one in _strings(value) for word in words_of(one))


def _of_project(text: str) -> Iterator[str]:
    try:
        project: object = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    table = as_table(project)
    told = [as_table(table.get("project")).get("dependencies"), table.get("build-system")]
    values = [*_strings(told), *_at_keys(table)]
    for value in values:
        yield from words_of(value)
        yield from (f"{word.replace('.', '/')}.py" for word in words_of(value))


def _at_keys(value: object) -> Iterator[str]:
    """Values of keys that name a file."""
    for key, inner in as_table(value).items():
        if key in _PATH_KEYS:
            yield from _strings(inner)
        else:
            yield from _at_keys(inner)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _strings(inner)
