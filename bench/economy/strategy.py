"""A strategy: a settings file of a few lines, and what the client can do."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from bench.economy.agent import Habits
from bench.economy.parameters import Parameters
from sparing.config.settings import every_setting
from sparing.economy.levers import Able, LeverState, in_use, standings
from sparing.way import ALL_LEVERS, Lever, Order, Policy, Way, off

FOLDER = Path(__file__).parent / "strategies"
MOST_LINES = 30


class Client(NamedTuple):
    """The program that speaks with the model, as far as prompts depend on it."""

    name: str
    base_tokens: int
    able: Able = Able(marks=2)


OWN_LOOP = Client("own loop", 2_000)
LARGE = Client("large client", 16_000)
CLAUDE_CODE = Client("limits of Claude Code", 16_000, Able(marks=1, two_lives=False, trims=False))


@dataclass(frozen=True, slots=True)
class Strategy:
    name: str
    title: str
    policy: Policy
    levers: frozenset[Lever]
    """Wanted and possible."""
    off: tuple[LeverState, ...] = ()
    naive: bool = False
    everything: bool = False
    diff: bool = True
    grows: bool = True
    order: Order = Order.NESTED
    fresh: Way = Way.COMPOSE
    neutral: bool = True
    """One system prompt for all roles of a class; else every role has its own."""
    session: str = "loop"
    """`loop`: each loop its own; `one`: one for everything; `forked`: all from one trunk."""
    guard: bool = True
    shares_tools: bool = False
    """The client marks the end of its tools, too."""
    hindsight: bool = False
    """Ways are chosen by what they turn out to cost."""
    skips_unchanged: bool = False

    def without(self, lever: Lever) -> Strategy:
        return replace(self, name=f"{self.name} without {lever}", levers=self.levers - {lever})

    def habits(self, p: Parameters) -> Habits:
        trims, batches = Lever.TRIM in self.levers, Lever.BATCH in self.levers
        return Habits(
            p.batched_files if batches else p.files_per_call,
            p.batched_calls if batches else p.calls_per_step,
            p.trimmed_result if trims else 1.0,
            p.trimmed_file if trims else 1.0,
        )


def load(name: str, client: Client) -> Strategy:
    path = FOLDER / f"{name}.toml"
    text = path.read_text("utf-8")
    if len(text.splitlines()) > MOST_LINES:
        raise ValueError(f"{path} has more than {MOST_LINES} lines: a strategy is a few settings")
    return _strategy(name, tomllib.loads(text), client)


def _strategy(name: str, values: dict[str, Any], client: Client) -> Strategy:
    names = _levers(values.get("economy", {}).get("levers", []))
    own: dict[str, Any] = values.get("bench", {})
    for key, kind in (("order", Order), ("fresh", Way)):
        if key in own:
            own[key] = kind(own[key])
    lacking = tuple(
        one for one in standings(names, client.able) if not one.on and one.why != "switched off"
    )
    policy = Policy(_checked("review.policy", values["review"]["policy"]))
    return Strategy(name, values["title"], policy, in_use(names, client.able), lacking, **own)


def _levers(raw: list[str]) -> tuple[str, ...]:
    known = {ALL_LEVERS, *(one for lever in Lever for one in (lever.value, off(lever)))}
    if not known.issuperset(raw):
        raise ValueError(f"no such lever: {sorted(set(raw) - known)}")
    return tuple(raw)


def _checked(key: str, raw: object) -> Any:
    """By the program's own rule for the setting."""
    found = every_setting()[key].rule.kind.accept(raw)
    if found is None:
        raise ValueError(f"{key} can't be {raw!r}")
    return found
