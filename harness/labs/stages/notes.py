"""What a reader of the stages lab's numbers must know beside them, as sentences."""

from collections.abc import Iterator

from harness.labs.stages.plan import SATURATED, Load
from harness.labs.stages.results import StagesResults

_L1I_OF_THE_BARS = 32 * 1024
_ACHIEVED_SHARE = 0.98


def heading(results: StagesResults) -> str:
    """Return what was run, where."""
    options, cores = results.options, results.cores
    synthetic = " (synthetic code)" if options.path == "codec" else ""
    l1i = "not told" if cores.l1i_bytes is None else f"{cores.l1i_bytes // 1024} KB"
    return (
        f"path {options.path}{synthetic}: {options.connections} connections, pipeline "
        f"{options.pipeline}; server on CPU {cores.server} ({cores.cpu_model}, L1I {l1i}), loader "
        f"on CPU {cores.loader}; replies deferred on both sides; {options.duration_s:g} s a run"
    )


def notes(results: StagesResults) -> list[str]:
    """Return the sentences, the gravest first."""
    return [*_cautions(results), *_unavailable(results)]


def _cautions(results: StagesResults) -> Iterator[str]:
    if results.interrupted:
        yield "Interrupted: complete pairs only are told."
    if results.cores.same_core:
        yield "Server and loader run on two threads of one core, and take from each other."
    l1i = results.cores.l1i_bytes
    if l1i is not None and l1i > _L1I_OF_THE_BARS:
        yield (
            f"This core's L1I holds {l1i // 1024} KB: what was learned on cores with 32 KB does "
            "not carry over."
        )
    if results.settings is not None and results.settings.warnings:
        yield f"Less repeatable: {', '.join(results.settings.warnings)}."
    for load in (SATURATED, *results.options.loads):
        yield from _of_load(results, load)


def _of_load(results: StagesResults, load: Load) -> Iterator[str]:
    readings = [each for each in results.readings if each.turn.load == load]
    limited = [each for each in readings if each.limited_by]
    if limited:
        yield (
            f"{load.describe()}: the loader was the limit in {len(limited)} of {len(readings)} "
            f"runs: {limited[0].limited_by}"
        )
    missed = [
        each
        for each in readings
        if each.rate_asked and each.throughput < _ACHIEVED_SHARE * each.rate_asked
    ]
    if missed:
        least = min(each.throughput / (each.rate_asked or 1) for each in missed)
        yield (
            f"{load.describe()}: {len(missed)} of {len(readings)} runs did not reach the rate "
            f"asked (down to {least:.0%} of it): their latency is that of a growing queue."
        )


def _unavailable(results: StagesResults) -> Iterator[str]:
    if results.replays.why_not:
        yield f"Simulated instruction cache: unavailable: {results.replays.why_not}"
    if results.slots.why_not:
        yield f"Slots and IPC: unavailable: {results.slots.why_not}"
    if results.profiles_why_not:
        yield f"Flame graphs: unavailable: {results.profiles_why_not}"
