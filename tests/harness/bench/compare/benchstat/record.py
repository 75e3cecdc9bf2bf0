"""Records golden cases: `python record.py BENCHSTAT SEED...` writes cases/generated-SEED.

The recorded cases come from golang.org/x/perf/cmd/benchstat v0.0.0-20260908200009-22c9c6c9d4da.
"""

import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generated_files import write_case

CASES = Path(__file__).parent / "cases"


def record(benchstat: str, seed: int) -> None:
    folder = CASES / f"generated-{seed}"
    folder.mkdir(parents=True)
    arguments = write_case(folder, seed)
    run = subprocess.run(
        [benchstat, *arguments], cwd=folder, capture_output=True, timeout=20, check=False
    )
    (folder / "cmd").write_text(shlex.join(["benchstat", *arguments]) + "\n")
    (folder / "out").write_bytes(run.stdout)
    (folder / "err").write_bytes(run.stderr)


if __name__ == "__main__":
    for number in sys.argv[2:]:
        record(sys.argv[1], int(number))
