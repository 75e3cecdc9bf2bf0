"""The stages of ./dev test.

Compiling is nearly all CPU time, the tests wait a lot: they run beside each other. Tests whose
result depends on other load run when nothing is compiled any more.
"""

import sys
import time
from pathlib import Path

from tools.running import pytest_failures, pytest_items, unfinished_ctests
from tools.stages import TAIL_LINES, Schedule, Stage, say

LOGS = Path("build/log")
RUNNING_TESTS = Path("build/running-tests")  # kept by tests/conftest.py
LIMIT_S = 28 * 60
COMPILER_NICENESS = 5


# CPU seconds of a cold run on two cores. A stage that needs a fifth more is named at the end.
CPU_SHARES_S = {
    "test-packages": 45,
    "python-packages": 10,
    "wheel": 235,
    "build-asan": 265,
    "build-arm64": 137,
    "build-tsan": 50,
    "ctest-asan": 50,
    "ctest-tsan": 5,
    "fuzzing": 32,
    "pytest-plain": 200,
    "pytest-beside": 345,
    "pytest-built": 70,
    "pytest-guest": 78,
    "pytest-alone": 85,
}


def _stage(name: str, limit_s: float, lane: str, needs: str = "", **options: object) -> Stage:
    command = ("sh", "./dev", "stage", name)
    return Stage(name, command, limit_s, lane, tuple(needs.split()), **options)  # type: ignore[arg-type]


def _compile(name: str, limit_s: float, needs: str) -> Stage:
    return _stage(name, limit_s, "compile", needs, niceness=COMPILER_NICENESS)


def _ctest(name: str, needs: str) -> Stage:
    return _stage(name, 600, "native tests", needs, running=unfinished_ctests)


def _pytest(name: str, limit_s: float, needs: str) -> Stage:
    """A part of the tests (tests/parts.py), in a separate lane."""
    running = RUNNING_TESTS / name
    return _stage(name, limit_s, name, needs, stream=True, running=lambda _: pytest_items(running))


_BUILDS = "wheel build-asan build-tsan build-arm64"
_PYTHON = "wheel python-packages test-packages"
_OTHER_TESTS = "ctest-asan ctest-tsan fuzzing pytest-plain pytest-beside pytest-built pytest-guest"
STAGES = (
    _stage("build-tools", 300, "packages"),
    _stage("test-packages", 600, "system packages"),
    _stage("python-packages", 600, "packages", "build-tools"),
    _stage("arm64-root", 300, "system packages", "test-packages"),
    _stage("interpreters", 300, "packages", "python-packages wheel"),
    # The build backend imports numpy if it is there: it must not be half installed.
    _compile("wheel", 1200, "build-tools python-packages"),
    _compile("build-arm64", 900, "test-packages arm64-root wheel"),
    _compile("build-asan", 1200, "test-packages wheel"),
    _compile("build-tsan", 900, "test-packages wheel"),
    _ctest("ctest-asan", "build-asan"),
    _ctest("ctest-tsan", "build-tsan"),
    _stage("fuzzing", 300, "native tests", "build-asan"),
    _pytest("pytest-plain", 1200, _PYTHON),
    _pytest("pytest-beside", 1200, _PYTHON),
    _pytest("pytest-built", 900, f"{_PYTHON} interpreters build-asan build-arm64"),
    _pytest("pytest-guest", 1200, f"{_PYTHON} build-arm64"),
    _pytest(
        "pytest-alone",
        1200,
        f"{_BUILDS} {_OTHER_TESTS}",
    ),
)


def summary(schedule: Schedule) -> list[str]:
    """One line per stage with elapsed and CPU time; a stage over its share of CPU time is named."""
    lines = []
    for name, took_s in schedule.took_s.items():
        cpu_s, share_s = schedule.cpu_s[name], CPU_SHARES_S.get(name)
        failed = "" if schedule.outcomes[name] else ", failed"
        over = share_s is not None and cpu_s > 1.2 * share_s
        excess = f", over its share of {share_s} s of CPU" if over else ""
        lines.append(f"{took_s:6.0f} s, {cpu_s:4.0f} s of CPU  {name}{excess}{failed}")
    lines.append(f"{'':8} {sum(schedule.cpu_s.values()):5.0f} s of CPU  in all")
    return lines


def failures(schedule: Schedule) -> list[str]:
    """The failed tests of each failed part once more: other parts have written after them."""
    lines = []
    for name, passed in schedule.outcomes.items():
        log = schedule.logs / f"{name}.log"
        if not passed and name.startswith("pytest-") and log.exists():
            lines += pytest_failures(log.read_text(errors="replace"))[:TAIL_LINES]
    return lines


def main() -> int:
    """Run all tests; returns the exit status."""
    begin = time.monotonic()
    RUNNING_TESTS.mkdir(parents=True, exist_ok=True)
    schedule = Schedule(STAGES, LOGS, LIMIT_S)
    passed = schedule.run()
    for line in (*failures(schedule), *summary(schedule)):
        say(line)
    say(f"{'all tests passed' if passed else 'FAILED'} after {time.monotonic() - begin:.0f} s")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
