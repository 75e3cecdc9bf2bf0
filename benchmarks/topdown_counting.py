"""The cost of counting for its target, and the time until counting starts.

Cost: two threads of arithmetic count their own work. A window in which the collector reads counters
ten times a second, or a window in which nothing happens, stands between two idle windows; its cost
is the work that is missing compared with those neighbours. Start: from the start of the collector
until it counts, for a process and for a command, and when Python starts it.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.cases import Case, difference, ours
from benchmarks.interleaving import sides
from benchmarks.record_cost import CollectorCost, observe, window
from benchmarks.record_targets import RecordTarget, busy_pair
from stallscope.programs import program

PAIRS = 14
STARTS = 15
START_FROM_PYTHON = """
import sys
from pathlib import Path
from stallscope.collector import CountOptions, collect
output, plan = map(Path, sys.argv[1:])
options = CountOptions(output=output, plan=plan, command=("true",), force=True)
collect(options, lambda progress: None)
"""
SOFTWARE = (("task-clock", "page-faults"), ("context-switches", "cpu-migrations"))
HARDWARE = (("cycles", "instructions"), ("branches", "branch-misses"), ("cache-misses", "cycles"))


def run() -> list[Case]:
    """Measure cost and start."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = write_plan(folder)
        cases = start_cases(plan, folder)
        with busy_pair(folder) as target:
            time.sleep(1)
            cases.append(cost_case(target, plan, folder))
    return cases


def write_plan(folder: Path) -> Path:
    """Return a plan with hardware events, or with software events only if there is no PMU."""
    path = folder / "plan.json"
    for event_sets in (SOFTWARE + HARDWARE, SOFTWARE):
        names = {name for events in event_sets for name in events}
        plan = {
            "schema": "stallscope.count-plan/1",
            "sets": [{"name": "+".join(events), "events": list(events)} for events in event_sets],
            "events": {name: {"name": name} for name in sorted(names)},
        }
        path.write_text(json.dumps(plan))
        command = collector_command(["--", "true"], path, folder / "trial")
        subprocess.run(command, check=True, capture_output=True)
        recording = json.loads((folder / "trial" / "recording.json").read_text())
        if not recording["counting"]["unavailable"]:
            break
    return path


def collector_command(words: list[str], plan: Path, output: Path) -> list[str]:
    """Return the collector's command line."""
    collector = str(program("stallscope-collect"))
    return [collector, "count", f"--plan={plan}", f"--output={output}", "--force", *words]


def cost_case(target: RecordTarget, plan: Path, folder: Path) -> Case:
    """Return the points of work missing while counting, and while nothing happens."""
    missing: dict[str, list[float]] = {"ours": [], "peer": []}
    costs: list[CollectorCost] = []
    before = window(target)
    for number, side in enumerate(sides(PAIRS)):
        output = folder / f"cost-{number}"
        command = collector_command(["-p", str(target.pid)], plan, output)
        seen = observe(target, command, costs, output) if side == "ours" else window(target)
        after = window(target)
        neighbours = (before.per_cpu_second + after.per_cpu_second) / 2
        missing[side].append((1 - seen.per_cpu_second / neighbours) * 100)
        before = after
    event_sets = json.loads(plan.read_text())["sets"]
    events = sorted({name for event_set in event_sets for name in event_set["events"]})
    return Case(
        name="two busy threads",
        metric="points of the target's work per CPU second",
        ours_command="stallscope-collect count --plan FILE -p PID",
        peer_command="nothing",
        bar=(difference(at_most=0.5),),
        ours=tuple(missing["ours"]),
        peer=tuple(missing["peer"]),
        by_difference=True,
        notes=f"{len(events)} events ({', '.join(events)}), ten windows a second",
    )


def start_cases(plan: Path, folder: Path) -> list[Case]:
    """Return the seconds from a start to the first counted moment."""
    output = folder / "start"
    with subprocess.Popen(["sleep", "600"]) as target:
        try:
            process = ["-p", str(target.pid), "--duration", "0.1"]
            cases = [
                _start_case(name, collector_command(words, plan, output), output)
                for name, words in (
                    ("start to counting a process", process),
                    ("start to counting a command", ["--", "true"]),
                )
            ]
        finally:
            target.kill()
    words = [sys.executable, "-c", START_FROM_PYTHON, str(output), str(plan)]
    return [*cases, _start_case("start of Python to counting a command", words, output)]


def _start_case(name: str, command: list[str], output: Path) -> Case:
    starts_s = []
    for _ in range(STARTS):
        begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        subprocess.run(command, check=True, capture_output=True)
        with (output / "counters.jsonl").open() as lines:
            starts_s.append((json.loads(next(lines))["start_ns"] - begin_ns) / 1e9)
    return Case(
        name=name,
        metric="s",
        ours_command=f"{Path(command[0]).name} ...",
        bar=(ours(at_most=0.3),),
        ours=tuple(starts_s),
    )
