"""``./dev bench [NAME...]``: run benchmarks and regenerate docs/benchmarks.md."""

import importlib
import sys
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.cases import BenchmarkSession, save
from benchmarks.tables import document
from harness.recordings.settings_text import settings_now, settings_since
from stallscope.host import read_host

# The quick ones come first. Each module has run(), which returns cases, and a docstring that says
# what it compares.
NAMES = (
    "start_up",
    "topdown_replay",
    "topdown_counting",
    "cstates_simulation",
    "pin_guardian",
    "compare_agreement",
    "bench_run_floor",
    "benchmark_text",
    "flame_page",
    "summary_cost",
    "import_speed",
    "inlined_symbols",
    "scale_models",
    "unwind_tables",
    "unwind_speed",
    "io_queue_cost",
    "known_answers",
    "diff_known",
    "gate_known",
    "load_rate",
    "io_engine",
    "io_probe",
    "storm",
    "storm_server",
    "get_peer",
    "shards",
    "stages",
    "record_cost",
    "stack_cost",
    "waits_analysis",
    "waits_cost",
    "diagnose_cost",
    "report_growth",
    "flight_cost",
    "continuous_cost",
    "request_cost",
    "waits_known",
    "diagnose_known",
    "python_frames",
    "runtime_cost",
    "runtimes_known",
    "runtimes_real_node",
    "runtimes_real",
    "soak",
)
TABLES = "tables"


def main(names: list[str]) -> int:
    """Return 0 after the named benchmarks (default: all) have run and the page is written."""
    unknown = set(names) - set(NAMES) - {TABLES}
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
        return 2
    for name in names or NAMES:
        if name != TABLES:
            print(f"== {name}", flush=True)
            measure(name)
    Path("docs/benchmarks.md").write_text(document())
    print("docs/benchmarks.md written")
    return 0


def measure(name: str) -> None:
    """Run one benchmark and save its session; nothing is saved if it returns no cases."""
    before = settings_now()
    cases = importlib.import_module(f"benchmarks.{name}").run()
    if not cases:
        return
    settings = settings_since(before)
    host = read_host()
    session = BenchmarkSession(
        benchmark=name,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        host=f"{host.cpu_model}, {host.cpus_online} CPUs, Linux {host.kernel_release}",
        command=f"./dev bench {name}",
        cases=tuple(cases),
        settings=settings,
    )
    save(session)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
