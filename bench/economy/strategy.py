"""A strategy: a settings file of a few lines, and what the client can do."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from bench.arms import Arm, Tools
from sparing.agents.claude.options import (
    BASE_TOKENS,
    LEAN_SHELL_TOKENS,
    NO_SHELL_TOKENS,
    OWN_READER_TOKENS,
    OWN_WRITER_TOKENS,
    WRITER_TOKENS,
)
from sparing.config.settings import every_setting
from sparing.dispatch_policy import ALL_LEVERS, Lever, Order, Policy, Way, off
from sparing.double.agent.play import TRUST
from sparing.economy.levers import (
    SPARES,
    Able,
    LeverState,
    SheetEffect,
    sheet_use,
    standings,
    why_off,
)
from sparing.runtime.levers import recorded

FOLDER = Path(__file__).parent / "strategies"
MOST_LINES = 30
FIRST_FEATURE = 1
STOCK_TOKENS = 22_000
"""Of the client as installed: its first request was measured with 22,800, a short prompt in it."""


class Client(NamedTuple):
    """The program that speaks with the model, as far as prompts depend on it."""

    tools: Tools
    reader_tokens: int
    writer_tokens: int
    """Tools and the client's own line, for those who read and those who may write."""
    no_shell_tokens: int = 0
    """Of those who may write and are offered no shell."""
    lean_shell_tokens: int = 0
    """Of those whose shell does not say how to commit."""
    files: int = 1
    """That agents ask for at once where a tool takes a list."""
    trust: int = TRUST
    """Percent of quoted files that agents leave unopened."""
    able: Able = Able(marks=1, two_lives=False, trims=False)
    """Claude Code takes one mark of the caller's, has one life for all entries, and its tools
    answer the model directly."""

    def owns(self, *, writes: bool) -> bool:
        """Whether they have tools of ours, which take lists."""
        return self.tools is Tools.OWN or (self.tools is Tools.LOOK and not writes)

    def base_tokens(self, *, writes: bool, shell: bool = True, lean: bool = False) -> int:
        if not writes:
            return self.reader_tokens
        if self.owns(writes=True) or not lean:
            return self.writer_tokens
        return self.lean_shell_tokens if shell else self.no_shell_tokens


LEAN = Client(Tools.LEAN, BASE_TOKENS, WRITER_TOKENS, NO_SHELL_TOKENS, LEAN_SHELL_TOKENS)
STOCK = Client(
    Tools.STOCK, STOCK_TOKENS, STOCK_TOKENS, no_shell_tokens=STOCK_TOKENS,
    lean_shell_tokens=STOCK_TOKENS,
)  # fmt: skip
CLIENTS = {
    Tools.LEAN: LEAN,
    Tools.STOCK: STOCK,
    Tools.LOOK: LEAN._replace(tools=Tools.LOOK, reader_tokens=OWN_READER_TOKENS),
    Tools.OWN: LEAN._replace(
        tools=Tools.OWN, reader_tokens=OWN_READER_TOKENS, writer_tokens=OWN_WRITER_TOKENS,
        able=LEAN.able._replace(trims=True),
    ),
}  # fmt: skip


def client_of(arm: Arm) -> Client:
    return CLIENTS[arm.tools]._replace(files=arm.files, trust=arm.trust)


def strategy_of(arm: Arm) -> Strategy:
    """The settings file that the arm names, with the levers that it sets."""
    levers = cast("list[str] | None", arm.settings.get("economy.levers"))
    return load(arm.grid, client_of(arm), levers)


@dataclass(frozen=True, slots=True)
class Strategy:
    name: str
    title: str
    policy: Policy
    levers: frozenset[Lever]
    """Wanted and possible."""
    off: tuple[LeverState, ...] = ()
    naive: bool = False
    """One block that holds all, the role being the system prompt, no mark of ours."""
    order: Order = Order.NESTED
    ways: tuple[Way, ...] = (Way.COMPOSE, Way.REFERENCE, Way.RESUME, Way.PLAIN)
    """That may be taken; a single fresh one, or a resume wherever there is a session, is a fixed
    strategy."""
    fixed: bool = False
    """The last way on offer is taken, whatever it is expected to cost."""

    def having(self, lever: Lever) -> Strategy:
        return replace(self, name=f"{self.name} with {lever}", levers=self.levers | {lever})

    def without(self, lever: Lever) -> Strategy:
        return replace(self, name=f"{self.name} without {lever}", levers=self.levers - {lever})


def load(name: str, client: Client = LEAN, levers: list[str] | None = None) -> Strategy:
    """`levers`: others than the file says."""
    path = FOLDER / f"{name}.toml"
    text = path.read_text("utf-8")
    if len(text.splitlines()) > MOST_LINES:
        raise ValueError(f"{path} has more than {MOST_LINES} lines: a strategy is a few settings")
    values = tomllib.loads(text)
    if levers is not None:
        values["economy"] = {"levers": levers}
    return _strategy(name, values, client)


def _strategy(name: str, values: dict[str, Any], client: Client) -> Strategy:
    names = _levers(values.get("economy", {}).get("levers", []))
    own: dict[str, Any] = values.get("bench", {})
    if "order" in own:
        own["order"] = Order(own["order"])
    if "ways" in own:
        own["ways"] = tuple(Way(one) for one in own["ways"])
    states = recorded(standings(names, client.able), _unproven(names))
    lacking = tuple(one for one in states if not one.on and one.why != "switched off")
    policy = Policy(_checked("review.policy", values["review"]["policy"]))
    levers = frozenset(one.lever for one in states if one.on)
    return Strategy(name, values["title"], policy, levers, lacking, **own)


def _unproven(names: tuple[str, ...]) -> dict[Lever, str]:
    """What a first feature does without, because no turn has shown yet that it spares anything."""
    reasons = {lever: why_off(lever, (), FIRST_FEATURE) for lever in SPARES}
    reasons[Lever.SHEET] = sheet_use(SheetEffect(0, 0, None), FIRST_FEATURE)[1]
    return {lever: why for lever, why in reasons.items() if why and lever.value not in names}


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
