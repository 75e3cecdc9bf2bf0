"""One `stallscope cstates latency`: rounds of stallscope-wake with sleep states open and closed."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cstates.held_limit import held_limit
from cstates.idle.states import read_idle_machine
from cstates.latency_limit import read_global_limit
from cstates.pinning.effects import STAND_STILL, entries_by_name, grown
from cstates.pinning.request import PinRequest
from cstates.pinning.session import Listener, Place
from cstates.wake_latency import (
    Setting,
    WakeResult,
    WakeSample,
    WakeTest,
    gather,
    order,
    settings,
)
from harness.cli.terminal import LiveLine
from harness.pin.quiet_runs import run_quietly
from harness.workload.process import exit_error, parse_json_line, running_program
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError
from stallscope.histograms import read_interval_log
from stallscope.programs import program

PROGRAM = "stallscope-wake"


@dataclass(frozen=True, slots=True)
class LatencyRequest:
    """What was asked."""

    tests: tuple[WakeTest, ...]
    cpus: tuple[int, ...]  # the processes', in their order
    rounds: int
    seconds: float  # of each run

    def cpus_of(self, test: WakeTest) -> tuple[int, ...]:
        """Return the CPUs that a test's processes run on, sorted, each once."""
        return tuple(sorted(set(self.cpus[: test.processes])))


@dataclass(frozen=True, slots=True)
class LatencyOutcome:
    """What was measured; ``notes`` to be told."""

    request: LatencyRequest
    results: tuple[WakeResult, ...]
    notes: tuple[str, ...] = ()


def measure(place: Place, request: LatencyRequest) -> LatencyOutcome:
    """Return what all rounds measured; states are closed only while a run of theirs lasts.

    On a recorded machine the settings are its own, and what wakes up is this one.
    """
    machine = read_idle_machine(place.roots, tuple(sorted(set(request.cpus))))
    compared = settings(machine.cpus, read_global_limit(place.roots).limit_us)
    if len(compared) < 2:
        why = machine.missing or "one sleep state is open on these CPUs"
        raise UnableError(
            f"there is nothing to compare: {why}", "on this machine no state can be closed"
        )
    session = _Session(place, request)
    if not place.roots.is_live:
        session.notes[f"{STAND_STILL}; what woke up is this one"] = None
    return LatencyOutcome(request, gather(session.samples(compared)), tuple(session.notes))


@dataclass(slots=True)
class _Session:
    """Runs each test under each setting, and keeps what pins say, each once."""

    place: Place
    request: LatencyRequest
    notes: dict[str, None] = field(default_factory=dict)

    def samples(self, compared: Sequence[Setting]) -> list[WakeSample]:
        """Return the samples of all rounds, in order of time."""
        line = LiveLine()
        found: list[WakeSample] = []
        try:
            for number, turn in enumerate(order(compared, self.request.rounds), 1):
                done = f"round {number} of {self.request.rounds}"
                for test in self.request.tests:
                    for setting in turn:
                        line.show(f"{done}: {test.name}, {setting.name}")
                        found.append(self._sample(test, setting))
        finally:
            line.clear()
        return found

    def _sample(self, test: WakeTest, setting: Setting) -> WakeSample:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "wake.hlog"
            words = self._words(test, log)
            by_file = setting.closed and setting.limit_us is None
            run = self._pinned if by_file else self._limited
            entries = run(setting, words, self.request.cpus_of(test))
            found = read_interval_log(log).merged()
        if found is None or not found.total:
            raise UnableError(
                f"{test.name}: not one wake-up in {self.request.seconds:g} s",
                "give it more --seconds",
            )
        return WakeSample(test, setting, found, entries, len(self.request.cpus_of(test)))

    def _limited(
        self, setting: Setting, words: Sequence[str], cpus: tuple[int, ...]
    ) -> dict[str, int]:
        """Return these CPUs' entries of a run under a limit that is held, or as it is."""
        with held_limit(self.place.roots, setting.limit_us):
            before = entries_by_name(self.place.roots, cpus)
            with running_program(PROGRAM, words) as child:
                line = child.stdout.readline()
                child.process.wait()
                if child.process.returncode:
                    raise exit_error(child)
                parse_json_line(line, PROGRAM)  # whole, and of this version
            after = entries_by_name(self.place.roots, cpus)
        return grown(before, after)

    def _pinned(
        self, setting: Setting, words: Sequence[str], cpus: tuple[int, ...]
    ) -> dict[str, int]:
        """Return these CPUs' entries of a run with states closed by their files."""
        asked = PinRequest(cpus=format_cpu_list(cpus), states=setting.left_open)
        said = Listener(
            lambda plan: self.notes.update(dict.fromkeys(plan.warnings)),
            lambda text: self.notes.update({f"{setting.name}: {text}": None}),
        )
        before = entries_by_name(self.place.roots, cpus)
        result = run_quietly(self.place, asked, (str(program(PROGRAM)), *words), to=said)
        if result.status:
            raise UnableError(
                f"{PROGRAM} failed under {setting.name!r} (status {result.status})",
                "its message is above",
            )
        return grown(before, entries_by_name(self.place.roots, cpus))

    def _words(self, test: WakeTest, log: Path) -> tuple[str, ...]:
        words = ["--kind", test.kind, "--think-us", f"{test.think_us:g}", "-o", str(log)]
        words += ["--processes", str(max(2, test.processes))]
        words += ["--duration", f"{self.request.seconds:g}"]
        if self.place.roots.is_live:
            words += ["--cpus", ",".join(map(str, self.request.cpus))]
        return tuple(words)
