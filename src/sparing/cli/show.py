"""`sparing show`: one feature in detail, one of its documents, its reviews, or any prompt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sparing.artifact import ArtifactName
from sparing.cli.options import json_option, print_json
from sparing.cli.prompt import Wanted, show_prompt
from sparing.cli.reviews import show_reviews
from sparing.cli.status import state_words
from sparing.desk import control, history, view
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError, UsageError
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow
from sparing.way import Order, Way
from sparing.workspace.commit import read_file


@click.command("show")
@click.argument("feature")
@click.argument("document", required=False)
@click.option("--feature", "of_feature", metavar="FEATURE", help="With prompt: of which feature.")
@click.option("--stage", help="With prompt: at which stage.")
@click.option("--iteration", type=click.IntRange(1), help="With prompt: at which iteration.")
@click.option("--task", help="With prompt: for which task.")
@click.option(
    "--way",
    type=click.Choice([way.value for way in Way]),
    help="With prompt: composed in this way.",
)
@click.option(
    "--order",
    type=click.Choice([one.value for one in Order]),
    help="With prompt: told in this order.",
)
@click.option("--final", is_flag=True, help="With prompt: the reviewer's final validation.")
@click.option("--lost", is_flag=True, help="With prompt: after the role's session was lost.")
@click.option("--system", is_flag=True, help="With prompt: show the system prompt too.")
@json_option
def show_command(feature: str, document: str | None, as_json: bool, **wanted: Any) -> None:
    """Show one feature, one of its documents, its reviews, or any prompt.

    FEATURE alone: its stages, reviews and next command. With DOCUMENT, such as spec: that text.

    `sparing show reviews FEATURE`: who looked in which iteration, what was decided and found, how
    the reviewer was asked, how much had changed, and what that cost.

    `sparing show prompt ROLE`: the prompt that a role was sent, block by block with sizes, hashes
    and cache marks; with --way or --order the one it would be sent.
    """
    if feature == "prompt" and document is not None:
        name = wanted.pop("of_feature")
        show_prompt(Wanted(role=document, feature=name, **wanted), as_json=as_json)
        return
    stray = [name.removeprefix("of_") for name, value in wanted.items() if value]
    if stray:
        raise UsageError(f"--{stray[0]} belongs to a prompt", "sparing show prompt ROLE")
    if feature == "reviews" and document is not None:
        show_reviews(document, as_json=as_json)
        return
    office = open_office(Path.cwd())
    row = control.find(office, feature)
    if document:
        text = _document(office, row, document)
        if as_json:
            print_json(feature=row.feature.id, document=document, text=text)
        else:
            click.echo(text, nl=False)
        return
    shown = view.feature_view(office, row)
    verdicts = history.verdict_rows(office, row)
    if as_json:
        reviews = [
            {"stage": v.stage, "role": v.verdict.role, "iteration": v.iteration, "passed": v.passed}
            for v in verdicts
        ]
        print_json(**asdict(shown), marks=row.place.get("marks", {}), reviews=reviews)
        return
    click.echo(f"{click.style(f'{shown.id} {shown.title}', bold=True)}\n  {state_words(shown)}")
    click.echo(f"  flow {shown.flow}, branch {shown.branch}\n  worktree {shown.worktree}\n")
    for stage, mark in row.place.get("marks", {}).items():
        _print_stage(stage, mark, [v for v in verdicts if v.stage == stage])
    _print_handover(history.handover_event(office, row))
    click.echo(f"\nnext: {click.style(shown.next_command, fg='cyan')}")


def _print_stage(stage: str, mark: list[object], verdicts: list[VerdictRow]) -> None:
    done = mark[1] is not None
    click.echo(f"  {click.style('✓', fg='green') if done else '·'} {stage}")
    for found in verdicts:
        word = "passed" if found.passed else f"{len(found.verdict.findings)} findings"
        click.echo(f"      {found.verdict.role}, iteration {found.iteration}: {word}")
        for finding in found.verdict.findings:
            click.echo(f"        - {finding.severity}: {finding.text}")


def _print_handover(told: dict[str, Any]) -> None:
    if told:
        click.echo(f"\n  {told['note']}")
    for command in told.get("commands", ()):
        click.echo(f"    {click.style(command, fg='cyan')}")


def _document(office: Office, row: FeatureRow, name: str) -> str:
    stem = name.removesuffix(".md")
    if stem not in [known.value for known in ArtifactName]:
        known = ", ".join(artifact.value for artifact in ArtifactName)
        raise UsageError(f"there is no document '{name}'", f"documents: {known}")
    folder = f"{office.loaded.settings.flow.features_folder}/{row.feature.name}"
    data = read_file(office.repository, row.head, f"{folder}/{stem}.md")
    if data is None:
        raise FeatureError(
            f"feature {row.feature.id} has no {stem}.md yet", f"sparing show {row.feature.id}"
        )
    return data.decode("utf-8", "replace")
