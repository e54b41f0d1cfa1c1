"""How a finished feature comes home: merged, as a pull request, or as commands to type.

The setting is the person's consent. What could not be done is said and tried again on the next
run; nothing is forced. A worktree whose work has arrived is removed.
"""

from __future__ import annotations

from typing import assert_never

from sparing.config.inherited import outward
from sparing.config.settings import HandOver
from sparing.engine.finishing import complete
from sparing.engine.jobs import Job, Result
from sparing.engine.stories import tell
from sparing.engine.summary import Body, body_of
from sparing.engine.surroundings import Surroundings
from sparing.engine.tickets import Ticket
from sparing.records.features import FeatureRow
from sparing.workspace.handover import Handover, hand_over, name_commands
from sparing.workspace.push import Request, open_request
from sparing.workspace.retire import retire
from sparing.workspace.worktree import Worktree


def hand_home(around: Surroundings, row: FeatureRow, job: Job, ticket: Ticket) -> Result:
    how = around.settings(row).workspace.hand_over
    body = body_of(around, row, job)
    last = complete(around, row, job, ticket.at)
    done = _handed(around, row, body, ticket.at)
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
            "body": body.whole,
        }
        tell(tx, ticket, job, "handover", text=note, data=data)
    if how is HandOver.PRINT or done.merged or done.pushed:
        return Result(commit=last, detail=note)
    return Result(commit=last, failure="not handed over", detail=note)


def _handed(around: Surroundings, row: FeatureRow, body: Body, at: float) -> Handover:
    feature, how = row.feature, around.settings(row).workspace.hand_over
    where = (around.repository, feature.base_branch, feature.branch)
    subject = f"Merge {feature.branch}: {' '.join(feature.title.split())}"
    match how:
        case HandOver.PRINT:
            return name_commands(*where, subject)
        case HandOver.MERGE:
            words = f"{subject}\n\n{body.text}"
            return hand_over(*where, True, words, feature.name, at)
        case HandOver.PULL_REQUEST:
            return _requested(around, row, body)
        case _:
            assert_never(how)


def _requested(around: Surroundings, row: FeatureRow, body: Body) -> Handover:
    """A branch that is pushed has been handed over, with or without `gh`."""
    feature = row.feature
    request = Request(feature.base_branch, feature.branch, feature.title, body.whole)
    opened = open_request(around.repository, request, outward())
    note, commands = opened.note, opened.commands
    return Handover(False, row.head, note, commands, opened.url, opened.pushed)
