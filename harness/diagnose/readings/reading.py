"""One reading of the kernel's counters; a source that this machine lacks is None or empty.

Counters rise since boot, so that two readings give an interval.
"""

from typing import Literal

from stallscope.documents import Count, Record


class CpuTicks(Record, frozen=True, kw_only=True):
    """Clock ticks of all CPUs together, from /proc/stat."""

    all: Count
    idle: Count
    stolen: Count
    iowait: Count


class DiskTotals(Record, frozen=True, kw_only=True):
    """Counters of a whole disk (Documentation/admin-guide/iostats.rst), times in ms."""

    name: str
    reads: Count
    read_ms: Count
    writes: Count
    write_ms: Count
    busy_ms: Count
    queue_ms: Count  # grows by the number of requests in flight per ms
    in_flight: Count  # at this moment


class IdleCounters(Record, frozen=True, kw_only=True):
    """Counters of a sleep state, summed over the CPUs; latencies as the driver declares them."""

    name: str
    exit_latency_us: Count | None
    usage: Count
    time_us: Count
    above: Count  # entries that were too deep
    below: Count  # entries that were too shallow


class FrequencyReading(Record, frozen=True, kw_only=True):
    """Frequencies of the CPUs of a policy, in kHz; None if the driver does not report them."""

    policy: str
    cpus: tuple[Count, ...]
    current_khz: Count | None
    max_khz: Count | None  # the configured limit
    base_khz: Count | None  # without turbo
    hardware_max_khz: Count | None


class CgroupCounters(Record, frozen=True, kw_only=True):
    """Counters of the cgroup that limits the target's CPU time, from its cpu.stat."""

    path: str
    periods: Count
    throttled_periods: Count
    throttled_us: Count


class ProcessCounters(Record, frozen=True, kw_only=True):
    """Page faults of a process of the target.

    ``fewest_cpus``: the smallest number of CPUs on which one of its first threads may run; None in
    readings without sleep states.
    """

    pid: Count
    minor_faults: Count
    major_faults: Count
    fewest_cpus: Count | None = None


class MachineReading(Record, frozen=True, kw_only=True):
    """All counters at one moment of CLOCK_MONOTONIC.

    ``idle`` and ``frequencies`` are None in most readings, because they take many files on large
    machines. ``pressures_us``: stalled time by "cpu.some", "io.full", ... ``memory``: fields of
    /proc/vmstat. ``hot_ms``: time in which CPUs were slowed down because of heat.
    """

    monotonic_ns: Count
    cpu: CpuTicks | None
    disks: tuple[DiskTotals, ...]
    memory: dict[str, Count]
    pressures_us: dict[str, Count]
    cgroups: tuple[CgroupCounters, ...]
    processes: tuple[ProcessCounters, ...]
    idle: tuple[IdleCounters, ...] | None = None
    frequencies: tuple[FrequencyReading, ...] | None = None
    hot_ms: Count | None = None


class ReadingsHeader(Record, frozen=True, kw_only=True):
    """The first line of a file of readings.

    ``path_disks``: names of the disks of the directory of --path, from the top.
    """

    schema: Literal["stallscope.readings/1"] = "stallscope.readings/1"
    cpus: Count
    nodes: Count  # NUMA nodes
    idle_driver: str | None = None
    idle_governor: str | None = None
    idle_missing: str | None = None  # why there are no sleep states
    frequency_governor: str | None = None
    frequency_missing: str | None = None
    hypervisor: str | None = None
    path: str | None = None
    path_disks: tuple[str, ...] = ()
    path_missing: str | None = None  # why the directory is on no disk
    swap_devices: tuple[str, ...] = ()
    counters_missing: str | None = None  # why slots are not counted
    target_pids: tuple[Count, ...] = ()  # named, or that of the started command
    recorder_pid: Count | None = None  # the process that made the recording
