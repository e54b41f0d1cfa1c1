"""What needs real package managers runs with `make conformance`."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("PYTEST_CLIENTS") else ["test_real_*.py"]
