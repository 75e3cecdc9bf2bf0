"""Readings and activities of machines, for tests of rules."""

from typing import Any

from harness.diagnose.readings.activity import DiskActivity, MachineActivity, SleepActivity
from harness.diagnose.readings.reading import (
    CgroupCounters,
    CpuTicks,
    DiskTotals,
    FrequencyReading,
    IdleCounters,
    MachineReading,
    ProcessCounters,
    ReadingsHeader,
)

SECOND_NS = 1_000_000_000


def header(**changes: Any) -> ReadingsHeader:
    """Return the header of a machine with two CPUs."""
    return ReadingsHeader(**{"cpus": 2, "nodes": 1, **changes})


def machine(header_changes: dict[str, Any] | None = None, **changes: Any) -> MachineActivity:
    """Return the activity of ten seconds without anything."""
    values: dict[str, Any] = {
        "header": header(**(header_changes or {})),
        "seconds": 10.0,
        "readings": 21,
        **changes,
    }
    return MachineActivity(**values)


def disk(**changes: Any) -> DiskActivity:
    """Return a disk that served 1000 reads of 4 ms."""
    values: dict[str, Any] = {
        "name": "vda",
        "reads": 1000,
        "writes": 0,
        "mean_read_ms": 4.0,
        "mean_write_ms": None,
        "mean_in_flight": 1.0,
        "max_in_flight": 2,
        "busy_share": 0.4,
        **changes,
    }
    return DiskActivity(**values)


def state(name: str, entries: int, share: float, latency_us: int | None) -> SleepActivity:
    """Return a sleep state."""
    return SleepActivity(name, latency_us, entries, share, 0.0 if entries else None)


def reading(second: int, **changes: Any) -> MachineReading:
    """Return a reading whose counters have grown for some seconds."""
    values: dict[str, Any] = {
        "monotonic_ns": (100 + second) * SECOND_NS,
        "cpu": CpuTicks(all=200 * second, idle=100 * second, stolen=20 * second, iowait=0),
        "disks": (
            DiskTotals(
                name="vda",
                reads=100 + 50 * second,
                read_ms=200 * second,
                writes=10,
                write_ms=10,
                busy_ms=500 * second,
                queue_ms=8000 * second,
                in_flight=second,
            ),
        ),
        "memory": {"pgmajfault": 5 * second, "pswpin": 0},
        "pressures_us": {"io.some": 250_000 * second},
        "cgroups": (
            CgroupCounters(
                path="/limited", periods=10 * second, throttled_periods=4 * second, throttled_us=0
            ),
        ),
        "processes": (ProcessCounters(pid=7, minor_faults=100 * second, major_faults=second),),
        **changes,
    }
    return MachineReading(**values)


def idle(second: int) -> tuple[IdleCounters, ...]:
    """Return the counters of two states after some seconds."""
    return (
        IdleCounters(
            name="POLL", exit_latency_us=0, usage=second, time_us=second, above=0, below=0
        ),
        IdleCounters(
            name="C6",
            exit_latency_us=133,
            usage=100 * second,
            time_us=1_000_000 * second,
            above=25 * second,
            below=0,
        ),
    )


def frequency(policy: str, current_khz: int | None, **changes: Any) -> FrequencyReading:
    """Return the frequency of a policy of one CPU with a base of 2 GHz."""
    values: dict[str, Any] = {
        "policy": policy,
        "cpus": (int(policy.removeprefix("policy")),),
        "current_khz": current_khz,
        "max_khz": 3_000_000,
        "base_khz": 2_000_000,
        "hardware_max_khz": 3_000_000,
        **changes,
    }
    return FrequencyReading(**values)
