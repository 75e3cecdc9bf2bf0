"""Counters of the server, or of the program that stresses a disk, in the measured time of a run."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from harness.labs.storm.plan import setting_text
from harness.topdown.phase_counts import (
    PhaseCounting,
    PhaseCounts,
    PhaseEvents,
    counted_phases,
    phase_events,
)
from ioprobe.engine.process import PhaseObserver
from ioprobe.storm import StormRun
from stallscope.errors import StallscopeError


@dataclass(slots=True)
class StormCounters:
    """The counts of the first counted run of each setting, and reasons why others have none."""

    by_setting: dict[str, PhaseCounts] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    events: PhaseEvents | None = None

    @contextmanager
    def of_server(self, run: StormRun, pid: int) -> Iterator[int | None]:
        """Yield the descriptor for the loader's marks, None if the server cannot be counted.

        The loader must have ended before the end of the block.
        """
        with ExitStack() as stack:
            counting = self._opened(stack, pid, None)
            yield None if counting is None else counting.marks
            self._finish(counting, (run,))

    @contextmanager
    def of_program(self, runs: Sequence[StormRun]) -> Iterator[PhaseObserver]:
        """Yield the observer of a program that makes these runs; it must have ended by the end."""
        sockets = socket.socketpair()
        countings: list[PhaseCounting | None] = []
        with ExitStack() as stack:
            for end in sockets:
                stack.callback(end.close)

            def start(pid: int) -> None:
                countings.append(self._opened(stack, pid, sockets))

            yield PhaseObserver(sockets[0].fileno(), start)
            for counting in countings:
                self._finish(counting, runs)

    def _opened(
        self,
        stack: ExitStack,
        pid: int,
        sockets: tuple[socket.socket, socket.socket] | None,
    ) -> PhaseCounting | None:
        try:
            self.events = self.events or phase_events()
            return stack.enter_context(counted_phases(self.events, (pid,), sockets))
        except StallscopeError as error:
            self.failures.append(error.message)
            return None

    def _finish(self, counting: PhaseCounting | None, runs: Sequence[StormRun]) -> None:
        if counting is None:
            return
        try:
            phases = counting.finish()
        except StallscopeError as error:
            self.failures.append(error.message)
            return
        if len(phases) == len(runs):  # else the storm ended early
            for run, counts in zip(runs, phases, strict=True):
                self.by_setting.setdefault(setting_text(run.setting), counts)

    def warnings(self) -> list[str]:
        """Return the reasons why runs have no counters."""
        return [f"not counted: {text}" for text in dict.fromkeys(self.failures)]
