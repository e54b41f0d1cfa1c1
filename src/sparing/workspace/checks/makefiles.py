"""The part of a makefile that decides what a target does.

Lines are classified; nothing is run. The target's own rule counts, with what it needs and the
variables it names, and every line that reaches all rules: included files, exported variables,
conditions, the shell. A line that is not understood counts too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from sparing.workspace.git.snapshot import Snapshot

DEEPEST = 5
_INCLUDE = re.compile(r"^\s*(?:-include|sinclude|include)\s+(?P<names>.+)$")
_ASSIGNED = re.compile(r"^\s*(?P<name>[\w.-]+)\s*(?:::?:?|\?|\+|!)?=")
_RULE = re.compile(r"^(?P<targets>[^\s#:=][^#:=]*?)\s*(?:&?::?)(?!=)(?P<rest>.*)$")
_VARIABLE = re.compile(r"\$[({](?P<name>[\w.-]+)|\$(?P<letter>\w)")
_COMPUTED = re.compile(r"\$[({][^)}]*\$|\$[({](?:eval|call|foreach)\b")
_SPECIAL = frozenset(
    {"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKEFILES", "MAKE", "PATH", "VPATH", "GNUMAKEFLAGS"}
)


class _Line(NamedTuple):
    text: str
    targets: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    variable: str = ""


def rule_text(files: Snapshot, makefile: str, target: str) -> str:
    """All lines that matter for a target, in their order."""
    lines = list(_lines(_with_included(files, makefile)))
    wanted = _wanted(lines, target)
    named = {name for line in lines if line.targets == (".PHONY",) for name in line.needs}
    phony = sorted(wanted & named)
    known = {line.variable for line in lines if line.variable}
    chosen = [line for line in lines if _reaches(line, wanted)]
    while True:
        text = "\n".join(line.text for line in chosen)
        names = known if _COMPUTED.search(text) else _variables(text)
        more = [line for line in lines if line in chosen or line.variable in names]
        if len(more) == len(chosen):
            return f"{text}\n.PHONY {' '.join(phony)}{_in_the_way(files, target, phony)}"
        chosen = more


def _in_the_way(files: Snapshot, target: str, phony: list[str]) -> str:
    """A note if a file has the target's name: make would consider it up to date and do nothing."""
    there = target in files.entries or files.matching(target, "*", deep=True)
    return f"\n{target} is there" if there and target not in phony else ""


def _variables(text: str) -> set[str]:
    return {match["name"] or match["letter"] for match in _VARIABLE.finditer(text)}


def _wanted(lines: list[_Line], target: str) -> set[str]:
    """The target and all its prerequisites, direct and indirect."""
    wanted, waiting = {target}, [target]
    while waiting:
        name = waiting.pop()
        for line in lines:
            if name in line.targets:
                new = [one for one in line.needs if one not in wanted]
                wanted.update(new)
                waiting.extend(new)
    return wanted


def _reaches(line: _Line, wanted: set[str]) -> bool:
    if line.variable:
        return line.variable in _SPECIAL
    if not line.targets:
        return True
    special = any(name.startswith(".") and name != ".PHONY" for name in line.targets)
    return special or any(name in wanted or "%" in name or "$" in name for name in line.targets)


def _lines(text: str) -> Iterator[_Line]:
    """Classify each line; a recipe belongs to the rule above it."""
    rule, inside = _Line(""), False
    for raw in text.replace("\\\n", " ").splitlines():
        line = raw.rstrip()
        if not line or (line.lstrip().startswith("#") and not raw.startswith("\t")):
            continue
        if inside or line.lstrip().startswith("define "):
            inside = line.strip() != "endef"
            yield _Line(line)
        elif raw.startswith("\t") and rule.targets:
            yield rule._replace(text=line, needs=())
        else:
            found = _sorted(line)
            rule = found if found.targets else rule
            yield found


def _sorted(line: str) -> _Line:
    assigned = _ASSIGNED.match(line)
    if assigned:
        return _Line(line, variable=assigned["name"])
    found = _RULE.match(line)
    if found is None:
        return _Line(line)
    needs = found["rest"].partition(";")[0].partition("#")[0].replace("|", " ").split()
    return _Line(line, tuple(found["targets"].split()), tuple(needs))


def _with_included(files: Snapshot, path: str, depth: int = 0) -> str:
    """The makefile's text with included files inserted after the lines that name them."""
    out: list[str] = []
    for line in files.text(path).replace("\\\n", " ").splitlines():
        found = _INCLUDE.match(line)
        if found is None or depth >= DEEPEST:
            out.append(line)
            continue
        out.append(line.strip())
        out += _included(files, found["names"].partition("#")[0].split(), depth)
    return "\n".join(out)


def _included(files: Snapshot, names: list[str], depth: int) -> Iterator[str]:
    for name in names:
        if "$" in name or "*" in name:
            # Which files that are only make knows: all that it could be count.
            for path in files.matching("", "*.mk", deep=True):
                yield f"{path} {files.entries[path][1]}"
        else:
            yield _with_included(files, posixpath.normpath(name), depth + 1)
