"""Golden files: `python -m scripts.golden` writes every prompt of the sample feature anew.

They are read by people before they are committed; `tests/briefing/test_golden.py` compares.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.briefing.cases import page, prompts
from tests.briefing.sample import make_sample

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden"


def rendered() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="sparing-golden-") as folder:
        return {f"{one.name}.txt": page(one) for one in prompts(make_sample(Path(folder)))}


def main() -> int:
    pages = rendered()
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, "utf-8")
    print(f"{len(pages)} golden files in {FOLDER.relative_to(Path.cwd())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
