"""A run of `stallscope top`: a live view on a terminal, otherwise one snapshot."""

import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.outputs import default_directory
from harness.cli.terminal import printable, width
from harness.top.functions import FunctionSampler
from harness.top.options import TopOptions, check_target
from harness.top.readings import Reader, Reading, SampledStates
from harness.top.result import Missing, TopResult
from harness.top.snapshot import Context, snapshot
from harness.top.text import lines
from stallscope.errors import ExitCode, TargetError
from stallscope.system_files import Roots, names_in, read_text

INSTANTS = 4  # per interval, at which the states of threads are sampled
PAGE_DURATION_S = 5


class Watch:
    """Measures one interval after the other."""

    def __init__(self, options: TopOptions, roots: Roots) -> None:
        self._roots = roots
        self._options = options
        self._reader = Reader(roots, options.pid, platform.machine())
        self.functions = FunctionSampler(options.pid, options.functions_s, options.places)
        self._missing: tuple[Missing, ...] = (slots_missing(roots),)
        self._first: Reading | None = None

    def next(self, wait: Callable[[float], bool]) -> TopResult | None:
        """Return the document of the next interval; None if ``wait`` returned True.

        Raises TargetError if the process ends.
        """
        self._reader.choose_threads()
        states = SampledStates()
        earlier = self._reader.read()
        for _ in range(INSTANTS):
            if wait(self._options.interval_s / INSTANTS):
                return None
            self._reader.sample(states)
        return self._document(earlier, self._reader.read(), states)

    def _document(self, earlier: Reading, later: Reading, states: SampledStates) -> TopResult:
        pid, missing = self._options.pid, self._missing
        if self.functions.reason is not None and not self.functions.functions:
            missing += (Missing(part="functions", reason=self.functions.reason),)
        target = None
        if pid is not None:
            name = read_text(self._roots.proc / str(pid) / "comm", 64)
            if name is None or not later.threads:
                raise TargetError(f"process {pid} has ended", "name a process that runs")
            target = (pid, name)
        return snapshot(
            self._reader,
            earlier,
            later,
            states,
            Context(
                target=target,
                functions=self.functions.functions,
                missing=missing,
                cpu_share=self._cpu_share(earlier, later),
            ),
        )

    def _cpu_share(self, earlier: Reading, later: Reading) -> float:
        """Return the CPU time of the view and its recordings since it began, without the start."""
        self._first = self._first or earlier
        spent_s = later.own_cpu_s - self._first.own_cpu_s
        return min(1.0, spent_s / max(later.at_s - self._first.at_s, 1e-9))


def slots_missing(roots: Roots) -> Missing:
    """Return why there are no pipeline slots in the view."""
    devices = names_in(roots.sys / "bus/event_source/devices")
    if any(name.startswith(("cpu", "armv8")) for name in devices):
        reason = "not counted by this view: stallscope topdown -p PID counts them"
    else:
        reason = "no hardware counters on this machine; the shares above are their substitute"
    return Missing(part="slots and IPC", reason=reason)


def run_top(options: TopOptions) -> int:
    """Return the exit code after the view was closed, or the snapshot printed."""
    roots = Roots()
    check_target(options.pid, roots)
    watch = Watch(options, roots)
    try:
        if options.once or options.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            return _one_snapshot(watch, options)
        from harness.top.view import run_view  # noqa: PLC0415 - rich is for terminals only

        return run_view(watch, options)
    finally:
        watch.functions.close()


def _one_snapshot(watch: Watch, options: TopOptions) -> int:
    watch.functions.poll(time.monotonic())
    watch.functions.finish()
    result = watch.next(_wait)
    assert result is not None
    if options.as_json:
        click.echo(document_text(result))
    else:
        for line in lines(result, width()):
            click.echo(line)
    return int(ExitCode.DONE)


def _wait(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def write_page(options: TopOptions) -> str:
    """Record the target for 5 s and return the path of the page, or why there is none."""
    name = "machine" if options.pid is None else str(options.pid)
    directory = options.directory / default_directory(f"top-{name}")
    target = ["profile", "-a"] if options.pid is None else ["waits", "-p", str(options.pid)]
    command = [sys.executable, "-m", "stallscope", *target, "-d", str(PAGE_DURATION_S)]
    command += options.places.words()
    ended = subprocess.run(
        [*command, "-o", str(directory)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    page = directory / "report.html"
    if page.exists():
        open_page(page)
        return f"page: {printable(str(page))}"
    errors = [line for line in ended.stderr.splitlines() if "error:" in line]
    return f"no page: {printable((errors or [f'status {ended.returncode}'])[-1])}"


def open_page(page: Path) -> None:
    """Open the page in a browser, if there is a graphical session."""
    import os  # noqa: PLC0415
    import shutil  # noqa: PLC0415

    opener = shutil.which("xdg-open")
    if opener and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        subprocess.Popen(
            [opener, str(page)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
