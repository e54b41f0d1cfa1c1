"""The workload's parameters: what is drawn, from which ranges, and what is assumed of a model.

They describe a feature from its PRD to the last code review, not a strategy: every strategy gets
the same drawn work. A test holds their digest, so that no table can be improved from here.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

MODEL = "claude-sonnet-5-5"
PRICES = f"{MODEL} 2 10 0.20 2.50 4"
"""US dollars per million tokens, as the setting `models.prices` has them."""


@dataclass(frozen=True, slots=True)
class Parameters:
    base_tokens: int = 16_000
    """Tools and system prompt: 16,000 as a large client sends, 2,000 for a loop of one's own."""
    document_chars: tuple[int, int] = (10_000, 25_000)
    files: int = 40
    """Of the repository, as far as the feature touches it."""
    file_tokens: tuple[int, int] = (1_200, 3_000)
    popularity: float = 0.7
    """Exponent of the law by which some files are looked at more often than others."""
    explored_files: tuple[int, int] = (6, 12)
    """That an author of a document looks at."""
    rounds: tuple[float, ...] = (0.2, 0.3, 0.25, 0.15, 0.1)
    """How likely a review loop ends with round 1, 2, …"""
    fixed_rounds: int = 0
    """All loops have so many rounds; 0: drawn."""
    gap_seconds: tuple[float, float] = (120, 600)
    """Between the rounds of a loop, and before a new document."""
    calls_factor: float = 1.0
    """Scales the tool calls of every turn."""
    tasks: int = 12
    call_output: int = 150
    """Tokens with which a model asks for tools, its thinking included."""
    result_tokens: tuple[int, int] = (300, 1_100)
    """Of a tool call that reads no file."""
    read_extra: int = 40
    """What a read adds to a file's own tokens."""
    files_per_call: int = 2
    calls_per_step: int = 1
    changed_share: tuple[float, float] = (0.12, 0.30)
    """Of a document, by one revision; its diff is 1.3 times that long."""
    cited_share: float = 0.7
    """How likely a file that a turn needs is named in what the turn is given."""
    cited_waste: float = 0.3
    """Tokens of files named and not needed, for each token of those that are."""
    trimmed_result: float = 0.6
    trimmed_file: float = 0.8
    """What trimming at the source leaves of a result and of a file that is read."""
    batched_calls: int = 2
    batched_files: int = 4
    """Of a model that follows the request to send what does not depend on each other at once."""
    map_saves_calls: int = 1
    """Of looking around, in a turn without memory that has a map of the repository."""
    window_tokens: int = 200_000
    first_token_seconds: float = 4.0
    tokens_per_second: float = 70.0
    tool_seconds: float = 3.0

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()
