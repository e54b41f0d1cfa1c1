"""What processes we start may know of our environment: where programs are, and the language."""

from __future__ import annotations

import os
from collections.abc import Mapping

KEPT = ("PATH", "VIRTUAL_ENV", "LANG")


def inherited() -> Mapping[str, str]:
    return {name: os.environ[name] for name in KEPT if name in os.environ}
