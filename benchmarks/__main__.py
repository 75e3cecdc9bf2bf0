"""``./dev bench [NAME...]``: runs benchmarks and writes docs/benchmarks.md from the raw pairs."""

import importlib
import sys
from pathlib import Path

from benchmarks.tables import document

# Quick ones first; each module has run() and says in its docstring what it compares.
NAMES = (
    "start_up",
    "topdown_replay",
    "flame_page",
    "summary_cost",
    "unwind_tables",
    "unwind_speed",
    "known_answers",
    "record_cost",
    "stack_cost",
    "python_frames",
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
            importlib.import_module(f"benchmarks.{name}").run()
    Path("docs/benchmarks.md").write_text(document())
    print("docs/benchmarks.md written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
