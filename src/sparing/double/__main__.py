"""`python -m sparing.double`: the double as a process of its own.

It prints its address as one line of JSON and serves until it is told to stop, or with
`--with-parent` until its standard input ends. `--rebill LOG` checks the bills of a log instead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sparing.double.agent.play import TRUST, DrawnAgent
from sparing.double.agent.tools import MOST_FILES
from sparing.double.agent_kinds import AgentKind
from sparing.double.log import rebill
from sparing.double.model import SCALE, Model
from sparing.double.plan import PlannedReply, read_steps
from sparing.double.playbook import read_playbook
from sparing.double.refusal import Refusal
from sparing.double.server import Double, ServerSettings
from sparing.errors import SparingError, UsageError
from sparing.printable import printable


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        if options.rebill is not None:
            return _rebill(options.rebill)
        asyncio.run(_serve(_settings(options), with_parent=options.with_parent))
    except SparingError as error:
        sys.stderr.write(printable(f"error: {error.what}\nfix: {error.repair}\n"))
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sparing.double",
        description="A Messages API on this machine: exact prompt cache, scripted model.",
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="a loopback address (default 127.0.0.1)")
    add("--port", type=int, default=0, help="0, the default, takes a free one")
    add("--log", type=Path, help="append every request with its bill to this file")
    add("--plan", type=Path, help="steps to play first, a JSON list")
    add("--playbook", type=Path, help="turns to play, a scripted agent's script")
    add("--seed", type=int, help="of the reviewers' verdicts; without it all is approved")
    add("--scale", type=float, default=SCALE, help="length of documents against real ones")
    add("--agent", choices=list(AgentKind), help="work like agents of this kind, drawn by the seed")
    add("--trust", type=int, default=TRUST, help="percent of quoted files that it leaves unopened")
    add("--files", type=int, default=MOST_FILES, help="that it asks for at once from a list tool")
    add("--with-parent", action="store_true", help="stop when standard input ends")
    add("--rebill", type=Path, metavar="LOG", help="bill a log once more and compare")
    return parser


def _settings(options: argparse.Namespace) -> ServerSettings:
    playbook = read_playbook(options.playbook) if options.playbook else ()
    drawn = (options.seed or 0, options.trust, options.files)
    agent = DrawnAgent(AgentKind(options.agent), *drawn) if options.agent else None
    return ServerSettings(
        options.host,
        options.port,
        options.log,
        Model(seed=options.seed, scale=options.scale, playbook=playbook, agent=agent),
        read_plan(options.plan) if options.plan else (),
    )


def read_plan(path: Path) -> tuple[PlannedReply, ...]:
    try:
        return read_steps(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, Refusal) as error:
        raise UsageError(
            f"the plan {path} can't be used: {error}", f"correct {path} or name another one"
        ) from error


async def _serve(settings: ServerSettings, *, with_parent: bool) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    if with_parent:
        loop.add_reader(sys.stdin.fileno(), _listen, stopped)
    async with Double(settings) as double:
        _say(url=double.url, pid=os.getpid())
        await stopped.wait()


def _listen(stopped: asyncio.Event) -> None:
    with suppress(BlockingIOError):
        if not os.read(sys.stdin.fileno(), 4096):
            stopped.set()


def _rebill(path: Path) -> int:
    done = rebill(path)
    usage = done.usage
    _say(
        requests=done.requests,
        uncached=usage.uncached,
        read=usage.read,
        write_5m=usage.write_5m,
        write_1h=usage.write_1h,
        output=usage.output,
        differing=list(done.differing),
    )
    return 1 if done.differing else 0


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
