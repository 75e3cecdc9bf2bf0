"""The stages lab as a JSON document; what scripts rely on stands first."""

from harness.labs.stages.conclusion import conclude
from harness.labs.stages.notes import notes
from harness.labs.stages.plan import FIXED_RATE, NEAR_SATURATION, SATURATED, Load, Side
from harness.labs.stages.results import Reading, Replays, StagesResults
from harness.labs.stages.rows import BATCH, CPU, P99, QUANTITIES, THROUGHPUT, rows
from stallscope.statistics.estimate import Estimate

SCHEMA = "stallscope.lab.stages/1"


def lab_document(results: StagesResults) -> dict[str, object]:
    """Return the document of schema ``stallscope.lab.stages/1``; null is what is not known."""
    verdict = conclude(results)
    batch = results.estimate(SATURATED, Side.STAGED, BATCH.pick)
    return {
        "schema": SCHEMA,
        "path": results.options.path,
        "synthetic": results.options.path == "codec",
        "pairs": results.complete_pairs(SATURATED),
        "throughput_ratio": _estimate(results.ratio(SATURATED, THROUGHPUT.pick)),
        "p99_ratio": _estimate(results.ratio(FIXED_RATE, P99.pick)),
        "p99_ratio_near_saturation": _estimate(results.ratio(NEAR_SATURATION, P99.pick)),
        "cpu_per_request_ratio": _estimate(results.ratio(SATURATED, CPU.pick)),
        **_simulated(results.replays),
        "average_batch": batch.median,
        "verdict": str(verdict.conclusion),
        "verdict_reason": verdict.reason,
        "p99_ratio_at_share": FIXED_RATE.share,
        "capacity_per_s": results.capacity_per_s,
        "slots": _slots(results),
        "slots_unavailable": results.slots.why_not or None,
        "machine": _machine(results),
        "settings": results.settings and results.settings.document(),
        "options": _options(results),
        "loads": [_load(results, load) for load in (SATURATED, *results.options.loads)],
        "rounds": [_reading(each) for each in results.readings],
        "notes": notes(results),
        "interrupted": results.interrupted,
        "output": str(results.options.output),
    }


def _estimate(estimate: Estimate) -> dict[str, float | int | None]:
    return {
        "median": estimate.median,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }


def _simulated(replays: Replays) -> dict[str, object]:
    unstaged, staged = replays.unstaged, replays.staged
    ratio = None
    if unstaged is not None and staged is not None and unstaged.instructions_per_request > 0:
        ratio = staged.instructions_per_request / unstaged.instructions_per_request
    return {
        "icache_miss_ratio": {
            "unstaged": None if unstaged is None else unstaged.icache_miss_ratio,
            "staged": None if staged is None else staged.icache_miss_ratio,
        },
        "instructions_per_request_ratio": ratio,
        "simulation": {
            "kind": "modelled" if ratio is not None else "unavailable",
            "model": replays.model or None,
            "why_not": replays.why_not or None,
        },
    }


def _slots(results: StagesResults) -> dict[str, object] | None:
    if not results.slots.sides:
        return None
    return {
        str(side): {"kind": "measured", **slots.values}
        for side, slots in results.slots.sides.items()
    }


def _machine(results: StagesResults) -> dict[str, object]:
    cores = results.cores
    return {
        "cpu_model": cores.cpu_model,
        "l1i_bytes": cores.l1i_bytes,
        "server_cpu": cores.server,
        "loader_cpu": cores.loader,
        "same_core": cores.same_core,
    }


def _options(results: StagesResults) -> dict[str, object]:
    options = results.options
    return {
        "pairs": options.pairs,
        "duration_s": options.duration_s,
        "warmup_s": options.warmup_s,
        "pipeline": options.pipeline,
        "connections": options.connections,
        "max_batch": options.max_batch,
        "footprint_kb": options.footprint_kb,
        "stage_kb": options.stage_kb,
        "seed": options.seed,
    }


def _load(results: StagesResults, load: Load) -> dict[str, object]:
    return {
        "load": load.name,
        "share_of_capacity": load.share,
        "pairs": results.complete_pairs(load),
        **{
            row.quantity.key: {
                "unstaged": _estimate(row.unstaged),
                "staged": _estimate(row.staged),
                "ratio": _estimate(row.ratio),
            }
            for row in rows(results)
            if row.load == load
        },
    }


def _reading(each: Reading) -> dict[str, object]:
    return {
        "pair": each.turn.pair,
        "load": each.turn.load.name,
        "side": str(each.turn.side),
        "rate_asked": each.rate_asked,
        **{quantity.key: quantity.pick(each) for quantity in QUANTITIES},
        "errors": each.errors,
        "limited_by_loader": each.limited_by or None,
    }
