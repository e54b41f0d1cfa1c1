"""What the program knows of the stages so far: its own part of a handoff, which costs nothing."""

from __future__ import annotations

from collections.abc import Iterable

from sparing.artifact import ArtifactName
from sparing.briefing.background import LONGEST_DESCRIPTION
from sparing.briefing.stage_handoffs import handoffs_of
from sparing.change import FileChange
from sparing.context.documents.exploration import explored_tree, imports, key_files
from sparing.context.documents.handoff import Handoff
from sparing.context.documents.rich_handoff import Pipeline, StageOutput, rich_handoff
from sparing.context.prompt.compact import only_output
from sparing.economy.repo_map import names_of
from sparing.flow.flows import FLOWS, builder_of
from sparing.flow.state import GO_ON_HERE
from sparing.records import events, ledger
from sparing.runtime.source import Source
from sparing.workspace.git.tree import read_files

MOST_READ = 40
MOST_FEEDBACK = 5
FEEDBACK_CHARS = 1_000
SAID = ("reject", "answer")


def program_handoff(source: Source) -> str:
    """Hash of what the program alone can say; empty while there is nothing to hand over."""
    pipeline = pipeline_of(source)
    if not pipeline.stages:
        return ""
    return source.around.folder.keep(rich_handoff(pipeline).text)


def pipeline_of(source: Source) -> Pipeline:
    feature = source.row.feature
    changed = source.changed(feature.base_commit)
    return Pipeline(
        feature.title,
        feature.flow,
        priority=source.row.background.priority.value,
        description=source.row.background.description[:LONGEST_DESCRIPTION].strip(),
        stages=_outputs(source),
        feedback=tuple(_feedback(source)),
        next_stage=source.job.stage,
        changed_files=tuple(
            f"{one.path} (+{one.added} -{one.removed})" for one in _ranked(changed)
        ),
        seen=_seen(source, [one.path for one in changed]),
    )


def _ranked(changed: Iterable[FileChange]) -> list[FileChange]:
    """Those with the most changed lines first: a handoff that is too long names only some."""
    return sorted(changed, key=lambda one: -(one.added + one.removed))


def _outputs(source: Source) -> tuple[StageOutput, ...]:
    """What each stage made; a brainstorm that a design review took over is not told again."""
    told, found = handoffs_of(source), list[StageOutput]()
    for stage in FLOWS[source.row.feature.flow].stages:
        artifact = source.artifact(stage.writes) if stage.writes else None
        if stage.writes is not None and artifact is not None:
            handoff = told.get(stage.writes, Handoff())
            found.append(StageOutput(stage.name, only_output(artifact.text), handoff))
    digested = any(one.stage == ArtifactName.DESIGN_REVIEW.value for one in found)
    return tuple(
        one._replace(text="Taken over by the design review.")
        if digested and one.stage == ArtifactName.BRAINSTORM.value
        else one
        for one in found
    )


def _feedback(source: Source) -> Iterable[str]:
    """What persons said when they rejected something or answered a question."""
    with source.around.database.read() as connection:
        past = events.since(connection, 0, source.row.feature.key)
    said = [
        f"{one.stage}: {one.text[:FEEDBACK_CHARS]}"
        for one in past
        if one.kind == "answered" and one.data.get("answer") in SAID and _says(one.text)
    ]
    return said[-MOST_FEEDBACK:]


def _says(text: str) -> bool:
    return bool(text.strip()) and text != GO_ON_HERE


def _seen(source: Source, changed: list[str]) -> dict[str, str]:
    """The codebase map, as far as the program saw it being made."""
    read = [path for path in _files_read(source) if path not in changed][:MOST_READ]
    repository, head = source.around.repository, source.job.head
    texts = read_files(repository, head, [*changed, *read])
    names = {path: names_of(text) for path, text in texts.items()}
    own = {path: texts[path] for path in changed if path in texts}
    found = {
        "tree": explored_tree(texts),
        "key_files": key_files(texts, names),
        "imports": imports(own),
    }
    return {name: text for name, text in found.items() if text}


def _files_read(source: Source) -> list[str]:
    """By the builder, within the worktree and outside of the feature's own folder."""
    feature = source.row.feature
    root = f"{source.around.folder.worktree(feature.name)}/"
    with source.around.database.read() as connection:
        rows = ledger.of_feature(connection, feature.key)
    paths = [
        path.removeprefix(root)
        for row in rows
        if row.result is not None and row.attempt.role == builder_of(feature.flow)
        for path in row.result.files_read
    ]
    inner = [path for path in paths if not path.startswith(("/", f"{source.folder}/"))]
    return list(dict.fromkeys(inner))
