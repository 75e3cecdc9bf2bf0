"""Stages of a run: what each needs, how long it may take, and a schedule that cannot hang.

Stages of one lane run one after another, in the order of the list; lanes run side by side. A stage
that exceeds its time limit is reported with what it was running, all its processes are ended, and
it fails. The stages that need a failed one are not started.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from tools import processes

TAIL_LINES = 40
POLL_S = 0.1


@dataclass(frozen=True)
class Stage:
    """One step of a run. `needs` names stages that must have passed before it starts."""

    name: str
    command: tuple[str, ...]
    limit_s: float
    lane: str
    needs: tuple[str, ...] = ()
    niceness: int = 0
    stream: bool = False  # copy the output to stderr while the stage runs
    running: Callable[[str], list[str]] | None = None  # from the output to what has not ended


@dataclass
class _Run:
    """A started stage."""

    stage: Stage
    process: subprocess.Popen[bytes]
    mark: str
    log: Path
    begin: float
    output: IO[bytes]
    copied: int = 0
    cpu_s: float = 0.0


def say(text: str) -> None:
    """Write one line of progress to stderr."""
    sys.stderr.write(f"dev: {text}\n")
    sys.stderr.flush()


@dataclass
class Schedule:
    """Runs stages. `limit_s` bounds the whole run; logs go to `logs`/NAME.log."""

    stages: Sequence[Stage]
    logs: Path
    limit_s: float
    outcomes: dict[str, bool] = field(default_factory=dict)  # by stage: whether it passed
    took_s: dict[str, float] = field(default_factory=dict)
    cpu_s: dict[str, float] = field(
        default_factory=dict
    )  # of a stage and the processes it waited for
    _runs: dict[str, _Run] = field(default_factory=dict)
    _interrupted: bool = False

    def run(self) -> bool:
        """Run all stages; returns whether all passed."""
        self.logs.mkdir(parents=True, exist_ok=True)
        processes.adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        begin = time.monotonic()
        try:
            while len(self.outcomes) < len(self.stages) and not self._interrupted:
                self._skip_blocked()
                self._start_ready()
                time.sleep(POLL_S)
                processes.reap_orphans(self._roots())
                for run in list(self._runs.values()):
                    self._watch(run)
                if time.monotonic() - begin > self.limit_s:
                    self._exceed_total()
                    break
        finally:
            for run in list(self._runs.values()):
                self._end(run, passed=False)
        return not self._interrupted and all(
            self.outcomes.get(stage.name, False) for stage in self.stages
        )

    def _roots(self) -> set[int]:
        return {run.process.pid for run in self._runs.values()}

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._interrupted = True

    def _skip_blocked(self) -> None:
        for stage in self.stages:
            failed = [name for name in stage.needs if self.outcomes.get(name) is False]
            if stage.name not in self.outcomes and failed:
                say(f"{stage.name}: not started, because {failed[0]} failed")
                self.outcomes[stage.name] = False

    def _start_ready(self) -> None:
        busy = {run.stage.lane for run in self._runs.values()}
        for stage in self.stages:
            if stage.name in self.outcomes or stage.name in self._runs or stage.lane in busy:
                continue
            if all(self.outcomes.get(name, False) for name in stage.needs):
                busy.add(stage.lane)
                self._start(stage)

    def _start(self, stage: Stage) -> None:
        log = self.logs / f"{stage.name}.log"
        output = log.open("wb")
        mark = f"{stage.name}-{time.monotonic_ns()}"
        say(f"{stage.name} (log: {log})")
        process = processes.start(stage.command, mark, output, niceness=stage.niceness)
        self._runs[stage.name] = _Run(stage, process, mark, log, time.monotonic(), output)

    def _watch(self, run: _Run) -> None:
        self._copy(run)
        run.cpu_s += processes.poll_cpu_s(run.process) or 0.0
        status = run.process.returncode
        elapsed_s = time.monotonic() - run.begin
        if status is not None:
            if status != 0:
                how = f"signal {-status}" if status < 0 else f"exit status {status}"
                say(f"{run.stage.name}: failed with {how} after {elapsed_s:.0f} s")
                self._show_tail(run)
            self._end(run, passed=status == 0)
        elif elapsed_s > run.stage.limit_s:
            say(f"{run.stage.name}: exceeded its time limit of {run.stage.limit_s:.0f} s")
            self._show_running(run)
            self._end(run, passed=False)

    def _exceed_total(self) -> None:
        say(f"the run exceeded its time limit of {self.limit_s:.0f} s")
        for run in list(self._runs.values()):
            self._show_running(run)
            self._end(run, passed=False)

    def _show_running(self, run: _Run) -> None:
        text = run.log.read_text(errors="replace")
        if run.stage.running is not None:
            for name in run.stage.running(text):
                say(f"{run.stage.name}: was running: {name}")
        for process in processes.of_stage(run.mark, run.process.pid):
            say(f"{run.stage.name}: live process: {process.shortened()}")
        self._show_tail(run)

    def _show_tail(self, run: _Run) -> None:
        if not run.stage.stream:
            lines = run.log.read_text(errors="replace").splitlines()
            sys.stderr.write("".join(f"{line}\n" for line in lines[-TAIL_LINES:]))
            say(f"the whole log is {run.log}")

    def _copy(self, run: _Run) -> None:
        if run.stage.stream:
            with run.log.open("rb") as log:
                log.seek(run.copied)
                text = log.read()
            run.copied += len(text)
            sys.stderr.write(text.decode(errors="replace"))
            sys.stderr.flush()

    def _end(self, run: _Run, *, passed: bool) -> None:
        for process in processes.end_all(run.mark, run.process, other_roots=self._roots()):
            say(f"{run.stage.name}: cannot end process {process.shortened()}")
        self._copy(run)
        run.output.close()
        elapsed_s = time.monotonic() - run.begin
        self.took_s[run.stage.name] = elapsed_s
        self.cpu_s[run.stage.name] = run.cpu_s
        self.outcomes[run.stage.name] = passed
        del self._runs[run.stage.name]
        if passed:
            say(f"{run.stage.name}: passed in {elapsed_s:.0f} s, {run.cpu_s:.0f} s of CPU")
