"""What can be set of reviews: how long they go on, by which rule, and who looks together."""

from __future__ import annotations

from enum import StrEnum

from sparing.config.rules import Rule, SettingScope, limit, setting
from sparing.config.value_forms import OneOf, ThreeWay
from sparing.finding import Bar
from sparing.lazy_dataclass import lazy_dataclass
from sparing.panel import PanelMode
from sparing.way import Policy


class OtherVendor(StrEnum):
    """Whether reviewers come from another vendor than the author."""

    OFF = "false"
    ON = "true"
    PREFER = "prefer"


DEFAULT_CAP = 3
SEED_CAP = 5


@lazy_dataclass
class ReviewSettings:
    cap: int = setting(
        DEFAULT_CAP,
        limit(
            10,
            "How many iterations a review loop has at most. Under `seed` it is the original's 5 "
            "unless you set it.",
        ),
    )
    policy: Policy = setting(
        Policy.ADAPTIVE,
        Rule(
            OneOf(Policy),
            "How a dispatch is sent: `adaptive` goes by predicted cost, `seed` by the rules of "
            "the original workflow; `fresh` sends our prompts and resumes nothing; `naive` is the "
            "baseline: the role as system prompt, all documents in full, always a new session.",
        ),
    )
    bar: Bar = setting(
        Bar.POLICY,
        Rule(
            OneOf(Bar),
            "Which findings hold a review up: `strict` every blocker and warning until the cap, "
            "`rising` warnings ever less and an end when nothing moves. `policy`: strict under "
            "`seed`, else rising.",
        ),
    )

    panel: PanelMode = setting(
        PanelMode.SEPARATE,
        Rule(
            OneOf(PanelMode),
            "Whether the two reviewers of a document look in one turn: `separate` never, `merged` "
            "always, `auto` once the second has found nothing of its own in 30 looks, with one "
            "loop in four still separate. Never under `seed` and `naive`, and never for code.",
        ),
    )

    other_vendor: OtherVendor = setting(
        OtherVendor.OFF,
        Rule(
            ThreeWay(OtherVendor),
            "Whether reviewers come from another vendor than the author of what they look at: "
            "`true` takes the first agent of another vendor that is installed and logged in, and "
            "refuses to run where there is none; `prefer` reviews with the author's vendor then.",
            SettingScope.USER,
        ),
    )

    @property
    def panels(self) -> PanelMode:
        """As it applies: what is compared with has each reviewer by itself."""
        apart = self.policy in (Policy.SEED, Policy.NAIVE)
        return PanelMode.SEPARATE if apart else self.panel

    @property
    def strict(self) -> bool:
        """Whether the original's pass rule and cap decide."""
        named = {Bar.STRICT: True, Bar.RISING: False}
        return named.get(self.bar, self.policy is Policy.SEED)
