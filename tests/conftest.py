"""The list of allowed skips, and the fixtures that every folder's tests may need."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALLOWED = [
    re.compile(entry["reason"])
    for entry in tomllib.loads((HERE / "skips.toml").read_text())["skip"]
]


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason of a skip as it was given."""
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)


class SkipLedger:
    """Collects skips that no entry of skips.toml allows."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = skip_reason(report)
            if not any(pattern.fullmatch(reason) for pattern in ALLOWED):
                self.refused.append(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refused:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.refused:
            terminalreporter.write_line(f"skip not on tests/skips.toml: {line}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SkipLedger(), "skip-ledger")


@pytest.fixture(scope="session")
def needs_root() -> None:
    """Skips where this user is not root."""
    if os.geteuid() != 0:
        pytest.skip("needs root: this user is not")


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return HERE.parent


@pytest.fixture
def busy_process(tmp_path: Path):
    """A process that burns CPU until the test ends."""
    with subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"], cwd=tmp_path) as process:
        try:
            yield process
        finally:
            process.kill()
