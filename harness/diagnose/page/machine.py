"""The sections on disks, sleep states and frequency, and CPUs and memory, from counters."""

from collections.abc import Iterator

from harness.cli.terminal import percent
from harness.diagnose.facts import Measurements
from harness.diagnose.page.links import DISKS, MACHINE, SLEEP_STATES
from harness.diagnose.page.section import Section, absent
from harness.diagnose.readings.activity import DiskActivity, MachineActivity
from harness.diagnose.sources import NO_READINGS
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE
from harness.waits.binned import BinnedValues
from harness.waits.cells import NumberCell
from stallscope.quantities import value_text

_REMEDY = "Record with stallscope diagnose."
_DISK_HEADS = ("Disk", "Busy", "Reads", "Mean read", "Writes", "Mean write", "In flight", "Most")
_STATE_HEADS = ("State", "Time", "Entries", "Too deep", "Exit latency")
_MAX_DISKS, _MAX_POLICIES = 20, 16
_MEMORY = {
    "pgfault": "page faults",
    "pgmajfault": "major page faults",
    "pswpin": "pages swapped in",
    "pswpout": "pages swapped out",
    "pgscan_direct": "pages scanned in direct reclaim",
}


def disk_section(measurements: Measurements, series: BinnedValues | None) -> Section:
    """Return the table of disks, the busiest first; it follows the selected period."""
    machine = measurements.machine
    if machine is None:
        return absent(DISKS, "Disks", f"Disks were not read: {NO_READINGS}.", _REMEDY)
    if not machine.disks:
        return absent(DISKS, "Disks", "This machine has no disks in /sys/block.")
    disks = sorted(machine.disks, key=lambda disk: (-disk.busy_share, disk.name))
    used = [disk for disk in disks if disk.requests]
    hints = [f"Counters of the whole machine, {machine.readings} readings; {_spread()}"]
    if len(used) < len(disks):
        hints.append(f"{len(disks) - len(used)} disks without requests are left out.")
    if not used:
        hints.insert(0, "No disk had a request.")
    markup = fragment(
        "harness.diagnose/page/machine.html",
        id=DISKS,
        title="Disks",
        hint="/sys/block/DISK/stat",
        heads=_DISK_HEADS,
        rows=[_disk_row(disk, series) for disk in used[:_MAX_DISKS]],
        facts=[],
        hints=hints,
        whole_only="In flight and most are those of the whole recording.",
    )
    return Section(DISKS, "Disks", markup, (TABLE_STYLE,))


def _spread() -> str:
    return "between two readings an increase is spread evenly."


def _disk_row(disk: DiskActivity, series: BinnedValues | None) -> list[NumberCell]:
    def time(*key: str) -> int:
        return -1 if series is None else series.time(*key)

    def count(*key: str) -> int:
        return -1 if series is None else series.number(*key)

    name = disk.name
    reads, writes = count("disk", name, "reads"), count("disk", name, "writes")
    mean = disk.mean_in_flight
    return [
        NumberCell(name),
        NumberCell(percent(disk.busy_share), "share", time("disk", name, "busy"), time("wall")),
        NumberCell(f"{disk.reads:,}", "count", reads),
        NumberCell(_ms(disk.mean_read_ms), "mean", time("disk", name, "read"), reads),
        NumberCell(f"{disk.writes:,}", "count", writes),
        NumberCell(_ms(disk.mean_write_ms), "mean", time("disk", name, "write"), writes),
        NumberCell("" if mean is None else f"{mean:.1f}"),
        NumberCell(f"{disk.max_in_flight:,}"),
    ]


def _ms(value: float | None) -> str:
    return "" if value is None else value_text(round(value * 1e6), "ns")


def sleep_section(measurements: Measurements) -> Section:
    """Return the table of sleep states, and the frequencies."""
    machine, title = measurements.machine, "Sleep states and frequency"
    if machine is None:
        return absent(SLEEP_STATES, title, f"They were not read: {NO_READINGS}.", _REMEDY)
    header = machine.header
    missing = []
    if not machine.states:
        missing.append(f"Sleep states: {header.idle_missing or 'they were read once only'}.")
    if not machine.frequencies:
        missing.append(f"Frequency: {header.frequency_missing or 'it was read once only'}.")
    if len(missing) == 2:
        remedy = "stallscope cstates on the host shows both."
        return absent(SLEEP_STATES, title, " ".join(missing), remedy)
    facts = []
    if machine.states:
        facts.append(("idle governor", header.idle_governor or "not known"))
    facts += [
        (
            f"frequency of {row.policy}",
            f"median {row.median_khz / 1e6:.2f} GHz of {row.reference_khz / 1e6:.2f} GHz",
        )
        for row in machine.frequencies[:_MAX_POLICIES]
    ]
    markup = fragment(
        "harness.diagnose/page/machine.html",
        id=SLEEP_STATES,
        title=title,
        hint="cpuidle counters of all CPUs, before and after",
        heads=_STATE_HEADS if machine.states else (),
        rows=[
            [
                NumberCell(state.name),
                NumberCell(percent(state.share)),
                NumberCell(f"{state.entries:,}"),
                NumberCell("" if state.above_share is None else percent(state.above_share)),
                NumberCell(
                    ""
                    if state.exit_latency_us is None
                    else value_text(state.exit_latency_us * 1000, "ns")
                ),
            ]
            for state in machine.states
        ],
        facts=facts,
        hints=[*missing, "Single idle intervals: stallscope cstates record."],
        whole_only="These values are those of the whole recording: they are read every 2 s.",
    )
    return Section(SLEEP_STATES, title, markup, (TABLE_STYLE,))


def machine_section(measurements: Measurements, series: BinnedValues | None) -> Section:
    """Return the time of all CPUs, pressure, memory and the quota of the target's cgroup."""
    machine, title = measurements.machine, "CPUs and memory"
    if machine is None:
        return absent(MACHINE, title, f"They were not read: {NO_READINGS}.", _REMEDY)
    markup = fragment(
        "harness.diagnose/page/machine.html",
        id=MACHINE,
        title=title,
        hint=f"/proc of the whole machine, {machine.header.cpus} CPUs",
        heads=("All CPUs", "Share"),
        rows=list(_cpu_rows(machine, series)),
        facts=list(_facts(machine)),
        hints=[f"{machine.readings} readings in {machine.seconds:.1f} s; {_spread()}"],
        whole_only="Pressure, memory and quota are those of the whole recording.",
    )
    return Section(MACHINE, title, markup, (TABLE_STYLE,))


def _cpu_rows(machine: MachineActivity, series: BinnedValues | None) -> Iterator[list[NumberCell]]:
    shares = {"idle": machine.idle_share, "stolen": machine.steal_share}
    for field, share in shares.items():
        if share is not None:
            part = whole = -1
            if series is not None:
                part, whole = series.time("ticks", field), series.time("ticks", "all")
            yield [NumberCell(field), NumberCell(percent(share), "share", part, whole)]


def _facts(machine: MachineActivity) -> Iterator[tuple[str, str]]:
    for name, share in machine.pressures.items():
        if share >= 0.0005:
            yield f"pressure {name}", f"{percent(share)} of the time"
    for name, text in _MEMORY.items():
        if machine.memory.get(name):
            yield text, f"{machine.memory[name]:,}"
    if machine.minor_faults is not None:
        yield "minor faults of the target", f"{machine.minor_faults:,}"
        yield "major faults of the target", f"{machine.major_faults or 0:,}"
    if machine.throttled is not None:
        periods, stopped = machine.throttled
        yield "quota of the cgroup", f"stopped in {stopped:,} of {periods:,} periods"
