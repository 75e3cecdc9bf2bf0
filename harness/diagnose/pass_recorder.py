"""The recording of a target for a diagnosis: samples, waits, counters and readings in one pass."""

import resource
from dataclasses import dataclass
from typing import IO

from harness.diagnose.counters import CountersRecorder, why_no_counters
from harness.diagnose.modelled import model_slots
from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.path_probe import PathProbeRecorder
from harness.diagnose.readings.recorder import ReadingsRecorder
from harness.diagnose.readings.sources import read_header
from harness.profile.recorder import Companion, record
from stallscope.collector import CollectionEnd
from stallscope.recordings import Recording
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class PassCost:
    """CPU time of all recorders.

    ``with_command``: a collector started the target, so the time includes that of the target.
    """

    cpu_s: float
    with_command: bool
    failures: tuple[str, ...] = ()


def record_pass(
    options: DiagnoseOptions, command_output: IO[str] | None
) -> tuple[Recording, CollectionEnd, PassCost]:
    """Return the recording, how it ended, and what it cost."""
    collector = options.collector
    assert collector is not None
    roots = Roots()
    missing = why_no_counters(roots)
    header = read_header(roots, options.path, counters_missing=missing)
    readings = ReadingsRecorder(collector.output, header, roots)
    companions: list[Companion] = [readings]
    counters = None if missing else CountersRecorder(collector.output, roots)
    if counters is not None:
        companions.append(counters)
    probe = None
    if options.path is not None:
        disk = next(iter(header.path_disks), None)
        probe = PathProbeRecorder(collector.output, options.path, disk, roots)
        companions.append(probe)
    before_s = _children_s()
    recording, end = record(collector, command_output, companions=companions)
    cpu_s = _children_s() - before_s + readings.cpu_s + (probe.cpu_s if probe is not None else 0.0)
    failures = [readings.failure]
    failures += [recorder.failure for recorder in (counters, probe) if recorder is not None]
    if options.model and missing:
        failures.append(model_slots(collector.command, recording.path))
    cost = PassCost(cpu_s, bool(collector.command), tuple(text for text in failures if text))
    return recording, end, cost


def _children_s() -> float:
    """Return the CPU time of processes that have ended: the collectors, and a command if any."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
