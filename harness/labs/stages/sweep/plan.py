"""The points of the sweep: footprints of code per request, and batch limits at one footprint."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.options import StagesOptions
from stallscope.errors import UsageError

FOOTPRINTS_KB = (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
BATCH_LIMITS = (1, 4, 16, 64, 256)
LONGER_FROM_KB = 512  # of runs
STAGE_KB = 13  # the server's default: below half of an L1I of 32 KB


def check_sweep(options: StagesOptions) -> None:
    """Raise UsageError if the options do not apply to a sweep."""
    if options.path != "codec":
        raise UsageError(
            f"--footprint-sweep varies generated code, which path {options.path} does not have",
            "add --path codec",
        )
    if options.footprint_kb is not None or options.max_batch is not None:
        raise UsageError(
            "--footprint-sweep varies --footprint-kb and --max-batch itself", "remove them"
        )


def footprint_options(options: StagesOptions, footprint_kb: int) -> StagesOptions:
    """Return the options at a footprint; a stage is at most as large as the footprint."""
    stage_kb = min(options.stage_kb or STAGE_KB, footprint_kb)
    folder = options.output / "points" / f"footprint-{footprint_kb}"
    point = replace(options, footprint_kb=footprint_kb, stage_kb=stage_kb)
    return _point(replace(point, duration_s=options.duration_s * _length(footprint_kb)), folder)


def batch_options(options: StagesOptions, footprint_kb: int, max_batch: int) -> StagesOptions:
    """Return the options of the lab at a footprint with a batch limit."""
    folder = options.output / "points" / f"batch-{max_batch}"
    point = footprint_options(options, footprint_kb)
    return _point(replace(point, max_batch=max_batch), folder)


def _length(footprint_kb: int) -> float:
    """Return the length of a run relative to that of a small footprint.

    Replies are written once per turn of the server's loop, which takes 0.1 s at 2 MB and 512
    requests in flight; a run needs many turns.
    """
    return max(1.0, footprint_kb / LONGER_FROM_KB)


def _point(options: StagesOptions, output: Path) -> StagesOptions:
    return replace(options, output=output, loads=(), profile_s=0.0)


def expected_s(options: StagesOptions) -> float:
    """Return the approximate time of the whole sweep."""
    points = [footprint_options(options, footprint_kb) for footprint_kb in FOOTPRINTS_KB]
    points += [footprint_options(options, LONGER_FROM_KB)] * len(BATCH_LIMITS)
    # A simulated instruction takes about 40 ns; four replays of about 80 instructions per KB.
    replays_s = 0.01 * sum(FOOTPRINTS_KB) if options.replay else 0.0
    return 2 * options.pairs * sum(point.run_s for point in points) + replays_s
