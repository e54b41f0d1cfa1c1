"""A recorded run, played again: in a new repository, with a state folder of its own, offline.

The program decides everything anew; agents and people say what they said then. What comes of it is
compared with the recording: files, bill, prompts, and turns that nobody asked for any more.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from sparing.artifact import META, ArtifactName
from sparing.cassette import AGAIN, Cassette, FileState
from sparing.clients.recorded_agent import RecordedAgent, open_recorded
from sparing.codec import JsonObject
from sparing.desk.cassettes.record import HAND_OVER, SECTIONS, SINGLE
from sparing.desk.features.history import ledger_rows
from sparing.desk.features.start_input import StartInput, with_start_input
from sparing.desk.gates import answers, edits
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.feature import Background, Priority
from sparing.records import features, mailbox, resume_checks
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.records.mailbox import Letter
from sparing.records.transfer import put_rows
from sparing.workspace.project.commit_files import FileStore, files_of, lay_down, make_repository

SENDER = "replay"
OFFERED = ("print", "merge")
"""What a replay may do with its finished branch: nothing leaves this machine."""


class Comparison(NamedTuple):
    """What is the same, and what is not."""

    files: int
    differing: tuple[str, ...]
    """Paths."""
    times_only: bool
    """They differ in the feature's record of itself, which says when stages began."""
    recorded_nano_usd: int
    nano_usd: int
    recorded_tokens: int
    tokens: int
    turns: int
    prompts: int
    """That can be compared: calls that only fill a cache have none of their own."""
    same_prompts: int
    unplayed: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def same_tree(self) -> bool:
        return not self.differing

    @property
    def same_bill(self) -> bool:
        bills = (self.recorded_nano_usd, self.recorded_tokens) == (self.nano_usd, self.tokens)
        return bills and not self.unplayed and not self.unknown


@contextmanager
def readable(file: Path) -> Generator[None]:
    """Hashes say that nothing was changed since, not that what was written makes a run."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        what = f"{file} can't be read: {type(error).__name__} {error}"
        raise UsageError(what, AGAIN) from error


def open_replay(cassette: Cassette, file: Path, folder: Path) -> tuple[Office, FeatureRow]:
    """A repository with the files that the run began with, and the feature as it was started."""
    tape = cassette.tape
    if not tape.has_files:
        raise UsageError(
            f"{file} was recorded without the repository's files: it can be priced, not played",
            f"sparing what-if {file}",
        )
    office = _office(cassette, folder)
    overrides = {**_settings(tape.settings), "agent.cassette": str(file.resolve())}
    row = _row(office, cassette, overrides)
    for _, digest in tape.given:
        office.folder.put(digest, cassette.texts[digest])
    with office.database.write() as tx:
        features.create(tx, row)
        put_rows(tx, {"resume_checks": cassette.records.get("resume_checks", [])})
        resume_checks.set_aside(tx, office.folder, row.feature.key)
    return office, row


def open_records(cassette: Cassette, folder: Path) -> tuple[Office, FeatureRow]:
    """The records as they were, to be looked at: nothing of it is run."""
    office = _office(cassette, folder)
    columns = dict(cassette.records["features"][0])
    columns |= {"repository": str(office.repository.checkout), "running": 0}
    columns["overrides"] = json.dumps(_settings(cassette.tape.settings))
    for digest, data in cassette.texts.items():
        office.folder.put(digest, data)
    with office.database.write() as tx:
        put_rows(tx, {**cassette.records, "features": [columns]})
        row = features.get(tx, str(columns["key"]))
    assert row is not None
    return office, row


def _office(cassette: Cassette, folder: Path) -> Office:
    tape = cassette.tape
    at = float(tape.feature["created"])
    commit = cassette.texts.get(tape.commit, b"")
    repo = make_repository(folder / "repository", tape.base, cassette.texts, commit, at)
    flags: dict[str, object] = {
        "state.folder": str((folder / "state").resolve()),
        "state.database": "",
        "engine.poll_seconds": 0.05,
    }
    return open_office(repo.checkout, flags)


def _settings(recorded: Mapping[str, object]) -> dict[str, object]:
    """Of a file that a stranger may have sent: only what a run depends on, and nothing that starts
    a program, installs anything or leaves this machine."""
    kept = {
        key: value
        for key, value in recorded.items()
        if key.startswith(SECTIONS) or key in SINGLE or key == HAND_OVER
    }
    if kept.get(HAND_OVER) not in OFFERED:
        kept[HAND_OVER] = OFFERED[0]
    return {**kept, "commits.sign": "never", "workspace.setup": [], "state.remote": ""}


def _row(office: Office, cassette: Cassette, overrides: Mapping[str, object]) -> FeatureRow:
    tape = cassette.tape
    told = tape.feature
    head = office.repository.git().text("rev-parse", "HEAD^{commit}")
    base = (office.repository.git().text("symbolic-ref", "--short", "HEAD"), head)
    made = answers.new_row(
        office, told["title"], told["flow"], told["number"], base, overrides, told["created"]
    )
    row = _named(made, str(told["key"]), str(told["slug"]))
    filenames = {name.filename: name for name in ArtifactName}
    beginning = StartInput(
        background=Background(
            description=told["description"],
            source=told["source"],
            depends_on=(),
            priority=Priority(told["priority"]),
        ),
        given=tuple((filenames[name], one) for name, one in tape.given if name in filenames),
        enclosures=tuple((name, one) for name, one in tape.given if name not in filenames),
        stage=tape.stage if tape.given else "",
    )
    return with_start_input(row, beginning)


def _named(row: FeatureRow, key: str, slug: str) -> FeatureRow:
    """Under the same key, steps have the same names."""
    from dataclasses import replace

    return replace(row, feature=replace(row.feature, key=key, slug=slug))


class RecordedPeople:
    """Answers gates as they were answered."""

    def __init__(self, office: Office, cassette: Cassette) -> None:
        self._office, self._cassette = office, cassette
        self._gates = list(cassette.records["gates"])
        self.stopped = ""
        """The gate at which the recording ends, in words."""

    def __call__(self, row: FeatureRow, gate: Gate, at: float) -> None:
        found = self._take(gate)
        if found is None:
            self.stopped = f"{gate.stage}: {gate.reason or 'waits for an answer'}"
            return
        current = self._edit(row, str(found["id"]), at)
        body = str(found["feedback"] or "")
        letter = Letter(0, current.feature.key, str(found["answer"]), gate.id, body, SENDER)
        with self._office.database.write() as tx:
            mailbox.post(tx, f"{gate.id}.{SENDER}", letter, at)

    def _take(self, gate: Gate) -> JsonObject | None:
        """The gate of the same name, or the next one of its kind where legs are counted
        otherwise."""
        open_gates = [one for one in self._gates if one["answer"]]
        same = [one for one in open_gates if one["id"] == gate.id] or [
            one for one in open_gates if (one["stage"], one["kind"]) == (gate.stage, gate.kind)
        ]
        if not same:
            return None
        self._gates.remove(same[0])
        return same[0]

    def _edit(self, row: FeatureRow, gate: str, at: float) -> FeatureRow:
        """What a person wrote at the gate."""
        for step in self._cassette.tape.steps:
            if step.step.startswith(f"edit.{gate}."):
                place = self._office.folder.worktree(row.feature.name)
                files = [one for one in step.files if not one.path.endswith(f"/{META}")]
                lay_down(place, files, self._cassette.texts)
                edits.take_files(self._office, row, SENDER, at)
                with self._office.database.read() as connection:
                    row = features.get(connection, row.feature.key) or row
        return row


def compare(office: Office, row: FeatureRow, cassette: Cassette, file: Path) -> Comparison:
    agent = open_recorded(str(file.resolve()))
    store = FileStore(office.repository)
    now = {one.path: one for one in store.states(files_of(office.repository, row.head))}
    then = {one.path: one for one in cassette.tape.end}
    differing = sorted(path for path in {*now, *then} if _other(now.get(path), then.get(path)))
    played = [one for one in ledger_rows(office, row) if not one.attempt.for_client]
    known = [one.result for one in played if one.result is not None]
    recorded = agent.turns
    return Comparison(
        files=len(then),
        differing=tuple(differing),
        times_only=bool(differing) and all(path.endswith(f"/{META}") for path in differing),
        recorded_nano_usd=sum(int(one["nano_usd"] or 0) for one in recorded),
        nano_usd=sum(one.nano_usd or 0 for one in known),
        recorded_tokens=sum(_tokens(one) for one in recorded),
        tokens=sum(one.usage.total for one in known if one.usage),
        turns=len(recorded),
        prompts=len(agent.prompts),
        same_prompts=_same_prompts(agent),
        unplayed=tuple(f"{one['role']}, {one['stage']}" for one in agent.unplayed),
        unknown=tuple(agent.unknown),
    )


def _other(now: FileState | None, then: FileState | None) -> bool:
    return now is None or then is None or (now.mode, now.digest) != (then.mode, then.digest)


def _tokens(row: JsonObject) -> int:
    names = ("uncached", "read", "write_5m", "write_1h", "output")
    return sum(int(cast("int | None", row[name]) or 0) for name in names)


def _same_prompts(agent: RecordedAgent) -> int:
    return sum(
        str(agent.turns[place]["prompt"]).startswith(prompt)
        for place, prompt in agent.prompts.items()
    )
