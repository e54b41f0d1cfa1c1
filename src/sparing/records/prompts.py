"""Prompts as they were sent, kept in the state folder and named by their hash."""

from __future__ import annotations

import json

from sparing.records.folder import StateFolder
from sparing.segment import Segment, Volatility


def keep_prompt(folder: StateFolder, segments: tuple[Segment, ...]) -> str:
    return folder.keep_json([[s.name, s.text, int(s.volatility), s.mark] for s in segments])


def load_prompt(folder: StateFolder, digest: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(name, text, Volatility(volatility), mark)
        for name, text, volatility, mark in json.loads(folder.fetch(digest))
    )
