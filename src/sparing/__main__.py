"""`sparing` and `python -m sparing`."""

from __future__ import annotations

import sys

from sparing.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
