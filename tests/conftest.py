"""Allowed skips, the parts of a run, failures that run again alone, and fixtures for all folders."""

import gc
import os
import re
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from xdist.scheduler import LoadScopeScheduling

from tests.parts import PARTS, part_of, parts_of_file

if TYPE_CHECKING:
    from topdown.stacks.profile import Profile

# A busy machine must not fail a property test: hypothesis has no deadline.
settings.register_profile(
    "short", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25
)
settings.register_profile("long", settings.get_profile("short"), max_examples=2000)
if os.environ.get("STALLSCOPE_LONG_TESTS") == "1":
    settings.load_profile("long")
else:
    settings.load_profile("short")
    # Examples would otherwise contain constants of all imported modules, which each worker parses.
    providers._get_local_constants = lambda: providers._local_constants
HERE = Path(__file__).parent
ALLOWED = [
    re.compile(entry["reason"])
    for entry in tomllib.loads((HERE / "skips.toml").read_text())["skip"]
]


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason that a test passed to `pytest.skip`."""
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


# Tests with these marks measure this machine, so another worker's tests can disturb them.
MEASURING = {"live", "browser", "pmu"}
MAX_REPEATED = 5


def part_of_item(item: pytest.Item) -> str:
    """The part of a test run to which a test belongs."""
    measures = bool(MEASURING & {mark.name for mark in item.iter_markers()})
    return part_of(item.path.relative_to(HERE), measures=measures)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skips the files of other parts: importing all test files takes seconds of CPU time."""
    part = config.getoption("--part")
    if part is None or collection_path.suffix != ".py" or HERE not in collection_path.parents:
        return None
    parts = parts_of_file(collection_path.relative_to(HERE), collection_path.read_text())
    return True if part not in parts else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part", choices=PARTS, help="Run one part of ./dev test; default: all tests."
    )


class RunningTests:
    """Keeps the names of the tests that run now in a file, which ./dev test prints at a time limit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, None] = {}

    def _write(self) -> None:
        self.path.write_text("".join(f"{name}\n" for name in self.names))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.names[nodeid] = None
        self._write()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.names.pop(nodeid, None)
        self._write()


class FailureLedger:
    """Writes the failed tests to a file, from which `./dev test` runs them once more, alone.

    The file is written only if every failed test measures the machine, if they are few, and if no
    test was skipped without permission.
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
        few = 0 < len(self.failed) <= MAX_REPEATED and not self.skips.refused
        if exitstatus == pytest.ExitCode.TESTS_FAILED and few and all(self.failed.values()):
            self.path.write_text("".join(f"{name}\n" for name in self.failed))


def _ignore(*_: object) -> None:
    """A signal handler without an effect; unlike SIG_IGN, started programs do not inherit it."""


def pytest_configure(config: pytest.Config) -> None:
    # A background shell or nohup leaves these signals ignored. The programs that the tests start would
    # inherit that if there were no handler.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, _ignore)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    skips = SkipLedger()
    config.pluginmanager.register(skips, "skip-ledger")
    again = os.environ.get("STALLSCOPE_TESTS_AGAIN")
    if again and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailureLedger(Path(again), skips), "failure-ledger")
    running = os.environ.pop("STALLSCOPE_RUNNING_TESTS", None)  # not for pytest in a test
    if running and not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunningTests(Path(running)), "running-tests")


@pytest.fixture(autouse=True)
def restored_interrupt_handler() -> Iterator[None]:
    """Restores SIGINT: a command that is interrupted in this process ignores it afterwards, and the
    programs that later tests start would inherit that."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def rotated_paths(paths: Sequence[Path], worker: int, workers: int) -> list[Path]:
    """The paths, starting after this worker's share of the bytes of test files."""
    sizes = [
        sum(file.stat().st_size for file in [*path.rglob("test_*.py")] or [path]) for path in paths
    ]
    before = 0
    for start, size in enumerate(sizes):
        if before >= sum(sizes) * worker / workers:
            return [*paths[start:], *paths[:start]]
        before += size
    return list(paths)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Makes each worker start its collection in another folder.

    pytest rewrites the assertions of each test file once and stores the result. That is most of the CPU
    time of a first collection, and the workers share it if they do not read the same file at once.
    """
    config = session.config
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if hasattr(config, "workerinput") and config.args == config.getini("testpaths"):
        paths = sorted(path for path in HERE.iterdir() if any(path.rglob("test_*.py")))
        paths += sorted(HERE.glob("test_*.py"))
        workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args = [str(path) for path in rotated_paths(paths, int(worker), workers)]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Excludes the collected tests from garbage collections, which would visit millions of objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# Folders whose tests share an expensive set-up and take long. A single worker runs all tests of such
# a folder, and runs them first, so that none is left over at the end.
TOGETHER = ("unwind", "pmu_guest", "browser", "house")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("--part")
    if part is not None:
        chosen = [item for item in items if part_of_item(item) == part]
        items[:] = chosen

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(HERE).parts[0]
        return TOGETHER.index(folder) if folder in TOGETHER else len(TOGETHER)

    # The same order in each worker.
    items.sort(key=lambda item: (place(item), item.path))
    for item in items:
        if item.get_closest_marker("pmu"):  # boots a guest and emulates every instruction
            item.add_marker(pytest.mark.timeout(900))


# Files whose tests hold the lock of this machine's settings.
PINNING = (
    "tests/cstates/pinning/test_machine_lock.py",
    "tests/live/test_cstates_compare.py",
    "tests/live/test_pin_live.py",
)


class ByFile(LoadScopeScheduling):
    """Assigns the tests of a file, or of files that stay together, to a single worker."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        if file in PINNING:
            return PINNING[0]
        folder = file.partition("/")[2].partition("/")[0]
        return folder if folder in TOGETHER else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


@pytest.fixture(scope="session")
def needs_root() -> None:
    """Skips the test if this user is not root."""
    if os.geteuid() != 0:
        pytest.skip("needs root: this user is not")


@pytest.fixture(scope="session")
def own_mounts() -> tuple[str, ...]:
    """The command prefix that runs a command in a mount namespace with private mounts.

    In a chroot the root is not a mount point, so its propagation cannot be changed; then the mounts
    of the chroot are private already.
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


@pytest.fixture(scope="session")
def profile_of() -> "Callable[..., Profile]":
    """A function from rows and changes to a profile."""
    from tests.profile_builder import ProfileBuilder  # numpy takes long to load

    return lambda rows, **changes: ProfileBuilder().build(rows, **changes)
