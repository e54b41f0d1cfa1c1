"""Folders as other tools write them, as the tests read them."""

from __future__ import annotations

from pathlib import Path

from sparing.context.foreign.folder import ForeignFolder, ImportedFeature, SpecFormat
from sparing.context.foreign.formats import import_folder

HERE = Path(__file__).parent
FORMATS = {
    "spec-kit": SpecFormat.SPEC_KIT,
    "openspec": SpecFormat.OPENSPEC,
    "kiro": SpecFormat.KIRO,
    "iflow": SpecFormat.IFLOW,
}
FOLDERS = tuple(
    path.relative_to(HERE).as_posix()
    for path in sorted(HERE.glob("*/*"))
    if path.is_dir() and path.parent.name in FORMATS
)


def files_of(place: str) -> dict[str, str]:
    folder = HERE / place
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def read(place: str) -> ImportedFeature:
    kind, _, name = place.partition("/")
    return import_folder(ForeignFolder(name, files_of(place)), FORMATS[kind])
