"""Programs that a repository's git settings would start, for a person to judge."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sparing.desk.office import Office
from sparing.workspace.git import trusted_programs
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.trusted_programs import Program

MOST_LINES = 200


class ProgramTrust(StrEnum):
    NEW = "new"
    CHANGED = "changed since it was trusted"
    TRUSTED = "trusted"
    NEVER = "never run"


class Named(NamedTuple):
    """A file that a setting names, with its current contents."""

    where: str
    lines: tuple[str, ...]


class ProgramView(NamedTuple):
    program: Program
    standing: ProgramTrust
    named: tuple[Named, ...]

    @property
    def waits(self) -> bool:
        return self.standing in (ProgramTrust.NEW, ProgramTrust.CHANGED)


def program_views(office: Office) -> list[ProgramView]:
    return [
        ProgramView(one, _standing(office, one), _named(one))
        for one in trusted_programs.programs(office.repository)
    ]


def trust_programs(office: Office, chosen: Sequence[ProgramView]) -> None:
    if chosen:
        trusted_programs.trust_programs(office.folder.path, [one.program for one in chosen])


def revoke_programs(office: Office) -> int:
    return trusted_programs.revoke_programs(office.folder.path)


def _standing(office: Office, program: Program) -> ProgramTrust:
    if not program.can_be_trusted:
        return ProgramTrust.NEVER
    folder = office.folder.path
    if trusted_programs.is_trusted(folder, program):
        return ProgramTrust.TRUSTED
    return (
        ProgramTrust.CHANGED if trusted_programs.was_trusted(folder, program) else ProgramTrust.NEW
    )


def _named(program: Program) -> tuple[Named, ...]:
    return tuple(
        Named(str(path), tuple(data.decode(errors="replace").splitlines()[:MOST_LINES]))
        for path in program.files
        if (data := read_plain(path, follow=True)) is not None
    )
