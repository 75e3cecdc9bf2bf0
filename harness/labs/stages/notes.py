"""Notes on a measurement of the stages lab: what limits its numbers, and what is missing."""

from collections.abc import Iterator

from harness.labs.stages.measurement import StagesMeasurement
from harness.labs.stages.plan import SATURATED, LoadLevel

_COMMON_L1I_BYTES = 32 * 1024
_MIN_ACHIEVED_SHARE = 0.98


def stages_notes(lab: StagesMeasurement) -> Iterator[str]:
    """Yield the notes as sentences, the most important first."""
    if lab.interrupted:
        yield "Interrupted: only complete pairs are shown."
    if lab.cores.same_core:
        yield "Server and loader run on two threads of one core and slow each other down."
    if lab.cores.shared:
        yield (
            "Server and loader share CPUs: this run checks that all requests are answered; its "
            "times and ratios say nothing about stages."
        )
    l1i_bytes = lab.cores.l1i_bytes
    if l1i_bytes is not None and l1i_bytes > _COMMON_L1I_BYTES:
        yield (
            f"The L1I of this core holds {l1i_bytes // 1024} KB: results from cores with 32 KB do "
            "not apply to it."
        )
    if lab.settings is not None and lab.settings.warnings:
        yield f"Less repeatable: {', '.join(lab.settings.warnings)}."
    for load in (SATURATED, *lab.options.loads):
        yield from _load_notes(lab, load)
    if lab.replays.unavailable:
        yield f"Simulated instruction cache: unavailable: {lab.replays.unavailable}"
    if lab.slots.unavailable:
        yield f"Slots and IPC: unavailable: {lab.slots.unavailable}"
    if lab.profiles.unavailable:
        yield f"Flame graphs: unavailable: {lab.profiles.unavailable}"


def _load_notes(lab: StagesMeasurement, load: LoadLevel) -> Iterator[str]:
    readings = [reading for reading in lab.readings if reading.run.load == load]
    limited = [reading for reading in readings if reading.loader_limit]
    if limited:
        yield (
            f"{load.text}: the loader was the bottleneck in {len(limited)} of {len(readings)} "
            f"runs: {limited[0].loader_limit}"
        )
    achieved_shares = [
        reading.throughput_per_s / reading.requested_rate_per_s
        for reading in readings
        if reading.requested_rate_per_s
    ]
    missed = [share for share in achieved_shares if share < _MIN_ACHIEVED_SHARE]
    if missed:
        yield (
            f"{load.text}: {len(missed)} of {len(readings)} runs did not reach the requested rate "
            f"(minimum {min(missed):.0%} of it): their latency is that of a growing queue."
        )
