"""What must be equal for two dispatches to share a cached trunk.

A provider's cache begins before the first word of a prompt: with the client, the model, its
tools, the system prompt and the output schema. A role that differs in one of them reads nothing
of what the others wrote, however equal their prompts are.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class TrunkKey:
    backend: str
    version: str
    """Of the client; empty where the backend does not tell."""
    model: str
    tools: tuple[str, ...]
    system: str
    """The system prompt's text."""
    schema: str
    """The output schema as compact JSON; empty for free text."""
    life: str
    """How long a cache entry lives: `5m` or `1h`."""

    @property
    def digest(self) -> str:
        data = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()
