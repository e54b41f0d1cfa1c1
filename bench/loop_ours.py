"""The same kind of loop as this program runs it: its own prompts, through Claude Code.

`python -m bench.loop_ours POLICY GAP` runs one feature from idea to merge with the double behind
the client. Its five documents have 15,000 characters; the last of them is reviewed five times and
changed in between, then three reviewers judge the code. What each of them cost is taken from the
double's log, and the ledger must agree with that log to the token.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bench.loop_workload import ARTIFACT_CHARS, ITERATIONS
from sparing.cli.run.run_loop import Mode, run_features
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.double.recognise import PlayedKind, recognise
from sparing.double.request import read_asked
from sparing.double.writing import document
from sparing.feature import FeatureStatus
from sparing.records import features, ledger
from sparing.runtime import surroundings
from sparing.usage import Usage
from sparing.workspace.project.new_repository import create_repository

MODEL = "claude-sonnet-5"
EPOCH = 1_767_225_600.0
DOCUMENTS = ("prd", "spec", "design", "plan", "tasks")
REVIEWER = "task-reviewer"
JUDGES = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")
SCALE = 0.1
NOTE_LINES, NOTE_CHARS = 8, 100
STEPS_BETWEEN = 2
"""Steps of the engine's counted clock between two looks of one reviewer."""
PROJECT = {
    "README.md": "# Words\n\nCounts words.\n",
    "words.py": "def words(text: str) -> list[str]:\n    return text.split()\n",
}


class Part(NamedTuple):
    """What some roles cost."""

    calls: int
    usage: Usage
    resumed: int
    """Dispatches that went into a session."""


class Ours(NamedTuple):
    loop: Part
    roles: Part
    whole: Part
    agrees: bool
    """The ledger has the bill to the token."""
    needed: int
    missing: int
    """Lines that roles had to know, and those that some could not."""
    off: dict[str, str]
    """Levers that were not in use, and why."""


def main(policy: str, gap_seconds: float) -> int:
    # Every step of the counted clock takes this long; there is no setting for it.
    setattr(surroundings, "COUNTED_SECONDS", gap_seconds / STEPS_BETWEEN)  # noqa: B010
    with TemporaryDirectory(prefix="sparing-ours-") as name:
        os.environ["HOME"] = name  # nobody's own settings
        found = _run(Path(name), policy)
    print(json.dumps(found, default=_plain))
    return 0


def _run(folder: Path, policy: str) -> Ours:
    repository = create_repository(folder / "work", PROJECT, "a sample", EPOCH)
    script = folder / "script.toml"
    script.write_text("\n".join(_turns()))
    flags = {"state.folder": str(folder / "state"), "engine.poll_seconds": 0.02}
    office = open_office(repository.checkout, flags)
    own: dict[str, object] = {
        "agent.backend": "claude-double", "agent.script": str(script), "engine.clock": "counted",
        "models.strong": MODEL, "models.standard": MODEL, "models.cheap": MODEL,
        "review.policy": policy, "review.cap": ITERATIONS, "review.bar": "strict",
        "workspace.hand_over": "merge",
    }  # fmt: skip
    row = answers.start(office, "Word lists", "feature", own, EPOCH)
    run_features(office, [row], Mode.YES, quiet=True)
    with office.database.read() as connection:
        ended = features.get(connection, row.feature.key)
        rows = ledger.of_feature(connection, row.feature.key)
    assert ended is not None
    assert ended.status is FeatureStatus.COMPLETED, f"the feature is {ended.status}"
    return _billed(office, rows)


def _billed(office: Office, rows: Iterable[ledger.LedgerRow]) -> Ours:
    bills = list(_requests(office.folder.path / "double.jsonl"))
    known = list(rows)
    booked = sum((row.result.usage or Usage() for row in known if row.result), Usage())
    roles = sorted({role for role, _ in bills})

    def part(*wanted: str) -> Part:
        own = [usage for role, usage in bills if role in wanted]
        ways = [row.attempt.way for row in known if row.attempt.role in wanted]
        return Part(len(own), sum(own, Usage()), ways.count("resume"))

    whole = part(*roles)
    told = [row.attempt.sent for row in known]
    return Ours(
        part(REVIEWER), part(*JUDGES), whole, booked == whole.usage,
        sum(one.needed or 0 for one in told),
        sum(len(one.missing or ()) for one in told),
        next((dict(one.off) for one in reversed(told) if one.off is not None), dict[str, str]()),
    )  # fmt: skip


def _requests(log: Path) -> Iterator[tuple[str, Usage]]:
    """Each bill with the role whose turn it was."""
    for line in log.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record.get("bill"):
            turn = recognise(read_asked(record["request"]))
            yield turn.role or PlayedKind.NONE.value, Usage(**record["bill"])


def _turns() -> Iterator[str]:
    """The script: documents, four rejections with their revisions, two small tasks."""
    for name in DOCUMENTS:
        path = f"{{folder}}/{name}.md"
        edit = {"path": path, "text": _document(name)}
        yield _turn(f"{name}-author", iteration=1, reply="Written.", edit=edit)
    path = "{folder}/tasks.md"
    for round_ in range(1, ITERATIONS):
        yield _turn(REVIEWER, iteration=round_, reply=_rejection(round_))
        edit = {"path": path, "find": _note(round_), "replace": _note(round_ + 1)}
        yield _turn("tasks-author", iteration=round_ + 1, reply=_settled(round_), edit=edit)
    for role in (REVIEWER, "*-reviewer"):
        yield _turn(role, reply=json.dumps({"approved": True, "findings": [], "summary": "Good."}))


def _turn(role: str, *, edit: dict[str, str] | None = None, **fields: object) -> str:
    """TOML by way of JSON, whose strings are strings there too."""
    lines = ["[[turn]]", f"role = {json.dumps(role)}"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    if edit:
        lines += ["[[turn.edit]]", *(f"{name} = {json.dumps(v)}" for name, v in edit.items())]
    return "\n".join(lines)


def _document(name: str) -> str:
    text = document(f"{name}.md", "words", SCALE)
    note = "## Notes\n" + (_note(1) if name == "tasks" else "")
    room = ARTIFACT_CHARS - len(text) - len(note)
    more = (f"Note {n} of {name} says what was said." for n in range(room // (NOTE_CHARS + 1)))
    return f"{text}\n{note}" + "".join(f"{line.ljust(NOTE_CHARS, '.')}\n" for line in more)


def _note(round_: int) -> str:
    """What a revision changes: some 1,700 characters of diff."""
    return "".join(f"{_line(round_, n)}\n" for n in range(NOTE_LINES))


def _line(round_: int, number: int) -> str:
    return f"In round {round_} the order of step {number} is settled so.".ljust(NOTE_CHARS, ".")


def _rejection(round_: int) -> str:
    finding = {
        "severity": "blocker",
        "category": "executability",
        "location": "Notes",
        "quote": _line(round_, round_),
        "text": f"Nothing says what step {round_} leaves behind. ".ljust(400, "."),
        "suggestion": "Say what is there afterwards.",
    }
    summary = "One step is open. No external claims."
    return json.dumps({"approved": False, "findings": [finding], "summary": summary})


def _settled(round_: int) -> str:
    row = f"- `F1`: changed - step {round_} says what it leaves."
    return f"## Findings\n{row}\n\n## Fix summary\nStep {round_} is settled.\n"


def _plain(value: object) -> Any:
    return {name: getattr(value, name) for name in Usage.__dataclass_fields__}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
