"""Everything that can go wrong for a person, as one tree.

    SparingError                 what is wrong, which command repairs it, exit code
    ├── UsageError          64   the command line does not make sense
    ├── ConfigError          1   a settings file or variable is wrong
    ├── RepositoryError      1   the folder is no repository we can work in
    ├── FeatureError         1   no such feature, or it is not at that stage
    │   ├── NotFound         1   nothing here has that name
    │   └── StaleView        1   it has changed since the person looked, or was answered already
    ├── ScriptError          1   a scripted agent's script is wrong
    ├── StateError           1   our own state folder can't be used
    │   └── EngineBusy       1   another process runs the engine of this folder
    ├── SandboxRefused       1   agents would run with too weak a sandbox
    ├── NeedsHuman           2   work stopped at a gate or with an open question
    ├── BudgetReached        3   a cap is used up
    └── QuotaReached        75   the provider's quota is used up until later

A person's mistake is two lines: what is wrong, and what repairs it. A backend's failure is
no exception but data (`agents.backend.Failure`). Anything else is a bug and keeps its
traceback. Only `cli.main` (and the page's error handler) catches.
"""

from __future__ import annotations


class SparingError(Exception):
    """A failure that a person can repair."""

    exit_code = 1

    def __init__(self, what: str, repair: str) -> None:
        super().__init__(what, repair)
        self.what = what
        self.repair = repair

    def __str__(self) -> str:
        return f"{self.what}\n{self.repair}"


class UsageError(SparingError):
    exit_code = 64


class ConfigError(SparingError):
    pass


class RepositoryError(SparingError):
    pass


class FeatureError(SparingError):
    pass


class NotFound(FeatureError):
    pass


class StaleView(FeatureError):
    pass


class ScriptError(SparingError):
    pass


class StateError(SparingError):
    pass


class EngineBusy(StateError):
    pass


def recordable(error: SparingError) -> SparingError:
    """An error to record as the result of a step; the feature then waits for a person.

    One of the state folder is raised instead: it may not be possible to record anything now, and
    the next run simply tries again.
    """
    if isinstance(error, StateError):
        raise error
    return error


class SandboxRefused(SparingError):
    """The sandbox is too weak and no one agreed to that, or agents would have root's powers."""


class NeedsHuman(SparingError):
    exit_code = 2


class BudgetReached(SparingError):
    exit_code = 3


class QuotaReached(SparingError):
    exit_code = 75
