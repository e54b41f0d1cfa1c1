"""How a finished feature comes home: merged, as a pull request, or as commands to type.

The setting is the person's consent. What could not be done is said and tried again on the next
run; nothing is forced. A worktree whose work has arrived is removed.
"""

from __future__ import annotations

from typing import assert_never

from sparing.config.inherited import outward
from sparing.config.settings import HandOver
from sparing.engine.jobs import Job, Result
from sparing.engine.stories import tell
from sparing.engine.surroundings import Surroundings
from sparing.engine.tickets import Ticket
from sparing.records.features import FeatureRow
from sparing.workspace.handover import Handover, hand_over, name_commands
from sparing.workspace.push import Request, open_request
from sparing.workspace.retire import retire
from sparing.workspace.worktree import Worktree


def hand_home(around: Surroundings, row: FeatureRow, job: Job, ticket: Ticket) -> Result:
    how = around.settings(row).workspace.hand_over
    done = _handed(around, row, how, ticket.at)
    note = done.note
    if done.merged:
        feature = row.feature
        path = around.folder.worktree(feature.name)
        worktree = Worktree(around.repository, path, feature.branch)
        left = retire(worktree, done.commit, around.folder.redactor.known)
        note = "; ".join(filter(None, (note, left)))
    with around.database.write() as tx:
        data = {
            "merged": done.merged,
            "commit": done.commit,
            "commands": list(done.commands),
            "url": done.url,
        }
        tell(tx, ticket, job, "handover", text=note, data=data)
    if how is HandOver.PRINT or done.merged or done.pushed:
        return Result(detail=note)
    return Result(failure="not handed over", detail=note)


def _handed(around: Surroundings, row: FeatureRow, how: HandOver, at: float) -> Handover:
    feature = row.feature
    where = (around.repository, feature.base_branch, feature.branch)
    subject = f"Merge {feature.branch}: {feature.title}"
    match how:
        case HandOver.PRINT:
            return name_commands(*where, subject)
        case HandOver.MERGE:
            return hand_over(*where, True, subject, feature.name, at)
        case HandOver.PULL_REQUEST:
            return _requested(around, row)
        case _:
            assert_never(how)


def _requested(around: Surroundings, row: FeatureRow) -> Handover:
    """A branch that is pushed has been handed over, with or without `gh`."""
    feature = row.feature
    body = f"{feature.title}\n\nDocuments and reviews: {around.feature_folder(row)}\n"
    request = Request(feature.base_branch, feature.branch, feature.title, body)
    opened = open_request(around.repository, request, outward())
    note, commands = opened.note, opened.commands
    return Handover(False, row.head, note, commands, opened.url, opened.pushed)
