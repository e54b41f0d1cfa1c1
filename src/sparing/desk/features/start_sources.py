"""Where a feature's start input comes from: a user's document or an issue.

Files and issues are untrusted text. They are read as data, up to a size limit, and a document must
be one that the next stage can build on; nothing is written before that is certain.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from sparing.config.process_environment import network_environment
from sparing.context.documents.markdown import outline
from sparing.context.documents.validate import validate_artifact
from sparing.desk.features.start_input import LONGEST_TITLE, StartInput, StartRequest
from sparing.desk.gates.actions import IDEAS
from sparing.desk.office import Office
from sparing.errors import RepositoryError, UsageError
from sparing.feature import Background
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage
from sparing.workspace.host.gh_view import read_issue

LARGEST = 400_000
LONGEST_BODY = 100_000
TEXT_CONTROLS = "\r\n\t\f"


def from_file(office: Office, path: Path, flow: str, title: str = "") -> StartRequest:
    """A document in place of the first stage's own; the feature begins after that stage."""
    first, following = _idea_stage(flow)
    text = read_document(office, path)
    assert first.writes is not None
    problems = validate_artifact(first.writes, text)
    if problems:
        named = problems[0].what.replace(first.writes.filename, path.name)
        raise UsageError(named, _again(path))
    digest = office.folder.keep(text)
    background = Background(source=place_of(office, path))
    beginning = StartInput(background, ((first.writes, digest),), stage=following.name)
    return StartRequest(title or title_of(text, path), beginning)


def from_issue(office: Office, number: int, title: str = "") -> StartRequest:
    """An issue's title and text are the request; the first stage makes a document of them."""
    base = office.loaded.settings.workspace.base_branch
    found = read_issue(office.repository, base, number, network_environment())
    said = _plain(found.title)
    if not title and not said:
        raise RepositoryError(
            f"issue {number} has no title",
            f'name it yourself: sparing start "…" --from-issue {number}',
        )
    background = Background(
        description=_plain(found.body, lines=True)[:LONGEST_BODY], source=found.url or f"#{number}"
    )
    return StartRequest(title or said[:LONGEST_TITLE], StartInput(background))


def read_document(office: Office, path: Path) -> str:
    """The text of a regular file of the user's; raises an error if it can't be used."""
    found = path.resolve()
    if any(found.is_relative_to(place) for place in _private(office)):
        raise UsageError(f"{path} is not a place for documents", "name one of your documents")
    try:
        if not stat.S_ISREG(found.stat().st_mode):
            raise UsageError(f"{path} is not a file", "name one of your documents, such as prd.md")
        with found.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        why = error.strerror or "unknown reason"
        raise UsageError(f"{path} can't be read: {why}", "name a file that exists") from error
    if len(data) > LARGEST:
        raise UsageError(
            f"{path} has more than {LARGEST // 1000} kB", "name a document, or a shorter one"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", _again(path)) from error
    if any(not one.isprintable() and one < " " and one not in TEXT_CONTROLS for one in text):
        raise UsageError(f"{path} is not plain text: it has control characters", _again(path))
    if not text.strip():
        raise UsageError(f"{path} is empty", _again(path))
    return text


def title_of(text: str, path: Path) -> str:
    """The document's heading without a prefix such as `PRD:`; otherwise the file's name."""
    first = next((one.text for one in outline(text).headings if one.level == 1), "")
    kind, colon, rest = first.partition(":")
    if colon and kind.strip().casefold() in ("prd", "brainstorm", "project", "feature"):
        first = rest
    words = " ".join((first or path.stem.replace("-", " ").replace("_", " ")).split())
    return words[:LONGEST_TITLE]


def _idea_stage(flow: str) -> tuple[Stage, Stage]:
    stages: Sequence[Stage] = FLOWS[flow].stages
    if stages[0].writes not in IDEAS or len(stages) < 2:
        raise UsageError(
            f"the flow {flow} has no stage that a document could replace",
            "use another flow: --flow feature, L2 or L3",
        )
    return stages[0], stages[1]


def _private(office: Office) -> tuple[Path, ...]:
    """Folders of Sparing and git, which contain no documents of the user's."""
    return office.repository.git_dir.resolve(), office.loaded.state_root.resolve()


def place_of(office: Office, path: Path) -> str:
    """Path that others can follow: relative to the repository, else only the file name."""
    found, checkout = path.resolve(), office.repository.checkout.resolve()
    return found.relative_to(checkout).as_posix() if found.is_relative_to(checkout) else found.name


def _plain(text: str, *, lines: bool = False) -> str:
    """The text without characters that can't be stored or would mislead when shown."""
    kept = "".join(one if one.isprintable() or one in "\n\t" else " " for one in text)
    return kept.strip() if lines else " ".join(kept.split())


def _again(path: Path) -> str:
    return f"correct {path.name}, then the same command again"
