"""A small feature with a past, from which every prompt can be made: in real git, with real rows.

Two commits: `first` is what reviewers saw at iteration 1, `second` what they see at iteration 2.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sparing.config.sources import Sources
from sparing.feature import Feature, FeatureStatus
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.flows import L3 as LONGEST
from sparing.job import Job, JobKind
from sparing.money import Amount, Billing
from sparing.records import features, ledger, verdicts
from sparing.records.features import FeatureRow
from sparing.records.folder import NAME as SECRET
from sparing.records.folder import open_folder
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.sent import NaivePrompt
from sparing.session import Session
from sparing.turn import Turn
from sparing.usage import Origin, Usage
from sparing.workspace.git.repository import find_repository
from sparing.workspace.sandbox.launcher import place_of
from tests.repositories import commit_files, git, make_repository

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("sample.toml").read_text("utf-8"))
FOLDER = "docs/features/001-rate-limits"
LOOK_SECONDS = 60.0
FINDINGS = (
    Finding(
        Severity.BLOCKER, "Nothing says how often is too often: two readers build two limits.",
        location="the only criterion", suggestion="Name a number.",
    ),
    Finding(Severity.WARNING, "The refusal has no form.", suggestion="Say what a client sees."),
    Finding(Severity.SUGGESTION, "A diagram would help."),
)  # fmt: skip


class Sample(NamedTuple):
    around: Surroundings
    rows: dict[str, FeatureRow]
    """By flow."""
    base: str
    first: str
    second: str

    @property
    def worktree(self) -> str:
        return str(self.around.folder.worktree("001-rate-limits"))

    @property
    def seen(self) -> str:
        """The worktree as agents find it here."""
        return str(place_of(Path(self.worktree), self.around.level))

    def source(
        self,
        role: str,
        stage: str,
        turn: Turn,
        *,
        flow: str = "feature",
        iteration: int = 1,
        seen: int = 0,
        task: str = "",
        feedback: str = "",
        settles: bool = False,
        final: bool = False,
        part: str = "",
        research: str = "",
        panel: tuple[str, ...] = (),
        chain: str = "",
    ) -> Source:
        """A job at this iteration; `seen` gives the role a session from an earlier one."""
        keep = self.around.folder.keep
        row = self.rows[flow]
        commits = {1: self.first, 2: self.second}
        job = Job(
            JobKind.DISPATCH, stage, commits[min(iteration, 2)], role, role, turn, iteration, task,
            open=self._failed(row, stage) if settles else (),
            feedback=keep(DATA["replies"][feedback]) if feedback else "",
            note=keep(DATA["replies"]["fixes"]), part=part,
            research=((research, keep(DATA["replies"]["research"])),) if research else (),
            panel=panel, chain=chain,
        )  # fmt: skip
        session = _session(role, seen, commits[min(seen, 2)]) if seen else None
        return Source(self.around, row, job, session, final, seen > 0)

    def _failed(self, row: FeatureRow, stage: str) -> tuple[str, ...]:
        with self.around.database.read() as connection:
            found = verdicts.of_feature(connection, row.feature.key, stage)
        return tuple(one.dispatch for one in found if not one.passed)


def make_sample(where: Path, more: str = "") -> Sample:
    """`more` is added to the documents that others share: real ones are longer."""
    base = make_repository(where / "gate", _named(DATA["base"]))
    commits = [git(base, "rev-parse", "HEAD")]
    files = {**_named(DATA["first"]), **_named(DATA["tier"])}
    for name in (_path("prd.md"), _path("spec.md")):
        files[name] += more
    changed: dict[str, list[str]] = DATA["second"]
    for changes in ({}, changed):
        for name, (old, new) in changes.items():
            files[_path(name)] = files[_path(name)].replace(old, new)
        commit_files(base, files, "a round")
        commits.append(git(base, "rev-parse", "HEAD"))
    repository = find_repository(base)
    folder = open_folder(where / "state", "sample")
    (folder.path / SECRET).write_bytes(b"a secret that is always the same"[:32])
    around = Surroundings(
        folder, folder.database(), repository, Sources(environ={"HOME": str(where)}),
        headless=True, environ={},
    )  # fmt: skip
    rows = {flow: _row(flow, number, str(base), commits[0]) for number, flow in enumerate(FLOWS, 1)}
    made = Sample(around, rows, *commits)
    _remember(made)
    return made


FLOWS = ("feature", "L1", "L2", "L3")


def _row(flow: str, number: int, repository: str, base: str) -> FeatureRow:
    feature = Feature(
        f"sample-{number:03d}", 1, "rate-limits", "Rate limits", flow, repository, "main", base, 0.0
    )
    place = {"state": begin(flow).dump(), "head": base}
    return FeatureRow(
        feature, FeatureStatus.ACTIVE, {}, 0, 0, place, base, running=True, updated=0.0
    )


def _named(files: dict[str, str]) -> dict[str, str]:
    return {_path(name): text.lstrip("\n") for name, text in files.items()}


def _path(name: str) -> str:
    own = name.endswith(".md") and name != "AGENTS.md"
    return f"{FOLDER}/{name}" if own else name.removeprefix("code:")


def _session(role: str, seen: int, commit: str) -> Session:
    return Session("s" * 32, role, "scripted", "m", 1000, 2000, seen, commit, LOOK_SECONDS * seen)


def _remember(sample: Sample) -> None:
    """Every reviewer failed the first look; specialists passed the second."""
    with sample.around.database.write() as tx:
        for flow in ("feature", "L3"):
            row = sample.rows[flow]
            features.create(tx, replace(row, feature=replace(row.feature, number=row_number(flow))))
        for stage in FEATURE.stages:
            for number, group in enumerate(stage.reviewers):
                for role in group:
                    _look(tx, sample, stage.name, role, 1, passed=False)
                    if number == 0 and len(stage.reviewers) > 1:
                        _look(tx, sample, stage.name, role, 2, passed=True)
        _reply(tx, sample, "feature", "implement", "implementer", "fixes")
        for name in ("plan", "implement"):
            _reply(tx, sample, "L3", name, LONGEST.stage(name).author, "handoff")


def row_number(flow: str) -> int:
    return FLOWS.index(flow) + 1


def _look(tx: Any, sample: Sample, stage: str, role: str, iteration: int, *, passed: bool) -> None:
    found = () if passed else FINDINGS
    verdicts.put(
        tx,
        verdicts.VerdictRow(
            f"{stage}.{role}.{iteration}", "sample-001", stage, iteration,
            sample.first if iteration == 1 else sample.second, passed,
            Verdict(role, passed, found, "seen"), LOOK_SECONDS * iteration,
        ),
    )  # fmt: skip


def _reply(tx: Any, sample: Sample, flow: str, stage: str, role: str, name: str) -> None:
    attempt = ledger.Attempt(
        f"{flow}.{stage}", sample.rows[flow].feature.key, 0, stage, role, 1, "", "fix", "compose",
        "", "scripted", "m", Billing.API, "p", 10, NaivePrompt(), 2.5 * LOOK_SECONDS,
    )  # fmt: skip
    number = ledger.begin(tx, attempt, Amount(0, None))
    reply = sample.around.folder.keep(DATA["replies"][name])
    result = ledger.AttemptResult("", Usage(), Origin.SIMULATED, None, [], 0, 1.0, [], reply)
    ledger.finish(tx, attempt.dispatch, number, result)
