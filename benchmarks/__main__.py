"""``./dev bench [NAME...]``: runs benchmarks and writes docs/benchmarks.md from the raw pairs."""

import importlib
import sys
from pathlib import Path

from benchmarks.pairs import keep_settings
from benchmarks.tables import document
from harness.recordings.settings_text import settings_now, settings_since

# Quick ones first; each module has run() and says in its docstring what it compares.
NAMES = (
    "start_up",
    "topdown_replay",
    "topdown_counting",
    "cstates_simulation",
    "pin_guardian",
    "compare_agreement",
    "flame_page",
    "summary_cost",
    "unwind_tables",
    "unwind_speed",
    "io_queue_cost",
    "known_answers",
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
    "python_frames",
    "soak",
)


def main(names: list[str]) -> int:
    """Return 0 once the asked benchmarks (all by default) have run and the tables are written."""
    unknown = set(names) - set(NAMES) - {"tables"}
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
        return 2
    for name in names or NAMES:
        if name != "tables":
            print(f"== {name}", flush=True)
            before = settings_now()
            importlib.import_module(f"benchmarks.{name}").run()
            keep_settings(name, settings_since(before))
    Path("docs/benchmarks.md").write_text(document())
    print("docs/benchmarks.md written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
