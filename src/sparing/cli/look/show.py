"""`sparing show`: one feature in detail, one of its documents, its reviews, or any prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sparing.artifact import ArtifactName
from sparing.cli.clock import now
from sparing.cli.look.status import print_commands, state_words
from sparing.cli.options import documents, feature_argument, json_option, print_json
from sparing.cli.run.handover_summary import print_ending
from sparing.cli.screen import echo, show, style, wrapped
from sparing.codec import JsonObject
from sparing.config.terminal import homely, terminal_columns
from sparing.desk.approvals.unseen_changes import changed_around
from sparing.desk.features import history, view
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.lessons import ending
from sparing.desk.features.merge_status import FinishedFeature, MergeStatus, finished_feature
from sparing.desk.gates import answers
from sparing.desk.gates.actions import GateAction
from sparing.desk.gates.branch import check_outputs
from sparing.desk.gates.handoffs import note_data, note_lines, stage_notes
from sparing.desk.gates.last_gate import last_gate_notes
from sparing.desk.gates.open_questions import without_questions
from sparing.desk.office import Office, open_office
from sparing.desk.reviews.loops import LoopStart, loops_of_verdicts
from sparing.dispatch_policy import Order, Policy, Way
from sparing.errors import FeatureError, UsageError
from sparing.feature import FeatureStatus
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow
from sparing.workspace.git.commit import read_file

CHECKS = "checks"
DONE = style("✓", fg="green")


@click.command("show")
@feature_argument()
@click.argument("document", required=False, shell_complete=documents(CHECKS))
@click.option("--feature", "of_feature", metavar="FEATURE", help="With prompt: the feature.")
@click.option("--stage", help="With prompt: the stage.")
@click.option("--iteration", type=click.IntRange(1), help="With prompt: the review iteration.")
@click.option("--task", help="With prompt: the task.")
@click.option(
    "--way",
    type=click.Choice([way.value for way in Way]),
    help="With prompt: as it would be sent in a new session (compose, plain, reference), a resumed"
    " one or a fork.",
)
@click.option(
    "--order",
    type=click.Choice([one.value for one in Order]),
    help="With prompt: with its parts in this order.",
)
@click.option("--final", is_flag=True, help="With prompt: the reviewer's final validation.")
@click.option("--lost", is_flag=True, help="With prompt: as if its session had been lost.")
@click.option("--system", is_flag=True, help="With prompt: show the system prompt too.")
@json_option
def show_command(feature: str, document: str | None, as_json: bool, **wanted: Any) -> None:
    """Show one feature, one of its documents, its reviews, or any prompt.

    FEATURE alone: its stages, reviews and next command. With DOCUMENT, such as spec: that document.
    With `checks`: what the repository's checks printed when they last ran.

    `sparing show reviews FEATURE`: every review with its iteration, verdict, findings, how the
    prompt was sent, how much had changed since the last one, and what it cost.

    `sparing show prompt ROLE`: the prompt that a role was sent, block by block with sizes, hashes
    and cache marks; with --way or --order, the prompt it would be sent.
    """
    if feature == "prompt" and document is not None:
        name = wanted.pop("of_feature")
        from sparing.cli.look.prompt import PromptOptions, show_prompt

        show_prompt(PromptOptions(role=document, feature=name, **wanted), as_json=as_json)
        return
    stray = [name.removeprefix("of_") for name, value in wanted.items() if value]
    if stray:
        raise UsageError(f"--{stray[0]} is for prompts only", "sparing show prompt ROLE")
    if feature == "reviews" and document is not None:
        show_reviews(document, as_json=as_json)
        return
    office = open_office(Path.cwd())
    row = answers.find(office, feature)
    if document:
        text = _document(office, row, document)
        if as_json:
            print_json(feature=row.feature.id, document=document, text=text)
        else:
            echo(text, nl=False, fold=False)
        return
    show_feature(office, row, as_json=as_json)


def show_feature(office: Office, row: FeatureRow, *, as_json: bool) -> None:
    shown = view.feature_view(office, row, now())
    verdicts = history.verdict_rows(office, row)
    final = history.final_looks(office, row, verdicts)
    loops = loops_of_verdicts(office, row, verdicts)
    if as_json:
        reviews = [_verdict_data(v, loops, final=v.dispatch in final) for v in verdicts]
        marks, end = row.place.get("marks", {}), asdict(ending(office, row))
        notes = [note_data(note) for note in stage_notes(office, row).values()]
        given = history.lent_to_checks(office, row)
        print_json(
            **asdict(shown), marks=marks, reviews=reviews, ending=end, notes=notes, given=given,
            policies=history.policies_of(history.ledger_rows(office, row)),
        )  # fmt: skip
        return
    _print_head(office, row, shown)
    notes, begun = stage_notes(office, row), view.begun_stages(row)
    if begun:
        echo()
    for stage, over in begun:
        waits = bool(shown.waits_for) and stage == shown.stage
        sign = style("?", fg="yellow") if waits else DONE if over else "·"
        echo(f"  {sign} {stage}")
        for found in (v for v in verdicts if v.stage == stage):
            _print_verdict(found, loops[found.dispatch].again, final=found.dispatch in final)
        for line in note_lines(notes[stage]) if stage in notes else ():
            echo(wrapped(line, "      "))
    for number, question in enumerate(shown.questions, 1):
        echo(wrapped(f"{number}. {question}", "  ? "))
    print_ending(ending(office, row))
    _print_next(office, row, shown)


def _print_head(office: Office, row: FeatureRow, shown: view.FeatureView) -> None:
    echo(style(f"{shown.id} {shown.title}", bold=True))
    words = state_words(shown, runs=engine_runs(office))
    echo(wrapped(without_questions(words), "  "))
    by = f", started by {shown.starter}" if shown.starter else ""
    echo(f"  flow {shown.flow}, branch {shown.branch}{by}")
    policies = history.policies_of(history.ledger_rows(office, row))
    if any(name != Policy.ADAPTIVE for name in policies):
        echo(f"  policy {', then '.join(policies)}")
    if Path(shown.worktree).is_dir():
        echo(f"  worktree {homely(shown.worktree)}")
    if given := history.lent_to_checks(office, row):
        echo(wrapped(given, "  "))


def _verdict_data(found: VerdictRow, loops: Mapping[str, LoopStart], *, final: bool) -> JsonObject:
    return {
        "stage": found.stage, "role": found.verdict.role, "iteration": found.iteration,
        "passed": found.passed, "final": final, **loops[found.dispatch]._asdict(),
    }  # fmt: skip


def _print_verdict(found: VerdictRow, again: str, *, final: bool) -> None:
    """With what made the reviews begin again, if this is the first of them."""
    if again:
        echo(wrapped(again, "      "))
    count = len(found.verdict.findings)
    refused = "1 finding" if count == 1 else f"{count} findings"
    look = "final validation" if final else f"iteration {found.iteration}"
    echo(f"      {found.verdict.role}, {look}: {'passed' if found.passed else refused}")
    for finding in found.verdict.findings:
        echo(f"        - {finding.severity}: {finding.text}")


def _print_next(office: Office, row: FeatureRow, shown: view.FeatureView) -> None:
    echo()
    if row.status is FeatureStatus.COMPLETED:
        print_finished(finished_feature(office, row))
        return
    if row.status is FeatureStatus.ABANDONED:
        if Path(shown.worktree).is_dir():
            command = style(f"sparing clean {shown.id}", fg="cyan")
            echo(f"  its worktree can be removed: {command}")
        return
    for line in (*last_gate_notes(office, row), *changed_around(office, row)):
        echo(wrapped(line, "  "))
    print_commands(shown.choices or (GateAction(shown.next_command),), "  ")


def print_finished(found: FinishedFeature) -> None:
    """Where a finished branch is, and what is left to do."""
    echo(f"  {found.words}")
    for command in found.commands:
        echo(f"    {style(command, fg='cyan')}")
    number = found.row.feature.id
    if found.home is MergeStatus.MERGED and found.worktree:
        echo(f"  its worktree can be removed: {style(f'sparing clean {number}', fg='cyan')}")


def _document(office: Office, row: FeatureRow, name: str) -> str:
    if name == CHECKS:
        return _outputs(office, row)
    stem = name.removesuffix(".md")
    if stem not in [known.value for known in ArtifactName]:
        known = ", ".join((*(artifact.value for artifact in ArtifactName), CHECKS))
        raise UsageError(f"there is no document '{name}'", f"documents: {known}")
    folder = office.loaded.settings.flow.folder_of(row.feature)
    data = read_file(office.repository, row.head, f"{folder}/{stem}.md")
    if data is None:
        raise FeatureError(
            f"feature {row.feature.id} has no {stem}.md yet", f"sparing show {row.feature.id}"
        )
    return data.decode("utf-8", "replace")


def _outputs(office: Office, row: FeatureRow) -> str:
    found = check_outputs(office, row)
    if not found:
        raise FeatureError(
            f"no check of feature {row.feature.id} has run on all of its work yet",
            f"sparing show {row.feature.id}",
        )
    return "".join(f"{one.name}, all of it in {one.whole}\n{one.text}\n" for one in found)


def show_reviews(name: str, *, as_json: bool) -> None:
    from sparing.desk.reviews.reviews import decided, reviews, unreviewed

    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, name)
    rows, looks = reviews(office, row), decided(office, row)
    if as_json:
        print_json(
            feature=row.feature.id,
            reviews=[one.dump() for one in rows],
            looks=[one.dump() for one in looks],
        )
        return
    if not rows:
        echo(unreviewed(row))
        return

    from sparing.report.reviews import reviews_page

    show(reviews_page(rows, looks, terminal_columns()))
