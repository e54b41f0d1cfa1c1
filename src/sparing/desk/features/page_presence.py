"""Whether a web page is being served for this user, and where: for links in the terminal.

Only the address is kept, never login credentials.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparing.desk.features.engine_presence import is_held
from sparing.desk.office import Office
from sparing.records.features import FeatureRow

LOCK, ADDRESS = "page.lock", "page.url"
LONGEST = 200


@contextmanager
def page_served(office: Office, origin: str) -> Generator[None]:
    """Publish the page's address while it is being served; a second page publishes nothing."""
    root = office.loaded.state_root
    file = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield
            return
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        _write(root / ADDRESS, origin)
        yield
    finally:
        os.close(file)


def feature_link(office: Office, row: FeatureRow) -> str:
    """The feature's address on the page; empty if none is being served."""
    root = office.loaded.state_root
    if not is_held(root / LOCK):
        return ""
    try:
        origin = (root / ADDRESS).read_text("utf-8")[:LONGEST].strip()
    except (OSError, ValueError):
        return ""
    return f"{origin}/r/{office.repository.key}/f/{row.feature.id}"


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(text)
