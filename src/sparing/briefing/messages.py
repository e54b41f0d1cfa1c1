"""A person's messages to a feature between two turns: delivered with the author's next turn.

A word is heard once. It counts as heard when the turn that brought it has led to a commit; one
that was lost on the way is brought again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from sparing.context.prompt.brief import Brief, Material
from sparing.context.prompt.turns import SAID
from sparing.records import events, mailbox
from sparing.records.mailbox import SAY, Letter
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source

HEARD = "heard"


def with_words(brief: Brief, source: Source, teller: Teller) -> Brief:
    if not source.role.role_class.writes:
        return brief
    around = source.around
    with around.database.read() as connection:
        letters = mailbox.words_to(connection, teller.feature, SAY)
        new = _unheard(connection, teller, letters) if letters else []
    if not new:
        return brief
    with around.database.write() as tx:
        data = {"letters": [letter.n for letter in new]}
        tell(tx, teller, source.job, HEARD, data=data)
    said = Material(SAID, "\n\n".join(letter.body for letter in new) + "\n")
    return replace(brief, materials=(*brief.materials, said))


def _unheard(connection: sqlite3.Connection, teller: Teller, letters: list[Letter]) -> list[Letter]:
    past = events.since(connection, 0, teller.feature)
    led = {one.key.removesuffix(".commit") for one in past if one.kind == "commit"}
    heard: set[int] = set()
    for event in past:
        dispatch = event.key.removesuffix(f".{HEARD}")
        if event.kind == HEARD and dispatch != teller.id and dispatch in led:
            heard |= set(event.data["letters"])
    return [letter for letter in letters if letter.n not in heard]
