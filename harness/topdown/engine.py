"""Taking a measurement of slots: which source is used, and what is done where there is none."""

from dataclasses import dataclass, replace

from harness.cli.recording_options import Choice
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import LiveLine, note, warn
from harness.machine_checks.check import Check, Status
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from harness.topdown.counting import Means, counted
from harness.topdown.follow import OnSlice
from harness.topdown.places import command_output, live_progress, own_output, recording_place
from harness.topdown.request import Request, Source
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError, UsageError
from stallscope.programs import FOLDER
from stallscope.recordings import open_recording
from stallscope.system_files import Roots
from topdown.slots.detection import model_named
from topdown.slots.measurement import Measurement

BY_SIMULATION = "stallscope topdown --source model -- CMD models a program's slots by simulation"


@dataclass(frozen=True, slots=True)
class Taken:
    """A measurement and the exit code of the command."""

    measurement: Measurement
    exit_code: int = 0


def take(asked: Request, on_slice: OnSlice, means: Means = Means()) -> Taken:  # noqa: B008 - immutable
    """Return the requested measurement.

    Without counters, ``auto`` observes a process or command by samples and kernel counters; it
    never chooses the model. Raises UnableError if no source is available.
    """
    if asked.source is Source.RECORDING:
        return _recorded(asked, on_slice)
    if asked.source is Source.MODEL:
        return _modelled(asked)
    if asked.cpu:
        model_named(asked.cpu)  # an unknown one is refused, counters or not
    check = pmu_check(means.roots)
    if check.status is not Status.UNAVAILABLE:
        return Taken(*counted(asked, on_slice, means))
    if asked.source is Source.PMU or not _observable(asked.choice):
        raise UnableError(check.detail, _remedy(check, asked))
    return _observed(asked, check)


def pmu_check(roots: Roots) -> Check:
    """Return what `stallscope doctor` says of hardware counters."""
    from harness.machine_checks.events import check_pmu  # noqa: PLC0415 - asks the collector for trials
    from harness.machine_checks.machine import gather  # noqa: PLC0415

    return check_pmu(gather(roots, FOLDER / "stallscope-collect"))


def _recorded(asked: Request, on_slice: OnSlice) -> Taken:
    """Return what a recording of counters holds, made here or on another host."""
    from topdown.slots.counting.analysis import measurement_of  # noqa: PLC0415 - loads numpy
    from topdown.slots.counting.counting_run import is_counters_recording, read_counting_run  # noqa: PLC0415

    assert asked.file is not None
    if not is_counters_recording(asked.file):
        raise UsageError(
            f"{asked.file} is no recording of counters",
            "name a directory that stallscope topdown -o made, or a file of counts",
        )
    run = read_counting_run(asked.file, cpu=asked.cpu)
    measurement = measurement_of([run], interval_ms=asked.interval_ms)
    for each in measurement.slices:
        on_slice(each, measurement)
    return Taken(measurement)


def _modelled(asked: Request) -> Taken:
    from topdown.slots.modelled.command import (  # noqa: PLC0415 - loads the simulation
        TIMEOUT_S,
        Machine,
        measure_command,
    )

    assert asked.choice is not None
    line = LiveLine()
    try:
        with own_output(asked.form):
            return Taken(
                measure_command(
                    asked.choice.command,
                    on_progress=line.show,
                    on_note=note,
                    timeout_s=asked.model_timeout_s or TIMEOUT_S,
                    machine=Machine(cpu=asked.cpu),
                )
            )
    finally:
        line.clear()


def _observable(choice: Choice | None) -> bool:
    return choice is not None and bool(choice.pids or choice.command)


def _remedy(check: Check, asked: Request) -> str:
    ways = [check.remedy] if check.remedy else []
    if asked.choice is not None and asked.choice.command:
        ways.append(BY_SIMULATION)
    elif asked.source is Source.PMU and _observable(asked.choice):
        ways.append("--source auto says what samples and kernel counters can")
    ways.append("stallscope profile samples where time goes")
    return "; or: ".join(ways)


def _of_counting(asked: Request) -> tuple[str, ...]:
    """Return the options that were given and that only counting knows."""
    given = {
        "-I": asked.interval_ms is not None,
        "--repeat": asked.runs > 1,
        "--drill": asked.drill,
        "--no-multiplex": not asked.multiplex,
        "-e": bool(asked.events),
        "--cpu": bool(asked.cpu),
    }
    return tuple(option for option, is_given in given.items() if is_given)


def _observed(asked: Request, check: Check) -> Taken:
    """Return samples and kernel counters of a process or command."""
    from topdown.slots.without_pmu.observation import observe  # noqa: PLC0415 - loads numpy

    assert asked.choice is not None
    if asked.picture:
        raise UnableError(
            f"-o {asked.output}: a picture needs counted intervals, and {check.detail}",
            _remedy(check, asked),
        )
    note("no hardware counters: samples and kernel counters are reported instead of slots")
    for option in _of_counting(asked):
        warn(f"{option} has no effect without hardware counters")
    before = settings_now() if asked.directory is not None else None
    with recording_place(asked.directory) as place, live_progress(asked) as follow:
        options = CollectorOptions(
            output=place,
            pids=asked.choice.pids,
            command=asked.choice.command,
            duration_s=asked.choice.duration_s,
            force=asked.force,
        )
        seen = observe(options, follow, command_output(asked.form))
        keep_settings(place, before)
        manifest = open_recording(place).manifest
    assert manifest is not None
    explain(manifest, seen.outcome, kept=asked.directory is not None)
    measurement = seen.measurement()
    measurement = replace(measurement, warnings=(*measurement.warnings, check.detail))
    note(f"to obtain slots: {_remedy(check, asked)}")
    return Taken(measurement, exit_code(manifest, seen.outcome))
