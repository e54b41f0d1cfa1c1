"""What can be set of roles: who may have the web searched."""

from __future__ import annotations

from enum import StrEnum

from sparing.config.rules import Rule, SettingScope, setting
from sparing.config.value_forms import OneOf
from sparing.lazy_dataclass import lazy_dataclass


class WebUse(StrEnum):
    """Who may have the web searched."""

    OFF = "off"
    RESEARCHER = "researcher"
    """Who sees the request alone, in an empty folder."""
    REVIEWERS = "reviewers"
    """All of them, because they share what a cache holds; they read the repository."""
    BOTH = "both"

    @property
    def researches(self) -> bool:
        return self in (WebUse.RESEARCHER, WebUse.BOTH)

    @property
    def reviews(self) -> bool:
        return self in (WebUse.REVIEWERS, WebUse.BOTH)


@lazy_dataclass
class RoleSettings:
    web: WebUse = setting(
        WebUse.OFF,
        Rule(
            OneOf(WebUse),
            "Who may have the web searched, where the agent's provider does that: `researcher`, "
            "who gets the request and an empty folder; `reviewers`, all of them; `both`. You are "
            "asked before the first search. Without it nobody researches outside, and claims are "
            "checked against lockfiles and installed sources.",
            SettingScope.USER,
        ),
    )
