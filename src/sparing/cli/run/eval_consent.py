"""Before `sparing eval` spends: the forecast is shown, and a person agrees to it."""

from __future__ import annotations

from sparing.cli.screen import confirm, echo, is_terminal
from sparing.errors import NeedsHuman

WIDE = 2.0
"""Factor of a forecast's range for unknown work: half to twice as much."""


def agreed(
    what: str,
    likely: float | None,
    cap: float | None,
    *,
    yes: bool,
    quiet: bool,
    again: str = "sparing eval --yes",
) -> float | None:
    """The most that may be spent, once a person has agreed to it."""
    if likely is None:
        words, limit = "the cost is unknown: the model has no price", cap
    else:
        limit = cap if cap is not None else round(likely * WIDE, 2)
        words = f"about ${likely / WIDE:.2f} to ${likely * WIDE:.2f} (estimated)"
    most = "no cap" if limit is None else f"at most ${limit:.2f}"
    if not quiet:
        echo(f"{what}: {words}; {most}", err=True)
    if yes:
        return limit
    if not is_terminal() or quiet:
        raise NeedsHuman("this spends money and needs your consent", again)
    confirm("Send them?", default=False, abort=True, err=True)
    return limit
