"""Quoted lines are looked up. Covers: C19."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Finding, Severity
from sparing.review.quotes import QuoteCheck, check_quote

TEXT = """\
# Limits

- The service answers within 200 ms for
  ninety-nine of a hundred requests.
1. **Retries** stop after `5` attempts
> never twice

```python
    def refuse(self, request: Request) -> None:
        raise TooMany(request.key)
```
| column | meaning |
"""


def quoting(quote: str) -> Finding:
    return Finding(Severity.WARNING, "not so", quote=quote)


@pytest.mark.parametrize(
    "quote",
    [
        "- The service answers within 200 ms for",
        "The service   answers within\t200 ms for",
        "* The service answers within 200 ms for",
        "“The service answers within 200 ms for”",
        "answers within 200 ms",
        "The service answers within 200 ms for ninety-nine of a hundred requests.",
        "The service answers within 200 ms for\nninety-nine of a hundred requests.",
        "**Retries** stop after `5` attempts",
        "never twice",
        "def refuse(self, request: Request) -> None:",
        "+    def refuse(self, request: Request) -> None:\n+        raise TooMany(request.key)",
        "raise TooMany(request.key)",
        "# Limits",
        "Limits",
        "column | meaning",
    ],
)
def test_a_line_is_found_whatever_blanks_and_marks_surround_it(quote: str) -> None:
    """C19"""
    assert check_quote(quoting(quote), TEXT) is QuoteCheck.FOUND


@pytest.mark.parametrize(
    "quote",
    [
        "The service answers within 300 ms for",
        "the service answers within 200 ms for",
        "The service replies within 200 ms for",
        "service answers within 200 m",
        "ver twice",
        "never",
        "5",
        "never twice\nLimits",
        "raise TooMany(request.key) from None",
    ],
)
def test_other_words_are_not_found(quote: str) -> None:
    """C19: the finding is then marked unverified."""
    assert check_quote(quoting(quote), TEXT) is QuoteCheck.ABSENT


@pytest.mark.parametrize("quote", ["", "  \n ", "- ", "``"])
def test_nothing_quoted(quote: str) -> None:
    assert check_quote(quoting(quote), TEXT) is QuoteCheck.NONE


@given(st.text(max_size=60), st.text(max_size=200))
def test_whatever_is_found_stands_there(quote: str, text: str) -> None:
    """C19: every word of a found quote is in the text, in that order."""
    if check_quote(quoting(quote), text) is QuoteCheck.FOUND:
        bare = "".join(one for one in quote if one.isalpha())
        assert bare in "".join(one for one in text if one.isalpha())


@given(st.lists(st.text(alphabet="ab c-*", min_size=1, max_size=20), min_size=1, max_size=6))
def test_every_line_of_a_text_is_found_in_it(lines: list[str]) -> None:
    """C19"""
    text = "\n".join(lines)
    assert all(check_quote(quoting(line), text) is not QuoteCheck.ABSENT for line in lines)


def test_a_long_text_is_searched() -> None:
    text = "a" * 50 + " " + "- " * 200_000 + "ab " * 200_000
    assert check_quote(quoting("ab " * 40 + "c"), text) is QuoteCheck.ABSENT
