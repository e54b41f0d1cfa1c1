"""Reading a role's file: its head is checked, and its access decided by class.

What an agent may touch comes from the class of its role, in code; a file may only narrow the list
of tools. A user's or repository's file may leave out what the role that ships says already; what it
asks for and can't have leads to a warning and is never granted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparing.artifact import ArtifactName
from sparing.errors import ConfigError
from sparing.prompts.render import names, words
from sparing.roles.front_matter import RoleHead, read_head

TOOLS = ("read", "search", "write", "run", "web")
FOREIGN_TOOLS = {
    "read": "read", "notebookread": "read", "ls": "read",
    "grep": "search", "glob": "search",
    "write": "write", "edit": "write", "multiedit": "write", "notebookedit": "write",
    "bash": "run", "bashoutput": "run", "killshell": "run",
    "websearch": "web", "webfetch": "web",
}  # fmt: skip
"""What other tools' role files call ours."""
MODELS = {"opus": "strong", "sonnet": "standard", "haiku": "cheap", "inherit": "standard"}
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
SHIPPED = "shipped"
LEAST = ("read", "search")
"""Tools of a role about which nothing else is known."""


class RoleClass(StrEnum):
    AUTHOR = "author"
    REVIEWER = "reviewer"
    RESEARCHER = "researcher"

    @property
    def writes(self) -> bool:
        return self is RoleClass.AUTHOR

    @property
    def tools(self) -> frozenset[str]:
        """The most that a role of this class can have."""
        match self:
            case RoleClass.AUTHOR:
                return frozenset({"read", "search", "write", "run"})
            case RoleClass.REVIEWER:
                return frozenset({"read", "search"})
            case RoleClass.RESEARCHER:
                return frozenset({"read", "search", "web"})


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    role_class: RoleClass
    purpose: str
    tools: tuple[str, ...]
    model: str
    artifacts: tuple[ArtifactName, ...]
    categories: tuple[str, ...]
    always_fresh: bool
    text: str
    origin: str = SHIPPED
    """`shipped`, or the file it comes from."""
    warnings: tuple[str, ...] = ()


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    role_class: RoleClass = Field(alias="class")
    purpose: str
    tools: tuple[str, ...]
    model: str
    artifacts: tuple[ArtifactName, ...] = ()
    categories: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    always_fresh: bool = False


@cache
def shipped(name: str) -> Role:
    if name not in names("roles"):
        raise ConfigError(
            f"there is no role '{name}'", f"roles: {', '.join(sorted(names('roles')))}"
        )
    return parse_role(words("roles", name), name)


def parse_role(source: str, where: str) -> Role:
    """Read a role that ships, or one that is complete in itself."""
    head = read_head(source, where)
    return _role(head.fields, head.text, where)


def parse_foreign(source: str, where: str, stem: str, *, users: bool) -> Role:
    """A role file of a user or a repository: laid over the role that ships, if there is one.

    A role that only a repository knows is a researcher that reads and searches.
    """
    head = read_head(source, where)
    given = _translated(head)
    name = given.get("name") or stem
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ConfigError(
            f"the role {where} has no usable name", "use lowercase letters, digits and dashes"
        )
    base = shipped(name) if name in names("roles") else None
    if base is None and not users:
        given["class"] = RoleClass.RESEARCHER
    fields, warnings = _completed(given, name, base)
    found = _role(fields, _headed(head.text, name, where), where)
    most = base.tools if base is not None else TOOLS if users else LEAST
    tools = tuple(tool for tool in found.tools if tool in most)
    lost = [tool for tool in found.tools if tool not in tools]
    if lost:
        warnings.append(f"it may not have {', '.join(lost)}: a file can only narrow")
    if base is not None and tools != base.tools:
        warnings.append("its tools differ from its group's: it can't share their cached prompt")
    return replace(found, tools=tools, origin=where, warnings=(*found.warnings, *warnings))


def _role(fields: Mapping[str, object], text: str, where: str) -> Role:
    repair = f"correct the head of the role file {where}"
    try:
        head = _FrontMatter.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"the role {where} is wrong at {key}: {first['msg']}", repair) from error
    tools = tuple(tool for tool in TOOLS if tool in head.tools and tool in head.role_class.tools)
    refused = [tool for tool in head.tools if tool not in tools]
    warnings = [f"{head.role_class} roles never have {tool}: left out" for tool in refused]
    if head.artifacts and "read" not in tools:
        raise ConfigError(f"the role {where} gets documents but has no tool `read`", repair)
    return Role(
        name=head.name,
        role_class=head.role_class,
        purpose=head.purpose,
        tools=tools,
        model=head.model,
        artifacts=head.artifacts,
        categories=head.categories,
        always_fresh=head.always_fresh,
        text=text.strip() + "\n",
        warnings=tuple(warnings),
    )


def _translated(head: RoleHead) -> dict[str, object]:
    """The fields of another tool's head, in our words."""
    if not head.plain:
        return dict(head.fields)
    known = ("name", "tools", "model", "class", "purpose", "description")
    fields = {key: value for key, value in head.fields.items() if key in known}
    described = fields.pop("description", None)
    if described is not None:
        fields.setdefault("purpose", " ".join(str(described).split()))
    if "tools" in fields:
        asked = (FOREIGN_TOOLS.get(tool.lower(), tool) for tool in _list(fields["tools"]))
        fields["tools"] = tuple(dict.fromkeys(asked))
    return fields


def _completed(
    given: Mapping[str, object], name: str, base: Role | None
) -> tuple[dict[str, object], list[str]]:
    """The fields completed with defaults, and warnings about what should not have been left out."""
    warnings = [
        f"it states no {key}: {'as shipped' if base else default}"
        for key, default in (("tools", "read and search"), ("model", "standard"))
        if not given.get(key)
    ]
    if base is not None:
        if str(given.get("class", base.role_class)) != base.role_class:
            warnings.append(f"its class stays {base.role_class}: a file can't grant access")
        ours: dict[str, object] = {
            "purpose": base.purpose, "tools": base.tools, "model": base.model,
            "artifacts": base.artifacts, "categories": base.categories,
            "always_fresh": base.always_fresh,
        }  # fmt: skip
    else:
        ours = {"purpose": name, "tools": LEAST, "model": "standard"}
        ours["class"] = RoleClass.RESEARCHER
    fields = {**ours, **{key: value for key, value in given.items() if value}, "name": name}
    if base is not None:
        fields["class"] = base.role_class
    fields["model"] = _model(str(fields["model"]), warnings)
    return fields, warnings


def _model(given: str, warnings: list[str]) -> str:
    if given in MODELS.values():
        return given
    if given not in MODELS:
        warnings.append(f"there is no model class '{given}': standard")
    return MODELS.get(given, "standard")


def _headed(text: str, name: str, where: str) -> str:
    """The text with a heading, by which role instructions are recognised."""
    if not text.strip():
        raise ConfigError(f"the role {where} has no text", f"write it below the head of {where}")
    heading = f"# Your role: {name}"
    return text if text.lstrip().startswith("# Your role") else f"{heading}\n\n{text.lstrip()}"


def _list(value: object) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(str(part) for part in cast("tuple[object, ...]", value))
    return tuple(part.strip() for part in str(value).split(",") if part.strip())
