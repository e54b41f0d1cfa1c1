"""Which means of saving tokens are in use."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.config.kinds import Names
from sparing.config.rules import Rule, setting
from sparing.way import ALL_LEVERS, Lever, off

LEVERS = (ALL_LEVERS, *(name for lever in Lever for name in (lever.value, off(lever))))


@dataclass(frozen=True)
class EconomySettings:
    levers: tuple[str, ...] = setting(
        (ALL_LEVERS,),
        Rule(
            Names(LEVERS),
            "Which means of sending less are used: `all`, or their names; a name with `no-` before "
            'it switches that one off, as in `["all", "no-keep-alive"]`. What the backend can\'t '
            "do is off anyway. Only the policy `adaptive` uses them.",
        ),
    )
