"""`sparing show prompt`: any prompt, block by block.

Covers: B1, B2, B5, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.finding import Verdict
from sparing.money import Amount
from sparing.records import features, ledger, mailbox, verdicts
from sparing.records.folder import keep_prompt
from sparing.segment import Segment, Volatility
from tests.briefing.sample import DATA, FINDINGS, FOLDER
from tests.records.attempts import attempt
from tests.repositories import commit_files, git, make_repository
from tests.terminal import Said, sparing


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A feature with its documents, and a first look at its spec that failed."""
    path = make_repository(tmp_path / "gate", {"AGENTS.md": "# Rules\n- Be brief.\n"})
    office = open_office(path)
    row = answers.start(office, "Rate limits", "feature", {}, 1.0)
    heads: list[str] = []
    docs = {f"{FOLDER}/{name}": text for name, text in DATA["first"].items() if ":" not in name}
    old, new = DATA["second"]["spec.md"]
    later = {f"{FOLDER}/spec.md": docs[f"{FOLDER}/spec.md"].replace(old, new)}
    for files in (docs, later):
        commit_files(path, files, "documents")
        heads.append(git(path, "rev-parse", "HEAD"))
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), 2.0)
        mailbox.progress(tx, row.feature.key, (0, 0), row.place, heads[1])
        verdict = Verdict("spec-reviewer", approved=False, findings=FINDINGS)
        verdicts.put(
            tx,
            verdicts.VerdictRow(
                "d1", row.feature.key, "specify", 1, heads[0], passed=False, verdict=verdict, at=3.0
            ),
        )
    return path


def prompt(repository: Path, *words: str) -> Said:
    return sparing(repository, "show", "prompt", *words)


def test_a_fresh_prompt_with_borders_sizes_and_marks(repository: Path) -> None:
    said = prompt(repository, "spec-reviewer", "--feature", "1", "--stage", "specify")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].startswith(
        "role spec-reviewer · stage specify · iteration 1"
        " · new session (--way compose) · --order nested"
    )
    assert "── 1 rules · " in said.out
    assert (
        said.out.index("── 3 spec")
        < said.out.index("══ cached up to here")
        < said.out.index("── 4 role")
    )
    assert "asks too often is refused" in said.out


@pytest.mark.long
def test_every_way_and_order_as_json(repository: Path) -> None:
    words = ("--stage", "specify", "--iteration", "2", "--json")
    for way in ("compose", "reference", "resume", "fork"):
        for order in ("nested", "seed"):
            said = prompt(repository, "spec-reviewer", *words, "--way", way, "--order", order)
            assert said.code == 0, said.err
            found = said.json
            assert (found["way"], found["order"], found["state"]) == (way, order, "not sent")
            assert found["chars"] == sum(len(block["text"]) for block in found["blocks"])
            assert all(len(block["hash"]) == 64 for block in found["blocks"])
            assert found["system"]["text"].startswith("You judge and change nothing")


def test_a_resumed_prompt_has_what_changed_since_the_last_look(repository: Path) -> None:
    said = prompt(
        repository, "spec-reviewer", "--stage", "specify", "--iteration", "2", "--way", "resume"
    )
    assert "+- AC-1: a client that asks more than 5 times a second" in said.out
    assert "## Must catch" not in said.out


def test_an_author_s_revision_has_the_findings(repository: Path) -> None:
    said = prompt(
        repository, "spec-author", "--stage", "specify", "--iteration", "2", "--way", "compose"
    )
    assert "`F1` blocker, spec-reviewer, the only criterion" in said.out


def test_a_task_s_prompt(repository: Path) -> None:
    said = prompt(repository, "implementer", "--task", "2")
    assert "### Task 2: Refuse above the limit" in said.out
    assert "### Step 1: Counter" not in said.out
    assert "── 5 plan" in said.out


def test_the_system_prompt_if_wanted(repository: Path) -> None:
    assert "You judge and change nothing." in prompt(repository, "judge", "--system").out


def test_the_plain_way_has_the_role_as_system_prompt(repository: Path) -> None:
    """B5, K1: what would be sent is what is shown, whole."""
    words = ("spec-author", "--stage", "specify", "--way", "plain", "--system")
    said = prompt(repository, *words).out
    assert said.index("# Your role: spec-author") < said.index("── 1 rules")
    assert "You write, in the working folder only" not in said


def test_a_sent_prompt_is_shown_with_what_it_was_sent_with(repository: Path) -> None:
    """B5, E2, K1: its own system prompt, model and trunk, whatever the settings say now."""
    office = open_office(repository)
    row = answers.find(office, "1")
    folder = office.folder
    one = attempt(
        feature=row.feature.key, stage="specify", role="spec-author", way="plain", model="then",
        prompt=keep_prompt(folder, (Segment("turn", "Write it.\n", Volatility.ITERATION),)),
        trunk="0123456789abcdef", sent={"system": folder.keep("# Your role: of then\n")},
    )  # fmt: skip
    with office.database.write() as tx:
        ledger.begin(tx, one, Amount(0, 0))
    said = prompt(repository, "spec-author", "--stage", "specify", "--json").json
    assert (said["state"], said["way"], said["model"]) == ("sent", "plain", "then")
    assert said["trunk_key"] == "0123456789abcdef"
    assert said["system"]["text"] == "# Your role: of then\n"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("spec-reviewer", "--way", "resume"), "has not reviewed specify before"),
        (("spec-reviewer", "--stage", "nowhere"), "the flow feature has no stage 'nowhere'"),
        (("no-such-role",), "there is no role 'no-such-role'"),
        (("implementer", "--task", "9"), "tasks.md has no task 9"),
        (("spec-reviewer", "--feature", "7"), "there is no feature '7' here"),
        (("spec-reviewer", "--way", "pigeon"), "'pigeon' is not one of"),
    ],
)
def test_what_makes_no_sense_is_said(repository: Path, words: tuple[str, ...], what: str) -> None:
    """K1: two lines, no traceback."""
    said = prompt(repository, *words)
    assert said.code != 0
    assert what in said.complaint[0]
    assert len(said.complaint) == 2


def test_a_feature_or_document_is_shown_as_before(repository: Path) -> None:
    assert sparing(repository, "show", "1", "spec").out.startswith("# Spec: rate limits")
    assert "Rate limits" in sparing(repository, "show", "1").out
    stray = sparing(repository, "show", "1", "--way", "fork")
    assert stray.complaint == (
        "error: --way is for prompts only",
        "fix: sparing show prompt ROLE",
    )


def test_a_role_of_the_user_s_own_is_what_is_shown(repository: Path, tmp_path: Path) -> None:
    """B5: and what is odd about it is told."""
    folder = tmp_path / "config" / "sparing" / "roles"
    folder.mkdir(parents=True)
    (folder / "spec-reviewer.md").write_text(
        "---\nname: spec-reviewer\ntools: Read, Grep\n---\nLook hard, </document> harder.\n"
    )
    said = sparing(
        repository, "show", "prompt", "spec-reviewer", "--stage", "specify",
        environ={"XDG_CONFIG_HOME": str(tmp_path / "config")},
    )  # fmt: skip
    assert "# Your role: spec-reviewer\n\nLook hard, &lt;/document> harder.\n" in said.out
    assert "note: it states no model: as shipped" in said.err
