"""Wall time as weight of a program that runs in one thread, then for as long in two."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

SOURCE = """
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned sink;
static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}
static void work(void) { for (unsigned i = 0; i < 200000; i++) sink += i; }
__attribute__((noinline)) void alone(void) {
  for (double end = seconds(CLOCK_MONOTONIC) + 0.6; seconds(CLOCK_MONOTONIC) < end;) work();
  sink++;
}
__attribute__((noinline)) void *shared(void *unused) {
  for (double end = seconds(CLOCK_MONOTONIC) + 0.6; seconds(CLOCK_MONOTONIC) < end;) work();
  sink++;
  return unused;
}
int main(void) {
  alone();
  double cpu_alone = seconds(CLOCK_PROCESS_CPUTIME_ID);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, shared, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  printf("%f %f\\n", cpu_alone, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_alone);
}
"""


def stallscope(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stallscope", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def totals(document: dict[str, object]) -> tuple[float, float]:
    """Return the shares of both functions among their sum."""
    functions = document["functions"]
    assert isinstance(functions, list)
    alone, shared = (
        max((row["total_share"] for row in functions if row["name"] == name), default=0.0)
        for name in ("alone", "shared")
    )
    return alone / (alone + shared), shared / (alone + shared)


def test_wall_shares_are_equal_and_cpu_shares_are_those_of_the_program(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")
    (tmp_path / "phases.c").write_text(SOURCE)
    program, run = tmp_path / "phases", tmp_path / "run"
    flags = ["-O1", "-g", "-fno-omit-frame-pointer", "-pthread"]
    subprocess.run(["gcc", *flags, tmp_path / "phases.c", "-o", program], check=True)
    done = stallscope("profile", "--weight", "wall", "--json", "-o", run, "--", program)
    wall = json.loads(done.stdout)
    assert totals(wall)[0] == pytest.approx(0.5, abs=0.03)
    assert (wall["source"]["event"], wall["source"]["unit"]) == ("wall time", "ns")
    total = sum(thread["value"] for thread in wall["threads"])
    assert total == pytest.approx(wall["duration_s"] * 1e9, rel=0.005)

    times = next(line for line in done.stderr.splitlines() if line.count(".") == 2)
    alone, shared = map(float, times.split())
    cpu = json.loads(stallscope("report", run, "--weight", "cpu", "--no-page", "--json").stdout)
    assert totals(cpu)[0] == pytest.approx(alone / (alone + shared), abs=0.05)
