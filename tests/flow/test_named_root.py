"""Which package of a monorepo a request is about, by the paths that it names.

Covers: K2
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.package_root import NamedRoot, named_root, paths_of

FILES = (
    *("README.md", "docs/guide.md", "client/index.js"),
    *("packages/api/src/x.py", "packages/api/examples/demo/main.py"),
    *("packages/web/page.ts", "packages/web/deep/er/one.ts"),
)
PACKAGES = ("packages/api", "packages/api/examples/demo", "packages/web", "client")


def found(request: str) -> NamedRoot | None:
    return named_root(request, FILES, PACKAGES.__contains__)


@pytest.mark.parametrize(
    ("request_", "root", "named"),
    [
        ("fix packages/api/src/x.py", "packages/api", "packages/api/src/x.py"),
        ("fix packages/api/src/x.py:12, please", "packages/api", "packages/api/src/x.py"),
        ("(see ./packages/web/page.ts).", "packages/web", "packages/web/page.ts"),
        ("speed up packages/api", "packages/api", "packages/api"),
        ("add packages/web/deep/new.ts", "packages/web", "packages/web/deep/new.ts"),
        ("`packages/web/deep/er` is slow", "packages/web", "packages/web/deep/er"),
        (
            "packages/api/examples/demo/main.py is broken since packages/api/src/x.py",
            "packages/api",
            "packages/api/examples/demo/main.py",
        ),
    ],
)
def test_the_package_of_what_is_named(request_: str, root: str, named: str) -> None:
    """K2: the nearest package around all of it."""
    assert found(request_) == NamedRoot(root, named)


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "fix the api",
        "either/or",
        "a client/server design",
        "packages/none/x.py",
        "packages/api/src/x.py and packages/web/page.ts",
        "packages/api/src/x.py as docs/guide.md says",
        "see https://example.com/packages/api/src/x.py",
        "../packages/api/src/x.py",
        "/packages/api/src/x.py",
        "xpackages/api",
    ],
)
def test_a_toss_up_names_none(request_: str) -> None:
    """K2: never guessed."""
    assert found(request_) is None


@given(st.text(alphabet="pa/.ckgesi x\n:", max_size=60))
def test_any_words(request_: str) -> None:
    """K2: whatever is found is a package around a path that was named."""
    root = found(request_)
    if root is not None:
        assert root.root in PACKAGES
        assert root.named in paths_of(request_)
