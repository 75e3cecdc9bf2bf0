"""What counting costs its target, and how long it takes to begin.

Cost: two threads of arithmetic count their own work. A window in which the collector reads counters
ten times a second, or a window in which nothing does, stands between two with nothing: its cost is
the work that is missing against those neighbours. Start: from the collector's own start to the
moment from which it counts, for a process and for a command, and started by Python.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import Case, save
from benchmarks.record_cost import Own, observed, window
from benchmarks.record_targets import Target, busy_pair
from stallscope.programs import program

PAIRS = 14
BY_PYTHON = """
import sys
from pathlib import Path
from stallscope.collector import CountOptions, collect
output, plan = map(Path, sys.argv[1:])
options = CountOptions(output=output, plan=plan, command=("true",), force=True)
collect(options, lambda progress: None)
"""
STARTS = 15
SOFTWARE = (("task-clock", "page-faults"), ("context-switches", "cpu-migrations"))
HARDWARE = (("cycles", "instructions"), ("branches", "branch-misses"), ("cache-misses", "cycles"))


def run() -> None:
    """Measure cost and start."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = write_plan(folder)
        cases = starts(plan, folder)
        with busy_pair(folder) as target:
            time.sleep(1)
            cases.append(cost(target, plan, folder))
    save("topdown_counting", "./dev bench topdown_counting", cases)


def write_plan(folder: Path) -> Path:
    """Return a plan of the hardware events of this machine, or else of software events alone."""
    for sets in (SOFTWARE + HARDWARE, SOFTWARE):
        names = {name for each in sets for name in each}
        path = folder / "plan.json"
        plan = {
            "schema": "stallscope.count-plan/1",
            "sets": [{"name": "+".join(each), "events": list(each)} for each in sets],
            "events": {name: {"name": name} for name in sorted(names)},
        }
        path.write_text(json.dumps(plan))
        tried = counted(["--", "true"], path, folder / "trial")
        if not tried["counting"]["unavailable"]:
            break
    return path


def command(words: list[str], plan: Path, output: Path) -> list[str]:
    """Return the collector's command line."""
    collector = str(program("stallscope-collect"))
    return [collector, "count", f"--plan={plan}", f"--output={output}", "--force", *words]


def counted(words: list[str], plan: Path, output: Path) -> dict[str, dict[str, list[object]]]:
    """Return the document of a counting."""
    subprocess.run(command(words, plan, output), check=True, capture_output=True)
    document: dict[str, dict[str, list[object]]] = json.loads(
        (output / "recording.json").read_text()
    )
    return document


def cost(target: Target, plan: Path, folder: Path) -> Case:
    """Return how many points of work are missing while counted, and while nothing happens."""
    ours: list[float] = []
    nothing: list[float] = []
    own: list[Own] = []
    before = window(target)
    for turn in range(PAIRS):
        for counting in (True, False) if turn % 2 == 0 else (False, True):
            output = folder / f"cost-{turn}"
            words = command(["-p", str(target.pid)], plan, output)
            seen = observed(target, words, own, output) if counting else window(target)
            after = window(target)
            neighbours = (before.per_cpu_second + after.per_cpu_second) / 2
            (ours if counting else nothing).append((1 - seen.per_cpu_second / neighbours) * 100)
            before = after
    events = sorted(
        {name for each in json.loads(plan.read_text())["sets"] for name in each["events"]}
    )
    return Case(
        name="two busy threads",
        metric="points of the target's work per CPU second",
        ours_command="stallscope-collect count --plan FILE -p PID",
        peer_command="nothing",
        bar="upper 95 % bound below 0.5 points",
        ours=tuple(ours),
        peer=tuple(nothing),
        notes=f"{len(events)} events ({', '.join(events)}), ten windows a second",
    )


def starts(plan: Path, folder: Path) -> list[Case]:
    """Return the seconds from a start to the first counted moment."""
    cases = []
    with subprocess.Popen(["sleep", "600"]) as target:
        try:
            for name, words in (
                ("start to counting a process", ["-p", str(target.pid), "--duration", "0.1"]),
                ("start to counting a command", ["--", "true"]),
            ):
                whole = command(words, plan, folder / "start")
                cases.append(_start_case(name, whole, folder / "start"))
        finally:
            target.kill()
    words = [sys.executable, "-c", BY_PYTHON, str(folder / "start"), str(plan)]
    cases.append(_start_case("start of Python to counting a command", words, folder / "start"))
    return cases


def _start_case(name: str, words: list[str], output: Path) -> Case:
    taken = []
    for _ in range(STARTS):
        begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        subprocess.run(words, check=True, capture_output=True)
        with (output / "counters.jsonl").open() as lines:
            taken.append((json.loads(next(lines))["start_ns"] - begin_ns) / 1e9)
    program_name = Path(words[0]).name
    return Case(
        name=name,
        metric="s",
        ours_command=f"{program_name} ...",
        peer_command="",
        bar="under 0.3",
        ours=tuple(taken),
    )
