"""Known answers: ten profiles of `stallscope-kernels mix` against its own thread clocks.

Bar: within 3 points for every function in every run.
"""

import tempfile
from pathlib import Path

from benchmarks.cases import Bound, Case, Quantity
from benchmarks.mix_truth import running_mix
from harness.profile.analysis import analyze
from harness.profile.recorder import record
from stallscope.collector import CollectorOptions

RUNS = 10
DURATION_S = 10.0


def run() -> list[Case]:
    """Measure ten runs."""
    runs = []
    for number in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(measure(Path(folder)))
        worst = max(abs(sampled - true) for sampled, true in runs[-1].values())
        print(f"run {number + 1}: largest difference {worst * 100:.2f} points", flush=True)
    return [
        Case(
            name=name,
            metric="self share, percent",
            ours_command="stallscope profile -p PID --duration 10 -F 999",
            peer_command="stallscope-kernels mix, its own thread CPU clocks",
            bar=(Bound(Quantity.EVERY_DIFFERENCE, at_most=3),),
            ours=tuple(shares[name][0] * 100 for shares in runs),
            peer=tuple(shares[name][1] * 100 for shares in runs),
            by_difference=True,
        )
        for name in runs[0]
    ]


def measure(folder: Path) -> dict[str, tuple[float, float]]:
    """Return (sampled, true) self shares by function of one profile of 10 s at 999 Hz."""
    with running_mix() as mix:
        options = CollectorOptions(
            output=folder / "run", pids=(mix.pid,), duration_s=DURATION_S, frequency_hz=999
        )
        recording, _ = record(options)
        analysis = analyze(recording)
        manifest = recording.manifest
        assert manifest is not None
        assert manifest.end_ns is not None
        expected = mix.shares(manifest.start_ns, manifest.end_ns)
    sampled = {
        analysis.profile.functions[row.index].name: row.self_value / analysis.ranking.value
        for row in analysis.ranking.functions
    }
    return {name: (sampled.get(name, 0.0), share) for name, share in expected.items()}
