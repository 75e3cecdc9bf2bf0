"""The cost of recording with copied stacks: ours against perf record --call-graph dwarf,8192.

Both at 999 Hz with cpu-clock. Running servers by the windows of record_cost; a compiler by the CPU
time of recorder and command together, from exec to exit. Bars: at most perf's cost, no lost sample.
"""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.cases import Case, difference, ratio
from benchmarks.processes import Cost, checked
from benchmarks.record_cost import RecorderComparison, compare, lost_samples
from benchmarks.record_targets import busy_pair, redis_under_load
from benchmarks.unwind_targets import compiler_command
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 11
RATE_HZ = 999
STACK_BYTES = 8192


def perf_command(pid: int, rate_hz: int, output: Path) -> list[str]:
    """Return perf's command line with our event and copied stacks, and its default buffers."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate_hz),
            "--call-graph", f"dwarf,{STACK_BYTES}", "-p", str(pid), "-o", str(output)]  # fmt: skip


def collector_command(pid: int, rate_hz: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    return [str(program("stallscope-collect")), "-p", str(pid), "-e", "cpu-clock",
            "-F", str(rate_hz), "--stacks", "dwarf", "--stack-bytes", str(STACK_BYTES),
            "-o", str(output)]  # fmt: skip


COPIED_STACKS = RecorderComparison(collector_command, perf_command, difference(at_most=0))


def run() -> list[Case]:
    """Measure the compiler and both servers."""
    with tempfile.TemporaryDirectory() as name:
        cases = compile_cases(Path(name))
    print(cases[0].name, cases[0].ours, cases[0].peer, cases[0].notes, flush=True)
    for running_target in (busy_pair, redis_under_load):
        with tempfile.TemporaryDirectory() as name, running_target(Path(name)) as target:
            time.sleep(1)
            cases += compare(target, RATE_HZ, Path(name), COPIED_STACKS)
            print(cases[-1].name, cases[-1].notes, flush=True)
    return cases


def compile_cases(folder: Path) -> list[Case]:
    """Return the CPU time of recorder and compiler together, and the lost samples."""
    target = compiler_command(folder)
    collector = [str(program("stallscope-collect")), "-e", "cpu-clock", "-F", str(RATE_HZ),
                 "--stacks", "dwarf", "--stack-bytes", str(STACK_BYTES),
                 "-o", str(folder / "ours")]  # fmt: skip
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE_HZ), "--call-graph",
            f"dwarf,{STACK_BYTES}", "-o", str(folder / "perf.data")]  # fmt: skip
    commands = {
        "ours": [*collector, "--", *target],
        "peer": [*perf, "--", *target],
        "unobserved": target,
    }
    costs: dict[str, list[Cost]] = {side: [] for side in commands}
    lost = samples = 0
    for pair in range(PAIRS + 1):
        for side in sorted(commands, reverse=pair % 2 == 1):
            costs[side].append(checked(commands[side]))
        manifest = read_manifest(folder / "ours" / "recording.json")
        lost, samples = lost + manifest.lost_samples, samples + manifest.samples
        shutil.rmtree(folder / "ours")
    # The first round is cold.
    cpu_s = {side: tuple(cost.cpu_s for cost in runs[1:]) for side, runs in costs.items()}
    name = "g++ -O2 from exec"
    ours_command = " ".join(["stallscope-collect", *collector[1:-1], "DIR -- g++"])
    return [
        Case(
            name=name,
            metric="CPU s of recorder and command",
            ours_command=ours_command,
            peer_command=" ".join([*perf[:-1], "FILE -- g++"]),
            bar=(ratio(at_most=1),),
            ours=cpu_s["ours"],
            peer=cpu_s["peer"],
            notes=f"unobserved {statistics.median(cpu_s['unobserved']):.2f} CPU s; "
            f"{samples:,} samples",
        ),
        lost_samples(name, ours_command, lost),
    ]
