"""A project split into features: their order, which can be started, and the roadmap's text.

What an agent proposes is checked here: a dependency names a feature of the same list, nothing
depends on itself, and a cycle is shown to the user instead of being broken silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, cast

FEATURES_AT_MOST = 60
KEYS = ("features", "modules", "milestones")
"""Keys that mark an object as a proposal."""
_WORDS = 400
_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT}


def _object(**fields: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


SCHEMA: Mapping[str, Any] = _object(
    features={
        "type": "array",
        "items": _object(
            name=_TEXT, description=_TEXT, depends_on=_NAMES, module=_TEXT, complexity=_TEXT
        ),
    },
    milestones={"type": "array", "items": _object(name=_TEXT, features=_NAMES, shows=_TEXT)},
    cross_cutting=_NAMES,
    left_out=_NAMES,
)
"""Schema of a proposal; modules that contain features are read as well."""


class ProjectStanding(StrEnum):
    """State of a feature in its project, with respect to the others."""

    DONE = "done"
    WORKING = "in progress"
    READY = "ready"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Planned:
    name: str
    description: str = ""
    depends_on: tuple[str, ...] = ()
    module: str = ""


class Milestone(NamedTuple):
    name: str
    features: tuple[str, ...]
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    features: tuple[Planned, ...]
    milestones: tuple[Milestone, ...] = ()
    cross_cutting: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    """What was proposed and left out, and why, for people."""


def read_project(reply: Mapping[str, Any]) -> Project:
    """Read whatever is usable in a proposal."""
    faults: list[str] = []
    features = tuple(_features(reply, faults))
    names = {_key(one.name): one.name for one in features}
    resolved = tuple(_resolved(one, names, faults) for one in features)
    milestones = tuple(
        Milestone(
            _text(one, "name"), _known(_names(one.get("features")), names), _text(one, "shows")
        )
        for one in _dicts(reply.get("milestones"))
    )
    concerns = tuple(_line(one) for one in _list(reply.get("cross_cutting")))
    return Project(
        resolved,
        tuple(one for one in milestones if one.name and one.features),
        tuple(one for one in concerns if one),
        tuple(faults),
    )


def in_order(features: Sequence[Planned]) -> tuple[Planned, ...]:
    """Dependencies first, else as listed; features in a cycle are missing."""
    done: set[str] = set()
    left, ordered = list(features), list[Planned]()
    while True:
        ready = next((one for one in left if done.issuperset(one.depends_on)), None)
        if ready is None:
            return tuple(ordered)
        left.remove(ready)
        ordered.append(ready)
        done.add(ready.name)


def circle(features: Sequence[Planned]) -> tuple[str, ...]:
    """Features that wait for each other, the first one once more at the end; else nothing."""
    ordered = {one.name for one in in_order(features)}
    stuck = {one.name: one for one in features if one.name not in ordered}
    if not stuck:
        return ()
    seen: list[str] = []
    name = next(iter(stuck))
    while name not in seen:
        seen.append(name)
        name = next(other for other in stuck[name].depends_on if other in stuck)
    return (*seen[seen.index(name) :], name)


def standings(
    features: Sequence[Planned], done: frozenset[str], working: frozenset[str]
) -> dict[str, ProjectStanding]:
    """Of each: a feature waits until its dependencies are done."""
    return {one.name: _standing(one, done, working) for one in features}


def roadmap(title: str, project: Project, folders: Mapping[str, str]) -> str:
    """The roadmap's text; `folders` gives each feature's folder, like `012-record-a-payment`."""
    parts = (
        f"# Roadmap: {_line(title)}\n\n<!-- Arrow: prerequisite (A before B) -->",
        "## Dependency Graph\n\n```mermaid\ngraph TD\n"
        + "\n".join(_graph(project, folders))
        + "\n```",
        "## Execution Order\n\n" + "\n".join(_order(project, folders)),
        "## Milestones\n\n" + "\n\n".join(_milestones(project, folders)),
        "## Cross-Cutting Concerns\n\n"
        + ("\n".join(f"- {one}" for one in project.cross_cutting) or "None."),
    )
    return "\n\n".join(parts) + "\n"


def _graph(project: Project, folders: Mapping[str, str]) -> Iterator[str]:
    nodes = {name: f"F{folder.split('-')[0]}[{folder}]" for name, folder in folders.items()}
    for one in in_order(project.features):
        if not one.depends_on:
            yield f"  {nodes[one.name]}"
        for other in one.depends_on:
            yield f"  {nodes[other]} --> {nodes[one.name]}"


def _order(project: Project, folders: Mapping[str, str]) -> Iterator[str]:
    for number, one in enumerate(in_order(project.features), 1):
        waits = ", ".join(folders[other] for other in one.depends_on) or "none"
        about = one.description or one.name
        yield f"{number}. **{folders[one.name]}** — {about} (depends on: {waits})"


def _milestones(project: Project, folders: Mapping[str, str]) -> Iterator[str]:
    listed = {name for milestone in project.milestones for name in milestone.features}
    rest = tuple(one.name for one in in_order(project.features) if one.name not in listed)
    more = (Milestone("Further features", rest),) if rest else ()
    for number, one in enumerate((*project.milestones, *more), 1):
        lines = [f"### M{number}: {one.name}", *(f"- {folders[name]}" for name in one.features)]
        yield "\n".join((*lines, "", f"*At its end:* {one.shows}") if one.shows else lines)


def _standing(one: Planned, done: frozenset[str], working: frozenset[str]) -> ProjectStanding:
    if one.name in done:
        return ProjectStanding.DONE
    if one.name in working:
        return ProjectStanding.WORKING
    return ProjectStanding.READY if done.issuperset(one.depends_on) else ProjectStanding.WAITING


def _features(reply: Mapping[str, Any], faults: list[str]) -> Iterator[Planned]:
    seen: set[str] = set()
    for module in (reply, *_dicts(reply.get("modules"))):
        inside = "" if module is reply else _text(module, "name")
        for one in _dicts(module.get("features")):
            name = _text(one, "name")
            if not _key(name):
                faults.append("a feature without a name")
            elif _key(name) in seen:
                faults.append(f"'{name}' is listed twice: the first one counts")
            elif len(seen) == FEATURES_AT_MOST:
                faults.append(f"more than {FEATURES_AT_MOST} features: '{name}' is left out")
            else:
                seen.add(_key(name))
                waits, part = _names(one.get("depends_on")), inside or _text(one, "module")
                yield Planned(name, _text(one, "description"), waits, part)


def _resolved(one: Planned, names: Mapping[str, str], faults: list[str]) -> Planned:
    known = tuple(name for name in _known(one.depends_on, names) if name != one.name)
    for other in one.depends_on:
        if _key(other) not in names:
            faults.append(f"'{one.name}' waits for '{other}', which is not in the list")
        elif names[_key(other)] == one.name:
            faults.append(f"'{one.name}' waits for itself")
    return Planned(one.name, one.description, known, one.module)


def _known(found: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names[_key(one)] for one in found if _key(one) in names))


def _key(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _dicts(value: object) -> Iterator[Mapping[str, Any]]:
    return (cast("dict[str, Any]", one) for one in _list(value) if isinstance(one, dict))


def _names(value: object) -> tuple[str, ...]:
    return tuple(line for line in map(_line, _list(value)) if line)


def _text(found: Mapping[str, Any], name: str) -> str:
    return _line(found.get(name))


def _line(value: object) -> str:
    """One line that opens no markup, since a proposal's text goes into a document of ours."""
    words = " ".join(value.split())[:_WORDS] if isinstance(value, str) else ""
    return words.replace("```", "'''").replace("<!--", "").strip("#-*> ")
