"""What the program tells of the files a session opened. Covers: F4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.exploration import (
    MOST_FILES,
    explored_tree,
    imports,
    imports_of,
    key_files,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import os\nfrom sparing.flow import state\n", ("os", "sparing.flow")),
        ("import { a, b } from './gate.js'\nimport 'x'\n", ("./gate.js", "x")),
        ("const fs = require('node:fs');\n", ("node:fs",)),
        ("use crate::gate::Limit;\n", ("crate::gate::Limit",)),
        ('#include <stdio.h>\n#include "gate.h"\n', ("stdio.h", "gate.h")),
        ("important = 1\n# import nothing\n", ()),
    ],
)
def test_imports_of_the_usual_languages(text: str, found: tuple[str, ...]) -> None:
    assert imports_of(text) == found


def test_a_tree_is_an_indented_list_without_repetitions() -> None:
    assert explored_tree(["src/b.py", "README.md", "src/a.py", "src/b.py"]) == (
        "- README.md\n- src/\n  - a.py\n  - b.py"
    )


def test_key_files_have_a_size_and_what_they_define() -> None:
    texts = {"src/gate.py": "def allowed():\n    pass\n", "notes.txt": "one\n"}
    assert key_files(texts, {"src/gate.py": ("allowed",)}) == (
        "- src/gate.py — 2 lines — allowed\n- notes.txt — 1 line"
    )
    many = key_files({f"{n}.py": "" for n in range(99)}, {})
    assert len(many.splitlines()) == MOST_FILES


def test_only_files_that_import_are_told() -> None:
    assert imports({"a.py": "import os\n", "b.md": "words\n"}) == "- a.py: os"


@given(st.text(alphabet="import from use#<>\"'{}().:\n const=require", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    assert all(imports_of(text))
