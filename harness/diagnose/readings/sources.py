"""Reads the kernel's counters from /proc and sysfs, of this machine or of a recorded one.

A reading takes about 1 ms, and one with sleep states and frequencies 0.1 ms more per CPU.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from cstates.frequency import read_frequency
from cstates.idle.states import read_idle_machine
from cstates.sysfs import online_cpus
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
from ioprobe.block_queue.devices import read_stack
from ioprobe.block_queue.location import find_location
from ioprobe.block_queue.queue import DeviceKind
from stallscope.cpu_lists import cpus_in_list
from stallscope.host import first_cpu, virtualization
from stallscope.machine_time import read_machine_time
from stallscope.pressure import RESOURCES, read_pressure
from stallscope.printable import printable
from stallscope.system_files import Roots, names_in, numbers_in, read_integer, read_text

MAX_PROCESSES = 64
MAX_DISKS = 64
_MAX_CGROUPS = 8
_MAX_THREADS = 64  # of a process, whose CPUs are read
_DISK_FIELDS = 11
_MEMORY_FIELDS = frozenset(
    (
        "pgmajfault",
        "pswpin",
        "pswpout",
        "pgscan_direct",
        "workingset_refault_anon",
        "workingset_refault_file",
        "numa_hint_faults",
        "numa_hint_faults_local",
        "numa_pages_migrated",
        "numa_miss",
    )
)


def read_header(
    roots: Roots, path: Path | None = None, *, counters_missing: str = ""
) -> ReadingsHeader:
    """Return what does not change during a recording; UsageError if ``path`` does not exist."""
    cpus = tuple(sorted(online_cpus(roots)))
    machine = read_idle_machine(roots, cpus[:1])
    frequency = read_frequency(roots, cpus)
    governor = next((policy.governor for policy in frequency.policies), None)
    disks, missing = ((), None) if path is None else _disks_of(path, roots)
    return ReadingsHeader(
        cpus=len(cpus),
        nodes=max(1, len(numbers_in(roots.sys / "devices" / "system" / "node", "node"))),
        idle_driver=machine.driver,
        idle_governor=machine.governor,
        idle_missing=machine.missing,
        frequency_governor=governor,
        frequency_missing=frequency.missing,
        hypervisor=virtualization(roots, first_cpu(roots)),
        path=None if path is None else printable(str(path)),
        path_disks=disks,
        path_missing=missing,
        swap_devices=_swap_devices(roots),
        counters_missing=counters_missing or None,
        recorder_pid=os.getpid(),
    )


def _disks_of(path: Path, roots: Roots) -> tuple[tuple[str, ...], str | None]:
    """Return the whole disks of a directory, and why there are none."""
    location = find_location(path, roots)
    devices = read_stack(location.numbers, roots)
    names = [device.name for device in devices if device.kind is not DeviceKind.PARTITION]
    return tuple(map(printable, names)), location.missing


def _swap_devices(roots: Roots) -> tuple[str, ...]:
    lines = (read_text(roots.proc / "swaps") or "").splitlines()[1:]
    return tuple(printable(line.split()[0]) for line in lines if line.split())


def read_reading(roots: Roots, pids: tuple[int, ...], *, with_cpus: bool) -> MachineReading:
    """Return all counters now; ``with_cpus``: also sleep states and frequencies."""
    time_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    ticks = read_machine_time(roots.proc)
    processes = tuple(_with_children(pids, roots))
    return MachineReading(
        monotonic_ns=time_ns,
        cpu=None
        if ticks is None
        else CpuTicks(all=ticks.all, idle=ticks.idle, stolen=ticks.stolen, iowait=ticks.iowait),
        disks=tuple(_disks(roots)),
        memory=_memory(roots),
        pressures_us=_pressures(roots),
        cgroups=tuple(_cgroups(processes, roots)),
        processes=tuple(_processes(processes, roots, with_cpus=with_cpus)),
        idle=_idle(roots) if with_cpus else None,
        frequencies=_frequencies(roots) if with_cpus else None,
        hot_ms=_hot_ms(roots) if with_cpus else None,
    )


def _with_children(pids: tuple[int, ...], roots: Roots) -> Iterator[int]:
    """Yield processes and their descendants, at most MAX_PROCESSES."""
    pending = list(pids)
    seen: set[int] = set()
    while pending and len(seen) < MAX_PROCESSES:
        pid = pending.pop(0)
        if pid in seen:
            continue
        seen.add(pid)
        yield pid
        children = read_text(roots.proc / str(pid) / "task" / str(pid) / "children") or ""
        pending += [int(word) for word in children.split() if word.isdecimal()]


def _disks(roots: Roots) -> Iterator[DiskTotals]:
    """Yield the disks that have completed a request; partitions count with their disk."""
    for name in names_in(roots.sys / "block")[:MAX_DISKS]:
        words = (read_text(roots.sys / "block" / name / "stat", 4096) or "").split()
        if len(words) < _DISK_FIELDS or not all(word.isdecimal() for word in words):
            continue
        values = [int(word) for word in words]
        if values[0] or values[4]:
            yield DiskTotals(
                name=printable(name.replace("!", "/")),
                reads=values[0],
                read_ms=values[3],
                writes=values[4],
                write_ms=values[7],
                in_flight=values[8],
                busy_ms=values[9],
                queue_ms=values[10],
            )


def _memory(roots: Roots) -> dict[str, int]:
    values = {}
    for line in (read_text(roots.proc / "vmstat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name in _MEMORY_FIELDS and value.isdecimal():
            values[name] = int(value)
    return values


def _pressures(roots: Roots) -> dict[str, int]:
    values = {}
    for resource in RESOURCES:
        for scope in ("some", "full"):
            pressure = read_pressure(resource, scope, roots)
            if pressure is not None:
                values[f"{resource}.{scope}"] = pressure.total_us
    return values


def _cgroups(pids: tuple[int, ...], roots: Roots) -> Iterator[CgroupCounters]:
    """Yield the different cgroups of processes that count throttled periods."""
    seen: set[Path] = set()
    for pid in pids:
        for folder, path in _cgroup_folders(pid, roots):
            if folder in seen or len(seen) >= _MAX_CGROUPS:
                continue
            seen.add(folder)
            fields = _fields(read_text(folder / "cpu.stat", 4096) or "")
            if "nr_periods" in fields:
                throttled_us = fields.get("throttled_usec", fields.get("throttled_time", 0) // 1000)
                yield CgroupCounters(
                    path=printable(path),
                    periods=fields["nr_periods"],
                    throttled_periods=fields.get("nr_throttled", 0),
                    throttled_us=throttled_us,
                )


def _cgroup_folders(pid: int, roots: Roots) -> Iterator[tuple[Path, str]]:
    """Yield the folders of a process's CPU controller: those of version 2, and of version 1."""
    root = roots.sys / "fs" / "cgroup"
    for line in (read_text(roots.proc / str(pid) / "cgroup", 65536) or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        inside = path.lstrip("/")
        if ".." in Path(inside).parts:  # outside of this cgroup namespace
            continue
        if not controllers:
            yield root / inside, path
            yield root / "unified" / inside, path
        elif "cpu" in controllers.split(","):
            yield root / "cpu" / inside, path


def _fields(text: str) -> dict[str, int]:
    pairs = (line.partition(" ") for line in text.splitlines())
    return {name: int(value) for name, _, value in pairs if value.isdecimal()}


def _processes(
    pids: tuple[int, ...], roots: Roots, *, with_cpus: bool
) -> Iterator[ProcessCounters]:
    for pid in pids:
        # The name in parentheses may contain anything; the fields after it are numbers.
        _, _, rest = (read_text(roots.proc / str(pid) / "stat", 4096) or "").rpartition(")")
        words = rest.split()
        if len(words) > 10 and words[7].isdecimal() and words[9].isdecimal():
            yield ProcessCounters(
                pid=pid,
                minor_faults=int(words[7]),
                major_faults=int(words[9]),
                fewest_cpus=_fewest_cpus(roots.proc / str(pid) / "task") if with_cpus else None,
            )


def _fewest_cpus(tasks: Path) -> int | None:
    """Return the smallest number of CPUs on which a thread may run; None if not known."""
    numbers = []
    for tid in numbers_in(tasks, "")[:_MAX_THREADS]:
        status = read_text(tasks / str(tid) / "status", 8192) or ""
        _, _, rest = status.partition("\nCpus_allowed_list:")
        numbers.append(len(cpus_in_list(rest.partition("\n")[0])))
    return min(filter(None, numbers), default=None)


def _idle(roots: Roots) -> tuple[IdleCounters, ...]:
    """Return the counters of each state, summed over the CPUs that have it."""
    states: dict[str, IdleCounters] = {}
    for cpu in read_idle_machine(roots, tuple(sorted(online_cpus(roots)))).cpus:
        for state in cpu.states:
            before = states.get(state.name)
            states[state.name] = IdleCounters(
                name=printable(state.name),
                exit_latency_us=state.exit_latency_us,
                usage=(state.usage or 0) + (before.usage if before else 0),
                time_us=(state.time_us or 0) + (before.time_us if before else 0),
                above=(state.above or 0) + (before.above if before else 0),
                below=(state.below or 0) + (before.below if before else 0),
            )
    return tuple(states.values())


def _frequencies(roots: Roots) -> tuple[FrequencyReading, ...]:
    frequency = read_frequency(roots, tuple(sorted(online_cpus(roots))))
    return tuple(
        FrequencyReading(
            policy=policy.name,
            cpus=policy.cpus,
            current_khz=policy.current_khz,
            max_khz=policy.max_khz,
            base_khz=policy.base_khz,
            hardware_max_khz=policy.hardware_max_khz,
        )
        for policy in frequency.policies
    )


def _hot_ms(roots: Roots) -> int | None:
    """Return the sum of the times in which CPUs were slowed down; None if not reported."""
    folder = roots.sys / "devices" / "system" / "cpu"
    times = [
        read_integer(folder / f"cpu{cpu}" / "thermal_throttle" / "core_throttle_total_time_ms")
        for cpu in sorted(online_cpus(roots))
    ]
    known = [time for time in times if time is not None and time >= 0]
    return sum(known) if known else None
