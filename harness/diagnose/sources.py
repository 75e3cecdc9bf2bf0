"""The sources of a diagnosis, and the causes that could not be judged for want of one."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts, Measurements
from harness.diagnose.result import MeasuredSource, NotJudged

CORE = ("front end", "mispredictions", "memory latency", "memory bandwidth", "execution units")
SHARED = ("false sharing", "remote memory")
NO_SLOTS = "hardware counters are not part of this recording"
NO_READINGS = "the kernel's counters are not part of this recording"
MODEL = "stallscope diagnose --model -- CMD models them for a command"


def sources(facts: Facts, measurements: Measurements) -> tuple[MeasuredSource, ...]:
    """Return all sources, those that are missing with the reason."""
    return tuple(_sources(facts, measurements))


def _sources(facts: Facts, measurements: Measurements) -> Iterator[MeasuredSource]:
    yield MeasuredSource(
        name="waits", kind="measured", detail="context switches and readings of /proc"
    )
    cpu, slots, machine = facts.cpu, facts.slots, facts.machine
    if cpu is None:
        yield _missing("CPU samples", "no CPU sample was taken")
    else:
        yield MeasuredSource(name="CPU samples", kind="measured", detail=f"{cpu.samples:,} samples")
    if slots is None:
        yield _missing("pipeline slots", measurements.slots_missing or NO_SLOTS)
    else:
        yield MeasuredSource(name="pipeline slots", kind=slots.kind, detail=slots.source)
    if machine is None:
        names = ("idle states", "frequency", "disks", "memory and pressure")
        for name in names:
            yield _missing(name, NO_READINGS)
        return
    readings = f"{machine.readings} readings in {machine.seconds:.1f} s"
    if machine.states:
        governor = machine.header.idle_governor or "no governor"
        yield MeasuredSource(
            name="idle states",
            kind="measured",
            detail=f"cpuidle counters of the whole machine, before and after ({governor}); "
            "single idle intervals are not recorded",
        )
    else:
        yield _missing("idle states", machine.header.idle_missing or "fewer than two readings")
    if machine.frequencies:
        yield MeasuredSource(name="frequency", kind="measured", detail=f"cpufreq, {readings}")
    else:
        yield _missing("frequency", machine.header.frequency_missing or "no readings")
    detail = f"counters of {len(machine.disks)} disks, {readings}"
    yield MeasuredSource(name="disks", kind="measured", detail=detail)
    pressure = "pressure and vmstat" if machine.pressures else "vmstat; no pressure (PSI)"
    yield MeasuredSource(
        name="memory and pressure", kind="measured", detail=f"{pressure}, {readings}"
    )
    probe = facts.probe
    if probe is not None and probe.missing:
        yield _missing("path", probe.missing)
    elif probe is not None:
        detail = f"{probe.reads} reads of one block from {probe.path}"
        yield MeasuredSource(name="path", kind="measured", detail=detail)


def _missing(name: str, reason: str) -> MeasuredSource:
    return MeasuredSource(name=name, kind="unavailable", detail=reason)


def not_judged(facts: Facts, measurements: Measurements) -> tuple[NotJudged, ...]:
    """Return the causes that the recording cannot show."""
    return tuple(_not_judged(facts, measurements))


def _not_judged(facts: Facts, measurements: Measurements) -> Iterator[NotJudged]:
    slots, machine = facts.slots, facts.machine
    if slots is None:
        one_node = machine is not None and machine.header.nodes < 2
        yield NotJudged(
            causes=(*CORE, *SHARED[: 1 if one_node else 2]),
            reason=measurements.slots_missing or NO_SLOTS,
            remedy=MODEL,
        )
    else:
        yield from _of_slots(facts)
    if machine is None:
        yield NotJudged(
            causes=("sleep-state wake-ups", "frequency drop", "disk queue"),
            reason=NO_READINGS,
            remedy="record with stallscope diagnose",
        )
    else:
        if not machine.states:
            yield NotJudged(
                causes=("sleep-state wake-ups",),
                reason=machine.header.idle_missing or "idle states were read once only",
                remedy="measure on the host, or record longer",
            )
        if not machine.frequencies:
            yield NotJudged(
                causes=("frequency drop",),
                reason=machine.header.frequency_missing or "frequencies were read once only",
                remedy="measure on the host, or record longer",
            )
    if facts.cpu is None:
        yield NotJudged(
            causes=("page faults", "system calls"),
            reason="no CPU sample was taken",
            remedy="record while the target runs, or longer: --duration 30",
        )
    for source in facts.waits.missing:
        yield NotJudged(causes=(source.name,), reason=source.reason, remedy=source.remedy)


def _of_slots(facts: Facts) -> Iterator[NotJudged]:
    """Yield the causes for which the tree of slots has no nodes."""
    slots, machine = facts.slots, facts.machine
    assert slots is not None
    nodes = {
        "front end": ("front end",),
        "mispredictions": ("mispredictions",),
        "memory latency": ("memory",),
        "memory bandwidth": ("DRAM bandwidth",),
        "execution units": ("core",),
    }
    missing = [cause for cause, words in nodes.items() if not slots.has(*words)]
    if not slots.has("contested lines") and not slots.has("false sharing"):
        missing.append("false sharing")
    if (machine is None or machine.header.nodes > 1) and not slots.has("remote memory"):
        missing.append("remote memory")
    if missing:
        what = "the model" if slots.kind == "modelled" else "the tree of this CPU"
        yield NotJudged(
            causes=tuple(missing),
            reason=f"{what} ({slots.cpu}) has no value for them",
            remedy="stallscope topdown -p PID -l 4 shows the nodes and why values are missing",
        )
