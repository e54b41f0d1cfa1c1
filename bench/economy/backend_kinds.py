"""Small flows on backends whose tools can't be chosen, against naive on the same backend.

`python -m bench.economy.backend_kinds --first 100 --draws 12` draws the work of L1 to L3 for each
kind of agent and pause, and prints for each kind of backend the dearest cell by the median and by
the mean of its draws, the mean of all cells and the dearest draw. In process; bills are simulated.
"""

from __future__ import annotations

import argparse
import statistics
from typing import NamedTuple

from bench.arms import Tools
from bench.economy.draws import composer_of
from bench.economy.measure import run
from bench.economy.parameters import PauseName
from bench.economy.strategy import CLIENTS, LEAN, Client, load
from sparing.double.agent_kinds import AgentKind

FLOWS = ("L1", "L2", "L3")
SMALL_TOKENS = 900
"""Of an API key's own tools."""
PAUSES = tuple(one for one in PauseName if one is not PauseName.DRAWN)
_WRITER = LEAN.writer_tokens
KINDS = {
    "Claude Code's tools": LEAN,
    f"tools can't be chosen, {_WRITER:,} tokens of them": LEAN._replace(
        no_shell_tokens=_WRITER, lean_shell_tokens=_WRITER
    ),
    f"tools can't be chosen, {SMALL_TOKENS} tokens (an API key)": LEAN._replace(
        reader_tokens=SMALL_TOKENS, writer_tokens=SMALL_TOKENS,
        no_shell_tokens=SMALL_TOKENS, lean_shell_tokens=SMALL_TOKENS,
    ),
    "Sparing's own tools, in naive too": CLIENTS[Tools.OWN]._replace(files=4),
}  # fmt: skip


class Cell(NamedTuple):
    flow: str
    agents: AgentKind
    pause: PauseName
    shares: tuple[float, ...]
    """Adaptive by naive, one a draw."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.economy.backend_kinds")
    parser.add_argument("--first", type=int, default=100, help="number of the first draw")
    parser.add_argument("--draws", type=int, default=12)
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.draws)
    print("adaptive / naive on the same backend (simulated)")
    print("| backend | dearest cell | dearest by mean | mean of all cells | dearest draw |")
    print("|---|---|---|---|---|")
    for name, client in KINDS.items():
        print(row(name, cells_of(client, seeds)), flush=True)


def cells_of(client: Client, seeds: range) -> list[Cell]:
    return [
        Cell(flow, agents, pause, tuple(_share(client, flow, agents, pause, one) for one in seeds))
        for flow in FLOWS
        for agents in AgentKind
        for pause in PAUSES
    ]


def row(name: str, cells: list[Cell]) -> str:
    medians = [statistics.median(one.shares) for one in cells]
    means = [statistics.mean(one.shares) for one in cells]
    dearest = max(max(one.shares) for one in cells)
    figures = (max(medians), max(means), statistics.mean(means), dearest)
    return f"| {name} | " + " | ".join(f"{one:.3f}" for one in figures) + " |"


def _share(client: Client, flow: str, agents: AgentKind, pause: PauseName, seed: int) -> float:
    composer = composer_of(flow, agents, seed)
    naive = run(composer, load("naive", client), client, pause).equivalents
    return run(composer, load("adaptive", client), client, pause).equivalents / naive


if __name__ == "__main__":
    main()
