"""What was sent and judged in one stage, to show a prompt as it was."""

from __future__ import annotations

from sparing.desk.features.history import final_among
from sparing.flow.stage import Stage
from sparing.records import events, ledger, verdicts
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.runtime.surroundings import Surroundings


class StagePast:
    """The records of one stage."""

    def __init__(self, around: Surroundings, row: FeatureRow, stage: Stage) -> None:
        self.around, self.row, self.stage = around, row, stage
        with around.database.read() as connection:
            self.looks = verdicts.of_feature(connection, row.feature.key, stage.name)
            found = ledger.of_feature(connection, row.feature.key)
            told = events.since(connection, 0, row.feature.key)
        self.final = final_among(told, self.looks)
        self.attempts = [one for one in found if one.attempt.stage == stage.name]

    def sent(self, role: str, iteration: int, task: str, *, final: bool) -> LedgerRow | None:
        """The last attempt at the requested dispatch, an iteration of 0 being any. A final
        validation has the number of the round before it and is found by its name alone."""
        found = [
            one
            for one in self.attempts
            if one.attempt.role == role
            and iteration in (0, self.iteration_of(one))
            and task in ("", one.attempt.task)
            and (self.is_final(one) is final or not (iteration or final))
        ]
        return found[-1] if found else None

    def is_final(self, sent: LedgerRow) -> bool:
        return sent.attempt.dispatch in self.final

    def iteration_of(self, sent: LedgerRow) -> int:
        """As its verdict counts it: a tier's judge has no loop and is asked anew each time."""
        looks = (one.iteration for one in self.looks if one.dispatch == sent.attempt.dispatch)
        return next(looks, sent.attempt.iteration)

    def look(self, role: str, iteration: int) -> VerdictRow | None:
        found = [
            one for one in self.looks if one.verdict.role == role and one.iteration == iteration
        ]
        return found[-1] if found else None

    def open(self, iteration: int) -> tuple[VerdictRow, ...]:
        return tuple(one for one in self.looks if one.iteration == iteration and not one.passed)

    def note(self, look: VerdictRow | None) -> str:
        """The author's last reply, before `look` if given: rows are in chronological order."""
        asked = [one.attempt.dispatch for one in self.attempts]
        end = asked.index(look.dispatch) if look and look.dispatch in asked else len(asked)
        told = [
            one.result.reply
            for one in self.attempts[:end]
            if one.attempt.role == self.stage.author
            and one.result is not None
            and not one.attempt.task
        ]
        return told[-1] if told else ""
