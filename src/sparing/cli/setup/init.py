"""`sparing init`: show what was found in a repository; write a settings file on consent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.desk.office import Office, open_office
from sparing.desk.setup.repository_scan import (
    RepositoryScan,
    agree,
    project_file,
    prospect,
    write_project_file,
)
from sparing.errors import NeedsHuman
from sparing.printable import printable
from sparing.workspace.setup.setup_plan import SetupPlan

LABEL = 9


@click.command("init")
@click.option("--yes", is_flag=True, help="Write the file and agree to the set-up without asking.")
@json_option
def init_command(yes: bool, as_json: bool) -> None:
    """Inspect this repository and write sparing.toml.

    Shows the base branch, the checks, the set-up of a new worktree and the file with your rules for
    agents. Nothing is written before you agree, and set-up commands run only with your consent.
    """
    office = open_office(Path.cwd())
    found = prospect(office)
    if as_json and not yes:
        print_json(**_facts(found))
        return
    if not as_json:
        show_prospect(found)
    asks = found.agreed is None or not found.configured
    if asks and not yes and not is_terminal():
        raise NeedsHuman("there is nobody to ask", "sparing init --yes")
    agreed = agree_to_setup(office, found, yes=yes)
    written = offer_file(office, found, yes=yes)
    if as_json:
        print_json(**_facts(found), set_up=agreed, written=written)
    elif written:
        echo(f"{written} is written; commit it if others should have it too")
        echo(style('  sparing start "Add rate limiting"', fg="cyan"))


def show_prospect(found: RepositoryScan, *, err: bool = False) -> None:
    rows = [
        ("base", f"{found.base.branch} at {found.base.commit[:10]}"),
        ("checks", _checks(found)),
        ("set-up", _setup(found.setup)),
        ("rules", ", ".join(found.rules) or "none: no AGENTS.md, no CLAUDE.md"),
    ]
    if found.lent:
        rows.append(("copied", ", ".join(found.lent)))
    if lent := _lent_to_checks(found.setup):
        rows.append(("for checks", "\n".join(lent)))
    if found.submodules:
        several = "s" * (len(found.submodules) > 1)
        names = ", ".join(found.submodules)
        rows.append(("left out", f"submodule{several} {names}: empty folder{several} in worktrees"))
    if found.configured:
        rows.append(("settings", found.configured))
    for label, words in rows:
        first, *rest = words.split("\n")
        echo(f"  {label:<{LABEL}} {printable(first)}", err=err)
        for line in rest:
            echo(f"  {'':<{LABEL}} {printable(line)}", err=err)


def agree_to_setup(office: Office, found: RepositoryScan, *, yes: bool) -> bool:
    """Ask once for each set-up; the answer is remembered."""
    if found.agreed is not None:
        return found.agreed
    if not yes:
        runs = "; it runs code of this repository" if found.setup.commands else ""
        echo(f"a new worktree needs this once{runs}:", err=True)
        for one in found.setup.commands:
            echo(f"  {printable(one.words)}", err=True)
        for name in found.lent:
            echo(f"  copy of {printable(name)}, which reviewers never see", err=True)
        for words in _lent_to_checks(found.setup):
            echo(f"  {printable(words)}", err=True)
    agreed = yes or confirm("do that in new worktrees?", default=True, err=True)
    agree(office, found.setup, agreed=agreed)
    return agreed


def offer_file(office: Office, found: RepositoryScan, *, yes: bool) -> str:
    """The name of the file that was written; empty if none was."""
    if found.configured:
        echo(f"{found.configured} already has settings and is left unchanged", err=True)
        return ""
    asked = f"copy {', '.join(found.private)} to worktrees (authors and checks only)?"
    copy = found.setup.copy
    if found.private and not yes and confirm(asked, default=False, err=True):
        copy = (*copy, *found.private)
    text = project_file(found, copy=copy)
    if not yes:
        echo("\n" + text, err=True, fold=False)
        if not confirm("write this to sparing.toml?", default=False, err=True):
            return ""
    return write_project_file(office, text).name


def _setup(plan: SetupPlan) -> str:
    rows = [f"{one.words} ({one.origin}{_missing(one.argv)})" for one in plan.commands]
    return "\n".join(rows) or "none needed"


def _missing(argv: Sequence[str]) -> str:
    """Said before it runs; a path may be of a program that an earlier command makes."""
    from shutil import which

    program = argv[0]
    there = "/" in program or which(program)
    return "" if there else f"; {program} is not installed"


def _lent_to_checks(plan: SetupPlan) -> list[str]:
    found = [f"checks may reach {one} on this machine; agents may not" for one in plan.services]
    return found + [f"checks get your variable {one}" for one in plan.variables]


def _checks(found: RepositoryScan) -> str:
    rows = [f"{one.name}: {' '.join(one.command)} ({one.origin})" for one in found.checks]
    return "\n".join(rows) or "none found (a Makefile with a target `test` would be one)"


def _facts(found: RepositoryScan) -> dict[str, object]:
    return {
        "base_branch": found.base.branch,
        "checks": {one.name: " ".join(one.command) for one in found.checks},
        "setup": [one.words for one in found.setup.commands],
        "copy": list(found.lent),
        "services": list(found.setup.services),
        "lend_env": list(found.setup.variables),
        "rules": list(found.rules),
        "configured": found.configured,
    }
