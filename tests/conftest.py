"""The list of allowed skips, which failures are tried again alone, and fixtures for all folders."""

import os
import re
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from topdown.stacks.profile import Function, FunctionKind, Profile, Source, Thread

# No property is wrong because the machine is busy: hypothesis judges no times.
settings.register_profile("timeless", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("timeless")
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


# Tests of these marks measure this machine, with another worker's tests beside them.
MEASURING = {"live", "browser", "pmu"}
MOST_AGAIN = 5


class FailureLedger:
    """Names what failed in a file for `./dev test`, which runs it once more with nothing beside.

    Only where each failure is of a test that measures the machine, and they are few: anything else
    has no excuse, a skip that is not allowed neither.
    """

    def __init__(self, path: Path, skips: SkipLedger) -> None:
        self.path, self.skips = path, skips
        self.failed: dict[str, bool] = {}  # by test: whether it may be tried again
        path.unlink(missing_ok=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = bool(MEASURING & report.keywords.keys())

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = False

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        few = 0 < len(self.failed) <= MOST_AGAIN and not self.skips.refused
        if exitstatus == pytest.ExitCode.TESTS_FAILED and few and all(self.failed.values()):
            self.path.write_text("".join(f"{name}\n" for name in self.failed))


def _stay(*_: object) -> None:
    """Hears a signal, and does nothing."""


def pytest_configure(config: pytest.Config) -> None:
    # Begun in the background by a shell, or by nohup, the tests ignore these signals. What they start
    # would, too, were there no handler.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, _stay)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    skips = SkipLedger()
    config.pluginmanager.register(skips, "skip-ledger")
    again = os.environ.get("STALLSCOPE_TESTS_AGAIN")
    if again and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailureLedger(Path(again), skips), "failure-ledger")


@pytest.fixture(autouse=True)
def ctrl_c_is_heard_again() -> Iterator[None]:
    """A command interrupted in this process ignores Ctrl-C from then on; what later tests start
    would inherit that."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


# Folders whose tests share what is dear to set up, and take long: where several workers run, each
# stays with one of them, and goes first, so that none runs on alone at the end.
TOGETHER = ("unwind", "pmu_guest", "browser", "house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0]
        return TOGETHER.index(folder) if folder in TOGETHER else len(TOGETHER)

    items.sort(key=place)
    for item in items:
        if item.get_closest_marker(
            "pmu"
        ):  # a guest is booted, and every instruction of it emulated
            item.add_marker(pytest.mark.timeout(900))


class ByFile(LoadScopeScheduling):
    """Gives the tests of a file, or of a folder that stays together, to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        folder = file.partition("/")[2].partition("/")[0]
        return folder if folder in TOGETHER else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


@pytest.fixture(scope="session")
def needs_root() -> None:
    """Skips where this user is not root."""
    if os.geteuid() != 0:
        pytest.skip("needs root: this user is not")


@pytest.fixture(scope="session")
def own_mounts() -> tuple[str, ...]:
    """The words before a command that give it a mount namespace, and its mounts to nobody else.

    Below a chroot the root is no mount whose propagation could be changed; a machine that is
    entered so is a private copy already.
    """
    for propagation in ("private", "unchanged"):
        words = ("unshare", "--mount", "--propagation", propagation)
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    pytest.skip("needs the kernel's mount namespaces")


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


class ProfileBuilder:
    """Makes profiles out of rows (frames from the root, samples, thread); 1 ms a sample."""

    def __init__(self) -> None:
        self.functions = [Function("all", "", FunctionKind.ROOT)]
        self.parents, self.owners = [-1], [0]
        self.nodes: dict[tuple[int, int], int] = {}

    def _node(self, frames: Sequence[str | Function]) -> int:
        node = 0
        for frame in frames:
            function = (
                frame
                if isinstance(frame, Function)
                else Function(frame, "/bin/it", FunctionKind.USER)
            )
            if function not in self.functions:
                self.functions.append(function)
            owner = self.functions.index(function)
            if (node, owner) not in self.nodes:
                self.nodes[node, owner] = len(self.parents)
                self.parents.append(node)
                self.owners.append(owner)
            node = self.nodes[node, owner]
        return node

    def build(self, rows: Sequence[tuple[Any, ...]], **changes: Any) -> Profile:
        threads = changes.pop("threads", (Thread(1, 1, "it", "main"),))
        weighed = [(self._node(row[0]), row[1], row[2] if len(row) > 2 else 0) for row in rows]
        samples = np.array([row[1] for row in weighed], dtype=np.int64)
        told: dict[str, Any] = {
            "source": Source("cpu-clock", "measured", "ns", 1000, None, "user+kernel"),
            "title": "it",
            "samples": int(samples.sum()),
            "lost": 0,
            "duration_s": 1.0,
            "unknown_share": 0.0,
            "truncated_share": 0.0,
        }
        return Profile(
            functions=tuple(self.functions),
            threads=tuple(threads),
            node_parent=np.array(self.parents, dtype=np.int32),
            node_function=np.array(self.owners, dtype=np.int32),
            weight_node=np.array([row[0] for row in weighed], dtype=np.int32),
            weight_thread=np.array([row[2] for row in weighed], dtype=np.int32),
            weight_samples=samples,
            weight_value=samples * 1_000_000,
            **(told | changes),
        )


@pytest.fixture(scope="session")
def profile_of() -> Callable[..., Profile]:
    """A function from rows and changes to a profile."""
    return lambda rows, **changes: ProfileBuilder().build(rows, **changes)
