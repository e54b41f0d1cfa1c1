"""Charts need the extras: `make conformance` has them."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("PYTEST_CLIENTS") else ["test_html.py"]
