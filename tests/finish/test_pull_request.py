"""The text of a pull request. Covers: D6."""

from __future__ import annotations

from sparing.finish.pull_request import in_template, owners_of

OURS = (
    "## What\n\nRate limits\n\n## Why\n\nToo many requests.\n\n## How it was checked\n\n- green\n"
)
TEMPLATE = """<!-- Thank you! -->
## Description

<!-- say what it does -->

## Testing

- [ ] I ran the tests

## Screenshots
"""


def test_a_template_gets_the_parts_that_it_asks_for() -> None:
    """D6: its own headings and boxes stay, the rest of ours follows."""
    assert in_template(TEMPLATE, OURS) == (
        "## Description\n\nRate limits\n\n"
        "## Testing\n\n- green\n\n- [ ] I ran the tests\n\n"
        "## Screenshots\n\n"
        "## Why\n\nToo many requests.\n"
    )


def test_owners_are_those_of_the_last_line_that_fits() -> None:
    """D6"""
    rules = "* @all\n/docs/ @writers # words\n*.py @python\nsrc/api/ @api @web\n"
    assert owners_of(rules, ["README.md"]) == ("@all",)
    assert owners_of(rules, ["docs/a.md", "tools/x.py"]) == ("@writers", "@python")
    assert owners_of(rules, ["src/api/x.py"]) == ("@api", "@web")
    assert owners_of("", ["a"]) == ()
