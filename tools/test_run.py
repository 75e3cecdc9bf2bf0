"""The stages of ./dev test.

Compiling is nearly all CPU time, the tests wait a lot: they run beside each other. The tests that
measure this machine run when nothing is compiled any more.
"""

import sys
import time
from pathlib import Path

from tools.running import pytest_items, unfinished_ctests
from tools.stages import Schedule, Stage, say

LOGS = Path("build/log")
RUNNING_TESTS = Path("build/running-tests")  # kept by tests/conftest.py
LIMIT_S = 28 * 60
COMPILER_NICENESS = 5


def _stage(name: str, limit_s: float, lane: str, needs: str = "", **options: object) -> Stage:
    command = ("sh", "./dev", "stage", name)
    return Stage(name, command, limit_s, lane, tuple(needs.split()), **options)  # type: ignore[arg-type]


def _compile(name: str, limit_s: float, needs: str) -> Stage:
    return _stage(name, limit_s, "compile", needs, niceness=COMPILER_NICENESS)


def _ctest(name: str, needs: str) -> Stage:
    return _stage(name, 600, "native tests", needs, running=unfinished_ctests)


def _pytest(name: str, limit_s: float, needs: str) -> Stage:
    """A part of the tests (tests/conftest.py), in a lane of its own."""
    running = RUNNING_TESTS / name
    return _stage(name, limit_s, name, needs, stream=True, running=lambda _: pytest_items(running))


_BUILDS = "wheel build-asan build-tsan build-arm64"
STAGES = (
    _stage("build-tools", 300, "packages"),
    _stage("test-packages", 600, "system packages"),
    _stage("python-packages", 600, "packages", "build-tools"),
    _stage("arm64-root", 300, "system packages", "test-packages"),
    _stage("interpreters", 300, "packages", "python-packages wheel"),
    _compile("wheel", 1200, "build-tools"),
    _compile("build-asan", 1200, "test-packages wheel"),
    _compile("build-arm64", 900, "test-packages arm64-root wheel"),
    _compile("build-tsan", 900, "test-packages wheel"),
    _ctest("ctest-asan", "build-asan"),
    _ctest("ctest-tsan", "build-tsan"),
    _stage("fuzzing", 300, "native tests", "build-asan"),
    _pytest("pytest-beside", 1200, "wheel python-packages test-packages"),
    _pytest("pytest-guest", 1200, "build-arm64 python-packages wheel"),
    _pytest(
        "pytest-alone",
        1200,
        f"{_BUILDS} ctest-asan ctest-tsan fuzzing interpreters pytest-beside pytest-guest",
    ),
)


def main() -> int:
    """Run all tests; returns the exit status."""
    begin = time.monotonic()
    RUNNING_TESTS.mkdir(parents=True, exist_ok=True)
    schedule = Schedule(STAGES, LOGS, LIMIT_S)
    passed = schedule.run()
    for name, took_s in schedule.took_s.items():
        say(f"{took_s:6.0f} s  {name}{'' if schedule.outcomes[name] else ' (failed)'}")
    say(f"{'all tests passed' if passed else 'FAILED'} after {time.monotonic() - begin:.0f} s")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
