"""What a feature may start from besides its title: a document, an issue, a project entry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.feature import Background
from sparing.flow.advance import begin
from sparing.records.features import FeatureRow

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class StartInput:
    background: Background = Background()
    given: tuple[tuple[ArtifactName, str], ...] = ()
    """Documents that exist already, each with the hash of its text."""
    enclosures: tuple[tuple[str, str], ...] = ()
    """Further files for the feature's folder, by name and the hash of their text."""
    stage: str = ""
    number: int = 0
    """Feature number reserved by a roadmap; 0 if none is."""
    slug: str = ""


NOTHING = StartInput()


class StartRequest(NamedTuple):
    title: str
    beginning: StartInput


def with_start_input(row: FeatureRow, beginning: StartInput) -> FeatureRow:
    """A new feature's row with its start input applied."""
    feature = row.feature
    if beginning.slug:
        feature = replace(feature, slug=beginning.slug)
    have = frozenset(name for name, _ in beginning.given)
    place = {**row.place, "state": begin(feature.flow, beginning.stage, have).dump()}
    files = [(name.filename, digest) for name, digest in beginning.given]
    if files or beginning.enclosures:
        place["given"] = [list(one) for one in (*files, *beginning.enclosures)]
    return replace(row, feature=feature, place=place, background=beginning.background)
