"""From a role's file to a value: front matter checked, access decided by class.

What an agent may touch comes from the class of its role, in code; the file may only narrow the
list of tools. Roles that ship are read from the package.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparing.artifact import ArtifactName
from sparing.errors import ConfigError
from sparing.prompts.render import names, words

FENCE = "+++"


class RoleClass(StrEnum):
    AUTHOR = "author"
    REVIEWER = "reviewer"
    RESEARCHER = "researcher"

    @property
    def writes(self) -> bool:
        return self is RoleClass.AUTHOR


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


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    role_class: RoleClass = Field(alias="class")
    purpose: str
    tools: tuple[str, ...] = ()
    model: str = "standard"
    artifacts: tuple[ArtifactName, ...] = ()
    categories: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    always_fresh: bool = False


@cache
def shipped(name: str) -> Role:
    if name not in names("roles"):
        raise ConfigError(
            f"there is no role '{name}'", "see docs/glossary.md for the roles there are"
        )
    return parse_role(words("roles", name), name)


def parse_role(source: str, where: str) -> Role:
    repair = f"correct the head of the role file {where}"
    parts = source.split(f"{FENCE}\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise ConfigError(f"the role {where} has no head between two lines {FENCE}", repair)
    try:
        head = _FrontMatter.model_validate(tomllib.loads(parts[1]))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the head of the role {where} is no TOML: {error}", repair) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"the role {where} is wrong at {key}: {first['msg']}", repair) from error
    return Role(
        head.name, head.role_class, head.purpose, head.tools, head.model, head.artifacts,
        head.categories, head.always_fresh, parts[2].strip() + "\n",
    )  # fmt: skip
