"""A run of `stallscope cstates latency`: rounds of stallscope-wake with states open and closed."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cstates.idle.states import read_idle_machine
from cstates.latency_limit import held_limit, read_global_limit
from cstates.pinning.effects import CONSTANT_COUNTERS, entries_by_name, increases
from cstates.pinning.request import PinRequest
from cstates.pinning.session import PinContext, PinListener
from cstates.wake_latency import (
    WakeSample,
    WakeSetting,
    WakeTest,
    merge_samples,
    round_orders,
    wake_settings,
)
from harness.cli.terminal import LiveLine
from harness.cstates.latency.options import LatencyOptions
from harness.cstates.latency.result import LatencyResult, latency_result
from harness.pin.quiet_runs import run_quietly
from harness.workload.process import decode_line, exit_error, running_program
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError
from stallscope.histograms import read_interval_log
from stallscope.programs import program

PROGRAM = "stallscope-wake"


def measure(context: PinContext, options: LatencyOptions) -> LatencyResult:
    """Return the result of all rounds; states are closed only during their own runs.

    With a recorded machine the settings are that machine's, and the wake-ups are this machine's.
    """
    machine = read_idle_machine(context.roots, tuple(sorted(set(options.cpus))))
    settings = wake_settings(machine.cpus, read_global_limit(context.roots).limit_us)
    if len(settings) < 2:
        reason = machine.missing or "one sleep state is open on these CPUs"
        raise UnableError(
            f"no setting to compare with: {reason}", "no state can be closed on this machine"
        )
    session = _Session(context, options)
    if not context.roots.is_live:
        session.notes[f"{CONSTANT_COUNTERS}; the wake-ups are this machine's"] = None
    samples = session.samples(settings)
    return latency_result(options, merge_samples(samples), tuple(session.notes))


@dataclass(slots=True)
class _Session:
    """Runs each test under each setting; ``notes`` has the messages of pins, each once."""

    context: PinContext
    options: LatencyOptions
    notes: dict[str, None] = field(default_factory=dict)

    def samples(self, settings: Sequence[WakeSetting]) -> list[WakeSample]:
        """Return the samples of all rounds, in order of time."""
        line = LiveLine()
        samples: list[WakeSample] = []
        runs = self.options.rounds * len(self.options.tests) * len(settings)
        try:
            for number, order in enumerate(round_orders(settings, self.options.rounds), 1):
                progress = f"round {number} of {self.options.rounds}"
                for test in self.options.tests:
                    for setting in order:
                        text = f"{progress}: {test.name}, {setting.name}"
                        line.show(text, done=len(samples), whole=runs)
                        samples.append(self._sample(test, setting))
        finally:
            line.clear()
        return samples

    def _sample(self, test: WakeTest, setting: WakeSetting) -> WakeSample:
        cpus = self.options.cpus_of(test)
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "wake.hlog"
            arguments = self._arguments(test, log)
            closed_by_file = setting.closed and setting.limit_us is None
            run = self._run_pinned if closed_by_file else self._run_limited
            entries = run(setting, arguments, cpus)
            latencies = read_interval_log(log).merged()
        if latencies is None or not latencies.total:
            raise UnableError(
                f"{test.name}: no wake-up in {self.options.seconds:g} s", "increase --seconds"
            )
        return WakeSample(test, setting, latencies, entries, len(cpus))

    def _run_limited(
        self, setting: WakeSetting, arguments: Sequence[str], cpus: tuple[int, ...]
    ) -> dict[str, int]:
        """Return these CPUs' state entries during a run, under the setting's limit, if any."""
        with held_limit(self.context.roots, setting.limit_us):
            before = entries_by_name(self.context.roots, cpus)
            with running_program(PROGRAM, arguments) as child:
                line = child.stdout.readline()
                child.process.wait()
                if child.process.returncode:
                    raise exit_error(child)
                decode_line(line, dict[str, object], PROGRAM)  # complete, and of this version
            after = entries_by_name(self.context.roots, cpus)
        return increases(before, after)

    def _run_pinned(
        self, setting: WakeSetting, arguments: Sequence[str], cpus: tuple[int, ...]
    ) -> dict[str, int]:
        """Return these CPUs' state entries during a run with states closed by their files."""
        request = PinRequest(cpus=format_cpu_list(cpus), states=setting.left_open)
        listener = PinListener(
            lambda plan: self.notes.update(dict.fromkeys(plan.warnings)),
            lambda text: self.notes.update({f"{setting.name}: {text}": None}),
        )
        before = entries_by_name(self.context.roots, cpus)
        command = (str(program(PROGRAM)), *arguments)
        run = run_quietly(self.context, request, command, listener=listener)
        if run.status:
            raise UnableError(
                f"{PROGRAM} failed under {setting.name!r} (status {run.status})",
                "its message is above",
            )
        return increases(before, entries_by_name(self.context.roots, cpus))

    def _arguments(self, test: WakeTest, log: Path) -> tuple[str, ...]:
        arguments = ["--kind", test.kind, "--think-us", f"{test.think_us:g}", "-o", str(log)]
        arguments += ["--processes", str(max(2, test.processes))]
        arguments += ["--duration", f"{self.options.seconds:g}"]
        if self.context.roots.is_live:
            arguments += ["--cpus", ",".join(map(str, self.options.cpus))]
        return tuple(arguments)
