"""Asks which branch a feature starts from if the checkout does not say: HEAD is detached."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.cli.screen import echo, is_terminal, prompt, wrapped
from sparing.desk.office import Office
from sparing.workspace.git.base_branch import possible_bases
from sparing.workspace.git.repository import head

BASE = "workspace.base_branch"
MOST_NAMES = 6


def chosen_base(office: Office) -> Mapping[str, object]:
    """The setting that a person at a terminal chooses; empty if nothing has to be chosen."""
    here = head(office.repository)
    settled = here.branch is not None or office.loaded.settings.workspace.base_branch
    names = () if settled or not is_terminal() else possible_bases(office.repository)
    if not names:
        return {}
    why = f"HEAD is detached at {here.commit[:10]}, so it does not name a branch to start from."
    echo(wrapped(why, ""), err=True)
    own = "To start from this very commit, press Ctrl-C and give it a branch:"
    echo(f"{own} git switch --create NAME", err=True)
    while (said := prompt("start from which branch", names[0], err=True)) not in names:
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        there = ", ".join(names[:MOST_NAMES])
        echo(wrapped(f"There is no branch {said!r} here. There are: {there}{more}.", ""), err=True)
    return {BASE: said}
