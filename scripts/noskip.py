"""A pytest plugin for CI, where a skipped test is a failed one.

Load it with `-p scripts.noskip`. A test may skip on a person's machine that lacks something;
on CI nothing is lacking, so a skip there hides a hole. An expected failure is not a skip.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which fails on CI: {report.longreprtext}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which fails on CI: {report.longreprtext}"
    return report
