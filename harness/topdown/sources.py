"""The sources of slots: hardware counters, the model, a recording, or samples without counters."""

from dataclasses import dataclass, replace

from harness.cli.recording_options import TargetChoice
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import LiveLine, note, warn
from harness.machine_checks.check import Check, Status
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from harness.topdown.counting import CountingBackend, count_slots
from harness.topdown.interval_follower import OnSlice
from harness.topdown.options import SlotSource, TopdownOptions
from harness.topdown.run_outputs import (
    children_to_stderr,
    command_output,
    live_progress,
    recording_directory,
)
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError, UsageError
from stallscope.programs import FOLDER
from stallscope.recordings import open_recording
from stallscope.system_files import Roots
from topdown.slots.detection import model_named
from topdown.slots.measurement import Measurement

BY_SIMULATION = "stallscope topdown --source model -- CMD models a program's slots by simulation"


@dataclass(frozen=True, slots=True)
class TopdownRun:
    """A measurement and the exit code of the command."""

    measurement: Measurement
    exit_code: int = 0


def measure_slots(
    options: TopdownOptions,
    on_slice: OnSlice,
    backend: CountingBackend = CountingBackend(),  # noqa: B008 - immutable
) -> TopdownRun:
    """Return the requested measurement.

    Without counters, ``auto`` observes a process or command by samples and kernel counters; it
    never chooses the model. Raises UnableError if no source is available.
    """
    if options.source is SlotSource.RECORDING:
        return _recorded(options, on_slice)
    if options.source is SlotSource.MODEL:
        return _modelled(options)
    if options.cpu:
        model_named(options.cpu)  # an unknown model is refused, with or without counters
    check = pmu_check(backend.roots)
    if check.status is not Status.UNAVAILABLE:
        return TopdownRun(*count_slots(options, on_slice, backend))
    if options.source is SlotSource.PMU or not _observable(options.choice):
        raise UnableError(check.detail, _remedy(check, options))
    return _observed(options, check)


def pmu_check(roots: Roots) -> Check:
    """Return the check of hardware counters by `stallscope doctor`."""
    from harness.machine_checks.events import check_pmu  # noqa: PLC0415 - runs the collector
    from harness.machine_checks.machine import gather  # noqa: PLC0415

    return check_pmu(gather(roots, FOLDER / "stallscope-collect"))


def _recorded(options: TopdownOptions, on_slice: OnSlice) -> TopdownRun:
    """Return the measurement in a recording of counters, from this host or another one."""
    from topdown.slots.counting.analysis import measurement_of  # noqa: PLC0415 - loads numpy
    from topdown.slots.counting.counting_run import is_counters_recording, read_counting_run  # noqa: PLC0415

    assert options.file is not None
    if not is_counters_recording(options.file):
        raise UsageError(
            f"{options.file} is not a recording of counters",
            "name a directory written by stallscope topdown -o, or a file of counts",
        )
    run = read_counting_run(options.file, cpu=options.cpu)
    measurement = measurement_of([run], interval_ms=options.interval_ms)
    for time_slice in measurement.slices:
        on_slice(time_slice, measurement)
    return TopdownRun(measurement)


def _modelled(options: TopdownOptions) -> TopdownRun:
    from topdown.slots.modelled.command import (  # noqa: PLC0415 - loads the simulation
        TIMEOUT_S,
        ModelledMachine,
        measure_command,
    )

    assert options.choice is not None
    line = LiveLine()
    try:
        with children_to_stderr(options.form):
            return TopdownRun(
                measure_command(
                    options.choice.command,
                    on_progress=line.show,
                    on_note=note,
                    timeout_s=options.model_timeout_s or TIMEOUT_S,
                    machine=ModelledMachine(cpu=options.cpu),
                )
            )
    finally:
        line.clear()


def _observable(choice: TargetChoice | None) -> bool:
    return choice is not None and bool(choice.pids or choice.command)


def _remedy(check: Check, options: TopdownOptions) -> str:
    remedies = [check.remedy] if check.remedy else []
    if options.choice is not None and options.choice.command:
        remedies.append(BY_SIMULATION)
    elif options.source is SlotSource.PMU and _observable(options.choice):
        remedies.append("--source auto reports samples and kernel counters")
    remedies.append("stallscope profile samples CPU time")
    return "; or: ".join(remedies)


def _counting_options(options: TopdownOptions) -> tuple[str, ...]:
    """Return the set options that only counting supports."""
    is_set = {
        "-I": options.interval_ms is not None,
        "--repeat": options.runs > 1,
        "--drill": options.drill,
        "--no-multiplex": not options.multiplex,
        "-e": bool(options.events),
        "--cpu": bool(options.cpu),
    }
    return tuple(option for option, value in is_set.items() if value)


def _observed(options: TopdownOptions, check: Check) -> TopdownRun:
    """Return samples and kernel counters of a process or command."""
    from topdown.slots.without_pmu.observation import observe  # noqa: PLC0415 - loads numpy

    assert options.choice is not None
    note("no hardware counters: samples and kernel counters are reported instead of slots")
    for option in _counting_options(options):
        warn(f"{option} has no effect without hardware counters")
    if options.picture:
        warn(f"-o {options.output} is not written: a picture needs counted intervals")
    before = settings_now() if options.directory is not None else None
    with recording_directory(options.directory) as directory, live_progress(options) as follow:
        collector_options = CollectorOptions(
            output=directory,
            pids=options.choice.pids,
            command=options.choice.command,
            duration_s=options.choice.duration_s,
            force=options.force,
        )
        observation = observe(collector_options, follow, command_output(options.form))
        keep_settings(directory, before)
        manifest = open_recording(directory).manifest
    assert manifest is not None
    explain(manifest, observation.outcome, kept=options.directory is not None)
    measurement = observation.measurement()
    measurement = replace(measurement, warnings=(*measurement.warnings, check.detail))
    note(f"to obtain slots: {_remedy(check, options)}")
    return TopdownRun(measurement, exit_code(manifest, observation.outcome))
