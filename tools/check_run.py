"""The stages of ./dev check."""

import sys
import time
from pathlib import Path

from tools.stages import Schedule, Stage, say

LOGS = Path("build/log")
LIMIT_S = 20 * 60
PYTHON_CHECKS = ("ruff-format", "ruff", "lint-imports", "codespell", "reuse", "mypy")


def _stage(name: str, limit_s: float, lane: str, needs: str = "") -> Stage:
    return Stage(name, ("sh", "./dev", "stage", name), limit_s, lane, tuple(needs.split()))


STAGES = (
    _stage("python-packages", 600, "python"),
    _stage("check-packages", 600, "native"),
    *(_stage(name, 300, "python", "python-packages") for name in PYTHON_CHECKS),
    _stage("clang-format", 120, "native", "check-packages"),
    _stage("compile-database", 120, "native", "check-packages"),
    _stage("clang-tidy", 900, "native", "compile-database"),
)


def main() -> int:
    """Run all checks; returns the exit status."""
    begin = time.monotonic()
    schedule = Schedule(STAGES, LOGS, LIMIT_S)
    passed = schedule.run()
    failed = [name for name, outcome in schedule.outcomes.items() if not outcome]
    say(f"{'all checks passed' if passed else 'failed: ' + ' '.join(failed)}, "
        f"{time.monotonic() - begin:.0f} s")  # fmt: skip
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
