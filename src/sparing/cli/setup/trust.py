"""`sparing trust`: approve what comes with a repository: its role files and git programs."""

from __future__ import annotations

from pathlib import Path

import click

from sparing.cli.options import json_option, print_json
from sparing.cli.screen import confirm, echo, is_terminal, style
from sparing.cli.setup.trust_setup import trust_setup
from sparing.cli.setup.trust_web import trust_web
from sparing.codec import JsonObject
from sparing.desk.office import Office, open_office
from sparing.desk.setup.programs import ProgramView, program_views, revoke_programs, trust_programs
from sparing.desk.setup.roles import RoleCandidate, candidates, revoke_all, trust_files
from sparing.desk.setup.web import forbid_web
from sparing.errors import NeedsHuman
from sparing.printable import printable
from sparing.roles.trust import RoleTrust


@click.command("trust")
@click.option("--yes", is_flag=True, help="Approve all of them without asking.")
@click.option("--revoke", is_flag=True, help="Withdraw all approvals.")
@click.option("--setup", metavar="FEATURE", help="Review the set-up as this feature changes it.")
@click.option("--web", is_flag=True, help="Allow web searches; see roles.web.")
@json_option
def trust_command(yes: bool, revoke: bool, setup: str | None, web: bool, as_json: bool) -> None:
    """Approve role files and git programs that come with a repository.

    Files in .sparing/roles and .claude/agents change the agents' instructions. Each is shown with
    its hash; if its content changes, you are asked again. They never give an agent more access.

    Git settings of the repository can name programs, for instance as filters, merge drivers or for
    pushing. They run only if you approve them, then with your rights and outside the agents'
    sandbox. If one changes, or names a file that changes, you are asked again. git-lfs needs no
    approval.

    With --setup: how a feature changes the set-up, for example by a new dependency, as a diff. It
    is installed only after you agree, from the commit that you saw.

    With --web: whether the agents named by roles.web may search the web. --revoke withdraws that
    too.
    """
    if setup is not None:
        trust_setup(setup, yes=yes, as_json=as_json)
        return
    if web and not revoke:
        trust_web(yes=yes, as_json=as_json)
        return
    office = open_office(Path.cwd(), reading=True)
    if revoke:
        _revoke(office, as_json)
        return
    found, programs = candidates(office), program_views(office)
    if as_json and not yes:
        print_json(files=[_row(o) for o in found], settings=[_setting_row(o) for o in programs])
        return
    waiting = [one for one in found if one.standing is not RoleTrust.TRUSTED]
    open_programs = [one for one in programs if one.waits]
    if not as_json:
        _show_all(waiting, programs)
    if not yes:
        _need_a_person(waiting, open_programs)
    taken = [one for one in waiting if yes or _agrees(one.file.where)]
    chosen = [one for one in open_programs if yes or _agrees(one.program.setting.key)]
    trust_files(office, [one.file for one in taken])
    trust_programs(office, chosen)
    content = {
        "trusted": [one.file.where for one in taken],
        "settings": [one.program.setting.key for one in chosen],
    }
    _tell(as_json, content, _words(taken, found, chosen, programs))


def _revoke(office: Office, as_json: bool) -> None:
    files, settings = revoke_all(office), revoke_programs(office)
    searches = forbid_web(office)
    counts = ((files, "file"), (settings, "git setting"))
    words = [
        f"{count} {what}{' was' if count == 1 else 's were'} trusted; that is withdrawn"
        for count, what in counts
        if count
    ]
    if searches:
        words.append("web searches are no longer allowed")
    content = {"revoked": files, "revoked_settings": settings, "revoked_web": searches}
    _tell(as_json, content, "\n".join(words) or "nothing was trusted here")


def _need_a_person(waiting: list[RoleCandidate], programs: list[ProgramView]) -> None:
    if is_terminal() or not (waiting or programs):
        return
    named = ((len(waiting), "role file"), (len(programs), "git setting"))
    parts = [f"{count} {one}{'' if count == 1 else 's'}" for count, one in named if count]
    are = "is" if len(waiting) + len(programs) == 1 else "are"
    raise NeedsHuman(
        f"{' and '.join(parts)} {are} not trusted, and there is nobody to ask",
        "read them, then: sparing trust --yes",
    )


def _agrees(name: str) -> bool:
    return confirm(f"trust {printable(name)} as it is now?", default=False, err=True)


def _show_all(waiting: list[RoleCandidate], programs: list[ProgramView]) -> None:
    for one in waiting:
        _show(one)
    for program in programs:
        _show_program(program)


def _show(one: RoleCandidate) -> None:
    echo(style(one.file.where, bold=True) + f"  {one.standing}")
    echo(f"  sha256 {one.file.digest}")
    for note in one.notes:
        echo(f"  {style('·', dim=True)} {printable(note)}")
    _show_lines(one.file.text.splitlines())
    echo()


def _show_program(one: ProgramView) -> None:
    """Show exactly what git would start, and the files of the repository that it names."""
    setting = one.program.setting
    echo(style(f"git {printable(setting.key)}", bold=True) + f"  {one.standing}")
    if not one.waits:
        echo(f"  {printable(setting.value)}\n")
        return
    echo(f"  sha256 {one.program.pins[0]}")
    echo(f"  {style('·', dim=True)} {one.program.effect}")
    _show_lines(setting.value.splitlines())
    for named in one.named:
        echo(f"  {style('·', dim=True)} {printable(named.where)}")
        _show_lines(named.lines)
    echo()


def _show_lines(lines: tuple[str, ...] | list[str]) -> None:
    for line in lines:
        echo(f"  │ {printable(line)}")


def _row(one: RoleCandidate) -> JsonObject:
    return {
        "path": one.file.where,
        "sha256": one.file.digest,
        "standing": one.standing.name.lower(),
        "notes": list(one.notes),
    }


def _setting_row(one: ProgramView) -> JsonObject:
    program = one.program
    return {
        "key": program.setting.key,
        "value": program.setting.value,
        "effect": program.effect.name.lower(),
        "sha256": program.pins[0],
        "standing": one.standing.name.lower(),
        "files": [named.where for named in one.named],
    }


def _words(
    taken: list[RoleCandidate],
    found: list[RoleCandidate],
    chosen: list[ProgramView],
    programs: list[ProgramView],
) -> str:
    lines = [f"{len(taken)} of {len(found)} files newly trusted"] if found else []
    if programs:
        lines.append(f"{len(chosen)} of {len(programs)} git settings newly trusted")
    nothing = "this repository has no role files in .sparing/roles or .claude/agents"
    return "\n".join(lines) or nothing


def _tell(as_json: bool, content: JsonObject, words: str) -> None:
    if as_json:
        print_json(**content)
    else:
        echo(words)
