"""Replay a recorded run offline, in a new repository with its own state folder.

The program makes every decision anew; agents and people answer as they did then. The result is
compared with the recording: files, bill, prompts, and recorded turns that were never asked for.
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
    """What a replay has in common with its recording, and what differs."""

    files: int
    differing: tuple[str, ...]
    """Paths of files that differ."""
    times_only: bool
    """True if they differ only in the feature's metadata file, which says when stages began."""
    recorded_nano_usd: int
    nano_usd: int
    recorded_tokens: int
    tokens: int
    turns: int
    prompts: int
    """Number of comparable prompts: calls that only fill a cache have no prompt of their own."""
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
    """Report malformed contents as a usage error: valid hashes don't make a file a valid run."""
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
            f"{file} was recorded without the repository's files: it can be "
            "repriced, but not replayed",
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
    """Load the records as they were, for viewing only: nothing is run."""
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
    """The settings to use from a file that a stranger may have sent: only those a run depends
    on, none that starts a program, installs anything or leaves this machine."""
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
    """The row with the recorded key and slug, so that steps get the same names."""
    from dataclasses import replace

    return replace(row, feature=replace(row.feature, key=key, slug=slug))


class RecordedPeople:
    """Answers gates as people answered them in the recording."""

    def __init__(self, office: Office, cassette: Cassette) -> None:
        self._office, self._cassette = office, cassette
        self._gates = list(cassette.records["gates"])
        self.stopped = ""
        """Description of the gate at which the recording ends."""

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
        """The recorded gate with the same id, else the next one of the same stage and kind."""
        open_gates = [one for one in self._gates if one["answer"]]
        same = [one for one in open_gates if one["id"] == gate.id] or [
            one for one in open_gates if (one["stage"], one["kind"]) == (gate.stage, gate.kind)
        ]
        if not same:
            return None
        self._gates.remove(same[0])
        return same[0]

    def _edit(self, row: FeatureRow, gate: str, at: float) -> FeatureRow:
        """Apply what the person wrote at the gate."""
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
