"""The shipped words as values, for the tests that hold their rules."""

from __future__ import annotations

import re
import tomllib
from typing import Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field

from sparing.prompts.render import words

DOCUMENT_AUTHORS = {"prd-author", "spec-author", "design-author", "plan-author", "tasks-author"}
AUTHORS = DOCUMENT_AUTHORS | {"implementer", "code-simplifier", "test-deepener"}
REVIEWERS = {
    "prd-reviewer",
    "readiness-reviewer",
    "spec-reviewer",
    "design-reviewer",
    "plan-reviewer",
    "task-reviewer",
    "phase-reviewer",
    "implementation-reviewer",
    "code-quality-reviewer",
    "security-reviewer",
}
RESEARCHERS = {"codebase-explorer", "researcher", "retro-facilitator", "decomposer"}
ROLES = AUTHORS | REVIEWERS | RESEARCHERS
STAGES = {"brainstorm", "design_review", "plan", "implement", "code_review", "verify", "done"}


class Front(BaseModel):
    """The front matter of a role: these keys, these words, nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    role_class: Literal["author", "reviewer", "researcher"] = Field(alias="class")
    purpose: str
    tools: list[Literal["read", "search", "write", "run", "web"]] = Field(min_length=1)
    model: Literal["strong", "standard", "cheap"]
    artifacts: list[str]
    categories: list[str]
    always_fresh: bool
    levels: list[str] = []


class Role(NamedTuple):
    front: Front
    body: str


def role(name: str) -> Role:
    opening, front, body = words("roles", name).split("+++\n", 2)
    assert opening == ""
    return Role(Front.model_validate(tomllib.loads(front)), body)


def items(body: str, heading: str) -> list[str]:
    """The `- ` items below one `## ` heading."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL)
    return re.findall(r"^- .+", section[1], re.MULTILINE) if section else []


def each(members: set[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", sorted(members))
