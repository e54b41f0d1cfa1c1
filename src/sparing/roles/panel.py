"""Several roles that are asked in one turn, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from sparing.roles.load import Role


def united(roles: Sequence[Role]) -> Role:
    """The first of them, with what all of them may know and use; its words stay its own."""
    first = roles[0]
    if len(roles) == 1:
        return first
    return replace(
        first,
        tools=tuple(dict.fromkeys(chain.from_iterable(one.tools for one in roles))),
        artifacts=tuple(dict.fromkeys(chain.from_iterable(one.artifacts for one in roles))),
        always_fresh=any(one.always_fresh for one in roles),
    )
