"""The document of an interval, made of two readings and the sampled states."""

from dataclasses import dataclass

from harness.top.readings import (
    MAX_CPUS,
    UNREADABLE,
    DiskCounters,
    Reader,
    Reading,
    SampledStates,
)
from harness.top.result import (
    DiskRow,
    FunctionShare,
    IdleShare,
    Missing,
    RunQueue,
    TopResult,
    WaitShare,
)
from harness.top.verdict import verdict

_KINDS = {
    "user": "user code",
    "nice": "user code",
    "system": "kernel",
    "irq": "interrupts",
    "softirq": "interrupts",
    "steal": "stolen by the hypervisor",
    "iowait": "idle, disk in flight",
    "idle": "idle",
}


@dataclass(frozen=True, slots=True)
class Context:
    """What does not come from the readings: id and name of the process, functions, own cost.

    ``missing``: parts that are known to be missing beforehand.
    """

    target: tuple[int, str] | None
    functions: tuple[FunctionShare, ...]
    missing: tuple[Missing, ...]
    cpu_share: float


def snapshot(
    reader: Reader,
    earlier: Reading,
    later: Reading,
    states: SampledStates,
    context: Context,
) -> TopResult:
    """Return the document of the interval between two readings."""
    target = context.target
    seconds = max(later.at_s - earlier.at_s, 1e-9)
    queue = _run_queue(reader, earlier, later, seconds)
    waits = _thread_shares(earlier, later, states) if target else _cpu_shares(earlier, later)
    disks = _disks(earlier, later, seconds)
    gaps = list(context.missing)
    if target and not waits:
        gaps.append(Missing(part="waits", reason="/proc/PID/task/TID/schedstat is not readable"))
    elif target and states.refused:
        reason = (
            "/proc/PID/task/TID/syscall is not readable by this user: the causes of sleep are not "
            f'known, and shown as "{UNREADABLE}"'
        )
        gaps.append(Missing(part="causes of waits", reason=reason))
    idle = _idle(earlier, later, seconds)
    if not idle:
        reason = "no cpuidle driver: this kernel or guest has no sleep states to read"
        gaps.append(Missing(part="sleep states", reason=reason))
    elif len(reader.cpus) > MAX_CPUS:
        reason = f"read on {MAX_CPUS} of {len(reader.cpus)} CPUs"
        gaps.append(Missing(part="sleep states of the other CPUs", reason=reason))
    if not disks:
        gaps.append(Missing(part="disks", reason="/proc/diskstats has no whole disk"))
    if not later.pressure_us:
        gaps.append(Missing(part="pressure", reason="no /proc/pressure (CONFIG_PSI, psi=1)"))
    return TopResult(
        pid=target[0] if target else None,
        process=target[1] if target else None,
        seconds=seconds,
        verdict=verdict(waits, queue, disks, threads=later.threads if target else None),
        threads=later.threads if target else None,
        threads_read=len(later.times) if target else None,
        waits=waits,
        run_queue=queue,
        idle=idle,
        disks=disks,
        functions=context.functions,
        missing=tuple(gaps),
        cpu_share=context.cpu_share,
    )


def _thread_shares(
    earlier: Reading, later: Reading, states: SampledStates
) -> tuple[WaitShare, ...]:
    """Return run and queue time by schedstat; the rest of the wall time divided as it was seen."""
    common = earlier.times.keys() & later.times.keys()
    wall_ns = (later.at_s - earlier.at_s) * 1e9 * len(common)
    if not common or wall_ns <= 0:
        return ()
    run = float(sum(later.times[tid].run_ns - earlier.times[tid].run_ns for tid in common))
    if later.threads > len(common) and None not in {earlier.process_cpu_s, later.process_cpu_s}:
        # Most threads were not read, and the one that runs may be among them.
        spent_s = (later.process_cpu_s or 0) - (earlier.process_cpu_s or 0)
        run = max(0.0, spent_s) * 1e9 * len(common) / later.threads
    queued = sum(later.times[tid].queue_ns - earlier.times[tid].queue_ns for tid in common)
    # The kernel adds queue time at its end, so the sum may exceed the interval.
    scale = max(wall_ns, run + queued)
    shares = [
        WaitShare(category="running", share=_share(run, scale), source="measured"),
        WaitShare(category="run queue", share=_share(queued, scale), source="measured"),
    ]
    rest = max(0.0, 1 - shares[0].share - shares[1].share)
    seen = states.counts.total()
    for category, count in states.counts.items():
        share = _share(rest * count, seen)
        shares.append(WaitShare(category=category, share=share, source="sampled"))
    if not seen and rest > 0:
        shares.append(WaitShare(category="not seen", share=rest, source="measured"))
    return tuple(sorted(shares, key=lambda item: -item.share))


def _cpu_shares(earlier: Reading, later: Reading) -> tuple[WaitShare, ...]:
    """Return how the CPUs of the machine spent their time."""
    sums: dict[str, int] = {}
    for kind, ticks in later.cpu_ticks.items():
        name = _KINDS[kind]
        sums[name] = sums.get(name, 0) + max(0, ticks - earlier.cpu_ticks.get(kind, ticks))
    total = sum(sums.values())
    shares = [
        WaitShare(category=name, share=_share(ticks, total), source="measured")
        for name, ticks in sums.items()
        if total
    ]
    return tuple(sorted(shares, key=lambda item: -item.share))


def _run_queue(reader: Reader, earlier: Reading, later: Reading, seconds: float) -> RunQueue:
    def pressure(kind: str) -> float | None:
        before, after = earlier.pressure_us.get(kind), later.pressure_us.get(kind)
        return None if before is None or after is None else _share(after - before, seconds * 1e6)

    return RunQueue(
        running=later.running,
        cpus=len(reader.cpus),
        cpu_pressure=pressure("cpu"),
        io_pressure=pressure("io"),
        memory_pressure=pressure("memory"),
    )


def _idle(earlier: Reading, later: Reading, seconds: float) -> tuple[IdleShare, ...]:
    """Return the residency of each state, in the kernel's order, over the CPUs that were read."""
    sums: dict[str, int] = {}
    cpus: dict[str, int] = {}
    for (cpu, name), time_us in later.idle_us.items():
        before = earlier.idle_us.get((cpu, name))
        if before is not None and time_us >= before:
            sums[name] = sums.get(name, 0) + time_us - before
            cpus[name] = cpus.get(name, 0) + 1
    return tuple(
        IdleShare(state=name, share=_share(sums[name], seconds * 1e6 * cpus[name])) for name in sums
    )


def _disks(earlier: Reading, later: Reading, seconds: float) -> tuple[DiskRow, ...]:
    rows = [
        _disk(name, earlier.disks[name], counters, seconds)
        for name, counters in later.disks.items()
        if name in earlier.disks
    ]
    return tuple(sorted(rows, key=lambda row: -row.busy_share))


def _disk(name: str, before: DiskCounters, after: DiskCounters, seconds: float) -> DiskRow:
    reads, writes = max(0, after.reads - before.reads), max(0, after.writes - before.writes)
    return DiskRow(
        name=name,
        reads_per_s=reads / seconds,
        writes_per_s=writes / seconds,
        read_latency_ms=max(0, after.read_ms - before.read_ms) / reads if reads else None,
        write_latency_ms=max(0, after.write_ms - before.write_ms) / writes if writes else None,
        busy_share=_share(after.busy_ms - before.busy_ms, seconds * 1e3),
    )


def _share(part: float, whole: float) -> float:
    """Return a share; counters are read one after another, so a ratio may be just outside 0..1."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
