"""Sessions of providers as rows of ours, so that any machine of a team can resume them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from sparing.records import conversations
from sparing.records.conversations import ConversationRow
from sparing.records.folder import StateFolder, TextGone


class Said(NamedTuple):
    text: str
    turns: int
    model: str


@dataclass(frozen=True, slots=True)
class ConversationRows:
    folder: StateFolder
    backend: str

    def load(self, session: str) -> Said | None:
        with self.folder.database().read() as connection:
            row = conversations.get(connection, session)
        if row is None or row.backend != self.backend:
            return None
        try:
            return Said(self.folder.fetch(row.body), row.turns, row.model)
        except TextGone:
            return None

    def save(self, session: str, model: str, text: str, turns: int, at: float) -> bool:
        body = self.folder.keep_json(json.loads(text))
        row = ConversationRow(session, self.backend, model, turns, body, at)
        return self.folder.database().transact(lambda tx: conversations.put(tx, row))
