"""A session that the stages of the sample's largest tier share, and turns that were had in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.continuation import Continuation, SessionStep
from sparing.dispatch_policy import Way
from sparing.job import Job, JobKind
from sparing.money import Amount, Billing
from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.runtime.surroundings import set_current
from sparing.sent import NaivePrompt
from sparing.session import Session
from sparing.turn import Turn
from sparing.usage import Origin, Usage
from tests.briefing.sample import Sample, make_sample

AT = 1_000.0
SIX_HOURS = 6 * 3600.0


T = TypeVar("T")


@contextmanager
def scripted_sample(where: Path) -> Generator[Sample]:
    """The sample's largest tier, with a scripted agent."""
    made = make_sample(where)
    (where / "script.toml").write_text("base_tokens = 2000\n")
    own: dict[str, object] = {
        "agent.backend": "scripted", "agent.script": str(where / "script.toml"),
        "models.strong": "m", "models.standard": "m", "models.cheap": "m",
    }  # fmt: skip
    given = made._replace(rows={**made.rows, "L3": replace(made.rows["L3"], overrides=own)})
    back = set_current(given.around)
    with given.around.database.write() as tx:  # its folder is that of the sample's documents
        tx.execute("update features set number = 99 where number = 1")
        row = given.rows["L3"]
        values = (json.dumps(row.overrides), row.feature.key)
        tx.execute("update features set overrides = ?, number = 1 where key = ?", values)
    yield given
    back()


def done(step: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await step

    return asyncio.run(awaited())


def session(sample: Sample, commit: str = "", model: str = "m") -> Session:
    return Session(
        "s" * 32, "builder", "scripted", model, 4000, 20_000, 1, commit or sample.second, AT,
        "", AT, 100,
    )  # fmt: skip


def entering(
    sample: Sample,
    stage: str,
    kept: Session | None,
    going: Continuation | None = None,
    role: str = "",
) -> Source:
    turn = {"implement": Turn.BUILD, "code_review": Turn.JUDGE}.get(stage, Turn.WRITE)
    job = Job(
        JobKind.DISPATCH, stage, sample.second, "x", role or "builder", turn, 1,
        going=going or Continuation("L3", SessionStep.CONTINUE),
    )  # fmt: skip
    return Source(sample.around, sample.rows["L3"], job, kept, transition=kept is not None)


def told(source: Source, way: Way = Way.RESUME) -> dict[str, str]:
    return {one.name: one.text for one in compose(gather(source), way).segments}


def with_settings(sample: Sample, **own: object) -> Sample:
    row = sample.rows["L3"]
    changed = {key.replace("__", "."): value for key, value in own.items()}
    around = replace(sample.around, _loaded={}, _backends={})
    rows = {**sample.rows, "L3": replace(row, overrides={**row.overrides, **changed})}
    return sample._replace(around=around, rows=rows)


def had_turn(
    sample: Sample,
    stage: str,
    sizes: list[int],
    read: list[str] | None = None,
    feature: str = "",
    turn: Turn = Turn.BUILD,
    way: Way = Way.RESUME,
) -> None:
    """A turn of the builder; each call's context, a tenth of it written to the cache."""
    key = feature or sample.rows["L3"].feature.key
    name = f"{key}.{stage}.{sum(sizes)}"
    attempt = ledger.Attempt(
        name, key, 0, stage, "builder", 1, "", turn.value, way.value, "", "scripted", "m",
        Billing.API, "p", 10, NaivePrompt(), AT + max(sizes) / 1e6,
    )  # fmt: skip
    calls = [
        {"uncached": 0, "read": size - size // 10 - 100, "write_5m": size // 10, "write_1h": 0,
         "output": 100, "added": 2_000}
        for size in sizes
    ]  # fmt: skip
    reply = sample.around.folder.keep("done")
    result = ledger.AttemptResult(
        "s" * 32, Usage(read=1), Origin.SIMULATED, None, calls, sizes[-1], 1.0, read or [], reply
    )
    with sample.around.database.write() as tx:
        number = ledger.begin(tx, attempt, Amount(0, None))
        ledger.finish(tx, name, number, result)
