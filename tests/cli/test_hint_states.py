"""A hint repairs: each is given by the state that causes it, typed as it stands, and helps.

Covers: A3, K1
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sparing.desk.office import open_office
from tests.cli.hint_source import followed_in
from tests.cli.hint_states import STATES, UNTRIED, After, HintState, World
from tests.cli.person import Person
from tests.desk.standing import STATES as DESK_STATES
from tests.desk.standing import standing
from tests.engine.played import play
from tests.hints import HINTS
from tests.repositories import git, make_repository
from tests.terminal import Said

GH = """#!/bin/sh
echo '{"title": "", "body": "A body", "url": "https://example.com/5"}'
"""
STANDING = {**{name: (name,) for name in DESK_STATES}, "two stuck": ("stuck", "stuck")}


def settle(world: World, folder: Path, person: Person) -> Path:
    """The folder in which a person stands then."""
    if world in (World.PLANNED, World.ABANDONED):
        played = play(folder, "small_tier_l3.toml", "L3")
        person.stands(played.repository, {"SPARING_STATE__FOLDER": str(folder / "state")})
        if world is World.ABANDONED:
            assert person.types("abandon 1 --yes").code == 0
        return played.repository
    repository = make_repository(folder / "repository")
    person.stands(repository, {"SPARING_STATE__FOLDER": str(folder / "state")})
    if world.value in STANDING:
        office = open_office(repository, {"state.folder": str(folder / "state")})
        for name in STANDING[world.value]:
            standing(office, name)
    if world is World.DETACHED:
        git(repository, "checkout", "--quiet", "--detach")
    if world is World.UNTRUSTED:
        git(repository, "config", "filter.odd.smudge", "touch odd")
    if world is World.ISSUE:
        gh = folder / "bin" / "gh"
        gh.parent.mkdir()
        gh.write_text(GH)
        gh.chmod(0o755)
        git(repository, "remote", "add", "origin", "https://github.com/a/b.git")
        person.stands(repository, {"PATH": f"{gh.parent}:{os.environ['PATH']}"})
    return repository


def hint_in(said: Said, wanted: str) -> str:
    """The command as the message has it: to the end of its line."""
    found = [one for one in (said.out + said.err).splitlines() if f"sparing {wanted}" in one]
    assert found, said
    return found[0][found[0].index("sparing ") :]


@pytest.mark.parametrize("state", STATES, ids=lambda one: f"{one.name} {one.cause}")
def test_a_hint_helps(state: HintState, tmp_path: Path, person: Person) -> None:
    """A3, K1: the state is caused, its hint is typed, the state is gone."""
    where = settle(state.world, tmp_path, person)
    if "uncommitted" in state.says:
        (where / "README.md").write_text("# Changed\n")
    person.stands(where, state.environ)
    before = person.types(state.cause)
    assert state.says in before.out + before.err
    hint_in(before, state.hint)
    typed = state.hint
    for word, value in state.filled.items():
        typed = re.sub(rf"\b{word}\b", value, typed)
    person.stands(where, state.then)
    done = person.types(typed)
    assert state.shows in done.out, done
    match state.after:
        case After.GONE:
            assert done.code in (0, 2), done
            again = person.types(state.cause)
            assert state.says not in again.out + again.err
        case After.INSTEAD:
            assert done.code == 0, done
        case After.SHOWN:
            pass


def test_every_hint_of_the_code_is_tried_or_named() -> None:
    """A3, K1: whoever adds a hint adds the state that causes it, or says why none can be."""
    tried = {one.name for one in STATES if not one.name.startswith("cli/main.py")}
    named = [one for group in UNTRIED.values() for names in group.values() for one in names]
    assert {one.name for one in HINTS} == tried | set(named)
    assert len(named) == len(set(named) - tried), "one place for each"


@pytest.mark.parametrize("test", UNTRIED["elsewhere"])
def test_what_is_tried_elsewhere_is_typed_there(test: str) -> None:
    """K1: the named test is there, has every command that is said to be followed, and looks at
    something after the last one that it types."""
    source = followed_in(test)
    for name in UNTRIED["elsewhere"][test]:
        command = name.rpartition(": ")[2]
        assert re.search(rf"""["' ]{command}\b""", source.words), f"{test} never types {command}"
    assert source.typed, f"{test} types nothing"
    assert source.looked > source.typed[0], f"{test} looks at nothing after it"
