"""One feature under one arm through a real client, in a process of its own.

`python -m bench.client_run ARM` reads what to run from JSON on standard input and prints what it
cost as JSON. Agents are drawn, the client, its requests and its sessions are real; the double
answers and bills. The log of all requests is kept, so that another meter can bill it again, and so
is the ledger, so that a report can be made of it again.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.client_meter import bill_log
from bench.prefix_meter import bill_prefixes
from bench.sample_repository import sample_files
from sparing.cli.run.run_loop import Mode, run_features
from sparing.desk.gates import answers
from sparing.desk.money.closing import closing_figures
from sparing.desk.office import open_office
from sparing.feature import FeatureStatus
from sparing.records import events, features, gates, ledger
from sparing.records.totals import RESUME_CHECK
from sparing.turn_event import AgentAction
from sparing.usage import Usage
from sparing.workspace.project.new_repository import create_repository

CLAUDE = "claude"
MODEL = "claude-sonnet-5"
MODELS = {"codex": "gpt-5.6-terra", "opencode": "gpt-5.6-terra", "gemini": "gemini-3.8-flash"}
"""Of clients whose vendor is another, and of one whose format bills no cache writes."""
EPOCH = 1_767_225_600.0
CAP = 5
HIGH_USD, HIGH_TOKENS = 1_000_000, 10_000_000_000
REQUESTS = {
    "feature": "Keep a history of every record",
    "L1": "Count how often a record is read",
    "L2": "Show when a record was last changed",
    "L3": "Let several stores share their records",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is run."""

    arm: str
    flow: str
    kind: str
    seed: int
    settings: dict[str, object]
    """Of the arm."""
    client: str = CLAUDE


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientResult:
    case: Case
    status: str
    calls: int
    """Requests that were billed."""
    dispatches: int
    ways: dict[str, int]
    usage: dict[str, int]
    rebilled: dict[str, int]
    """The same by the bench's own meter."""
    agrees: bool
    """The ledger has the bill to the token."""
    missing: int
    """Lines that some role had to know and could not."""
    base: dict[str, int]
    """Tokens of tools and system prompt in the first request of readers and writers."""
    roles: dict[str, dict[str, int]]
    """Usage by role."""
    hours: float
    """By the counted clock."""
    report: dict[str, Any] = field(default_factory=dict[str, Any])
    """What `sparing report` says of the run: its bill, the naive estimate, reasons, quality."""
    refused: int = 0
    """Tool calls that failed. Drawn agents ask for nothing that is not there, so one that fails
    was refused what its prompt named, and its work was too cheap."""
    commit: str = ""
    """Of the program, with a plus if files had changed since."""

    @property
    def bill(self) -> dict[str, int]:
        """The feature's own: the check of the client is asked once for all of them."""
        once = self.roles.get(RESUME_CHECK, {})
        return {name: tokens - once.get(name, 0) for name, tokens in self.usage.items()}


def run(case: Case, log: Path) -> ClientResult:
    with TemporaryDirectory(prefix="sparing-client-") as name:
        folder = Path(name)
        os.environ["HOME"] = name  # nobody's own settings
        repository = create_repository(folder / "work", sample_files(), "a sample", EPOCH)
        flags = {"state.folder": str(folder / "state"), "engine.poll_seconds": 0.02}
        office = open_office(repository.checkout, flags)
        own = _settings(case)
        row = answers.start(office, REQUESTS[case.flow], case.flow, own, EPOCH)
        run_features(office, [row], Mode.YES, quiet=True)
        with office.database.read() as connection:
            ended = features.get(connection, row.feature.key)
            rows = ledger.of_feature(connection, row.feature.key)
            waits = gates.waiting(connection, row.feature.key)
            told = events.since(connection, 0, row.feature.key)
        assert ended is not None
        if waits is not None:
            sys.stderr.write(f"it waits in {waits.stage}: {waits.reason}\n")
        logs = {CLAUDE: "double.jsonl"}
        kept = office.folder.path / logs.get(case.client, f"{case.client}-double.jsonl")
        found = replace(
            _result(case, ended.status, rows, kept),
            report=closing_figures(office, ended),
            refused=sum(one.kind == AgentAction.FAILED for one in told),
            commit=_commit(),
        )
        log.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(office.folder.path / "sparing.db", log.with_suffix("").with_suffix(".db"))
        with kept.open("rb") as source, lzma.open(log, "wb", preset=1) as target:
            shutil.copyfileobj(source, target)
        return found


def _commit() -> str:
    root = Path(__file__).parent.parent
    git = partial(subprocess.run, cwd=root, capture_output=True, text=True, check=False)
    head = git(["git", "rev-parse", "--short", "HEAD"]).stdout.strip()
    changed = git(["git", "status", "--porcelain", "--untracked-files=no"]).stdout.strip()
    return f"{head}{'+' if head and changed else ''}"


def _settings(case: Case) -> dict[str, object]:
    model = MODELS.get(case.client, MODEL)
    return {
        "agent.backend": f"{case.client}-double",
        "agent.double": case.kind,
        "agent.double_seed": case.seed,
        "engine.clock": "counted",
        "models.strong": model,
        "models.standard": model,
        "models.cheap": model,
        "review.cap": CAP,
        "workspace.hand_over": "merge",
        "caps.feature_usd": HIGH_USD,
        "caps.stage_usd": HIGH_USD,
        "caps.day_usd": HIGH_USD,
        "caps.feature_tokens": HIGH_TOKENS,
        "caps.stage_tokens": HIGH_TOKENS,
        "caps.day_tokens": HIGH_TOKENS,
        "caps.turn_tokens": HIGH_TOKENS // 1_000,
        "caps.turn_usd": HIGH_USD // 1_000,
        **case.settings,
    }


def _result(
    case: Case, status: FeatureStatus, rows: Iterable[ledger.LedgerRow], log: Path
) -> ClientResult:
    known = list(rows)
    requests = list(_requests(log))
    bills = [Usage(**one["bill"]) for one in requests]
    booked = sum((row.result.usage or Usage() for row in known if row.result), Usage())
    whole = sum(bills, Usage())
    told = [row.attempt.sent for row in known]
    ways = [row.attempt.way for row in known]
    times = [float(one["at"]) for one in requests]
    roles: dict[str, Usage] = {}
    for row in known:
        if row.result and row.result.usage:
            role = row.attempt.role
            roles[role] = roles.get(role, Usage()) + row.result.usage
    return ClientResult(
        case=case,
        status=status.value,
        calls=len(bills),
        dispatches=len(known),
        ways={way: ways.count(way) for way in sorted(set(ways))},
        usage=asdict(whole),
        rebilled=asdict((bill_prefixes if _automatic(requests) else bill_log)(requests)),
        agrees=booked == whole,
        missing=sum(len(one.missing or ()) for one in told),
        base=_bases(requests),
        roles={role: asdict(usage) for role, usage in roles.items()},
        hours=(max(times) - min(times)) / 3600 if times else 0.0,
    )


def _requests(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record.get("bill"):
            yield record


def _automatic(requests: list[dict[str, Any]]) -> bool:
    """Whether the provider caches without marks."""
    return any("/v1/messages" not in str(one["path"]) for one in requests)


def _bases(requests: Iterable[dict[str, Any]]) -> dict[str, int]:
    """What the client sends before any word of ours: of those who may write, and the others."""
    if _automatic(requests := list(requests)):
        return {}
    found: dict[str, int] = {}
    for one in requests:
        body = one["request"]
        tools = {tool["name"].rpartition("__")[2] for tool in body.get("tools", ())}
        if tools & {"Read", "look"}:
            size = len(json.dumps([body["tools"], body.get("system", "")])) // 4
            found.setdefault("writers" if tools & {"Write", "change"} else "readers", size)
    return found


def main() -> int:
    told = json.load(sys.stdin)
    found = run(Case(**told["case"]), Path(told["log"]))
    print(json.dumps(asdict(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
