"""Our own tools against the client's: small coding tasks with tests that the agent never sees.

Each task is a repository of its own and one turn of a writer, once with either set of tools. What
counts is whether its hidden test passes afterwards, run in the same sandbox; the words of the reply
count for nothing.
"""

from __future__ import annotations

import asyncio
import shutil
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Backend, Launched, Needs
from sparing.agents.claude.backend import ClaudeBackend
from sparing.codec import JsonObject
from sparing.config.load import Loaded
from sparing.context.prompt.turn_words import system
from sparing.dispatch_policy import Policy
from sparing.economy.cost_model import Expected, Rates, TurnWork, turn_tokens
from sparing.economy.prices import cost_usd, own_prices, price_of
from sparing.payment.paid_call import run_on
from sparing.runtime.own_tools import ToolSources, offer_tools
from sparing.runtime.sandbox import launch_in
from sparing.runtime.surroundings import Surroundings, make_backend
from sparing.segment import Segment, Volatility
from sparing.tool import ToolMode
from sparing.usage import Usage
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.new_repository import create_repository
from sparing.workspace.tools.command import Commands

NAME, HIDDEN = "coding", "hidden_check.py"
TEST_SECONDS = 60.0
USUAL = TurnWork(calls=6, growth=3_000, output=1_200)
"""What such a task is taken to need, for the forecast."""


class ToolArm(StrEnum):
    """Whose tools the writer has."""

    OWN = "own"
    CLIENT = "client"


class CodingTask(NamedTuple):
    id: str
    ask: str
    files: dict[str, str]
    hidden: str


class CodingAsk(NamedTuple):
    arm: ToolArm
    task: CodingTask


class Coded(NamedTuple):
    """The result of one task."""

    arm: ToolArm
    task: str
    passed: bool
    why: str
    """Why it did not pass, in one line."""
    calls: int
    usage: Usage
    origin: str
    cost_usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class CodingTrial:
    around: Surroundings
    loaded: Loaded
    folder: Path
    """In which each task gets a repository."""

    @property
    def model(self) -> str:
        settings = self.loaded.settings
        return settings.models.of("strong", settings.agent.backend)

    def backend(self, arm: ToolArm, repository: Repository) -> Backend:
        made = make_backend(self.loaded, self.around.folder)
        if arm is ToolArm.OWN:
            settings = self.loaded.settings
            own = replace(
                settings,
                economy=replace(settings.economy, tools=ToolMode.OWN),
                review=replace(settings.review, policy=Policy.ADAPTIVE),
            )
            sources = ToolSources(self.around.folder, self.around.database, repository)
            offer_tools(made, own, sources)
        return made

    @property
    def arms(self) -> tuple[ToolArm, ...]:
        """What this backend can be tried with."""
        able = isinstance(make_backend(self.loaded, self.around.folder), ClaudeBackend)
        return tuple(ToolArm) if able else (ToolArm.CLIENT,)


@cache
def load_tasks() -> tuple[CodingTask, ...]:
    text = (files("sparing.eval") / "coding_tasks.toml").read_text("utf-8")
    return tuple(_task(one) for one in tomllib.loads(text)["task"])


def _task(value: JsonObject) -> CodingTask:
    texts: dict[str, str] = dict(value["files"])
    for name, count in value.get("filler", {}).items():
        texts[name] = "\n\n".join(f"def step_{n}():\n    return {n}\n" for n in range(count))
    return CodingTask(value["id"], value["ask"], texts, value["hidden"])


def forecast_usd(trial: CodingTrial, asks: Sequence[CodingAsk]) -> float | None:
    """Expected cost of all tasks; None without a price."""
    settings = trial.loaded.settings
    price = price_of(trial.model, own_prices(settings.models.prices))
    if price is None:
        return None
    base = make_backend(trial.loaded, trial.around.folder).capabilities.base_of(writes=True)
    one = turn_tokens(Expected(write_5m=base + 300), USUAL)
    return len(asks) * Rates.of(price).price(one) / 1_000_000


async def run_coding(
    trial: CodingTrial,
    asks: Sequence[CodingAsk],
    cap_usd: float | None,
    tell: Callable[[Coded], None],
) -> list[Coded]:
    """One after the other. Ends early when the cap is reached: what is missing is not guessed."""
    found: list[Coded] = []
    for number, ask in enumerate(asks):
        left = None if cap_usd is None else cap_usd - sum(one.cost_usd or 0 for one in found)
        if left is not None and left <= 0:
            break
        found.append(await _coded(trial, ask, number, left))
        tell(found[-1])
    return found


async def _coded(trial: CodingTrial, ask: CodingAsk, number: int, left: float | None) -> Coded:
    path = trial.folder / f"task-{number}"
    repository = create_repository(path, ask.task.files, ask.task.id, time.time())
    place = replace(trial.around, repository=repository)
    call = _call(trial, place, ask, number, left)
    reply = await run_on(trial.backend(ask.arm, repository))(call, lambda _: None)
    why = await asyncio.to_thread(_judged, call, ask.task, reply)
    shutil.rmtree(path, ignore_errors=True)
    prices = own_prices(trial.loaded.settings.models.prices)
    cost = cost_usd(trial.model, reply.usage, prices)
    return Coded(
        arm=ask.arm, task=ask.task.id, passed=not why, why=why, calls=len(reply.calls),
        usage=reply.usage, origin=reply.origin.value,
        cost_usd=None if cost is None else float(cost), seconds=reply.seconds,
    )  # fmt: skip


def _call(
    trial: CodingTrial, place: Surroundings, ask: CodingAsk, number: int, left: float | None
) -> AgentCall:
    worktree = Worktree(place.repository, place.repository.checkout, "")
    return AgentCall(
        id=f"{NAME}.{number + 1}",
        role=NAME,
        stage=NAME,
        iteration=1,
        task=ask.task.id,
        system=system("author"),
        prompt=(Segment("turn", f"{ask.task.ask}\n", Volatility.ITERATION),),
        cwd=place.repository.checkout,
        folder="",
        access=Access.WORKTREE,
        model=trial.model,
        at=time.time(),
        limit_seconds=trial.loaded.settings.agent.limit_seconds,
        limit_usd=left,
        launch=launch_in(place, worktree, writes=True),
    )


def _judged(call: AgentCall, task: CodingTask, reply: AgentReply) -> str:
    """Why it is not done; empty if it is."""
    if reply.failure is not None:
        return f"{reply.failure}: {reply.detail}"
    (call.cwd / HIDDEN).unlink(missing_ok=True)
    (call.cwd / HIDDEN).write_text(task.hidden, "utf-8")

    def prepare(argv: Sequence[str]) -> Launched:
        assert call.launch is not None
        return call.launch(argv, Needs({"PWD": str(call.seen)}))

    result = Commands(call.cwd, prepare).run(f"python3 -B {HIDDEN}", TEST_SECONDS)
    if result.code == 0:
        return ""
    said = [line for line in result.output.splitlines() if line.strip()]
    return said[-1] if said else "its test did not finish" if result.code is None else "no output"
