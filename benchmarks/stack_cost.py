"""What recording with copied stacks costs: ours against perf record --call-graph dwarf,8192.

Both at 999 Hz with cpu-clock. Running servers by the windows of record_cost; a compiler by the
whole CPU time of recorder and command, from exec to the end. Bar: at most perf's, nothing lost.
"""

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import Case, save
from benchmarks.processes import Cost
from benchmarks.processes import run as run_process
from benchmarks.record_cost import Comparison, costs
from benchmarks.record_targets import busy_pair, redis_under_load
from benchmarks.unwind_targets import compiler_command
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 11

RATE_HZ = 999
STACK_BYTES = 8192


def perf_command(pid: int, rate: int, output: Path) -> list[str]:
    """Return perf's command line with our event and copied stacks; its rings are its own."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate),
            "--call-graph", f"dwarf,{STACK_BYTES}", "-p", str(pid), "-o", str(output)]  # fmt: skip


def our_command(pid: int, rate: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    return [str(program("stallscope-collect")), "-p", str(pid), "-e", "cpu-clock", "-F", str(rate),
            "--stacks", "dwarf", "--stack-bytes", str(STACK_BYTES), "-o", str(output)]  # fmt: skip


COPIED_STACKS = Comparison(
    our_command, perf_command, "upper 95 % bound of ours - perf at most 0 points; nothing lost"
)


def whole_command(folder: Path) -> list[Case]:
    """Return the CPU time of recorder and compiler together, and what was lost."""
    target = compiler_command(folder)
    ours = [str(program("stallscope-collect")), "-e", "cpu-clock", "-F", str(RATE_HZ), "--stacks",
            "dwarf", "--stack-bytes", str(STACK_BYTES), "-o", str(folder / "ours")]  # fmt: skip
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE_HZ), "--call-graph",
            f"dwarf,{STACK_BYTES}", "-o", str(folder / "perf.data")]  # fmt: skip
    commands = {"ours": [*ours, "--", *target], "perf": [*perf, "--", *target], "bare": target}
    taken: dict[str, list[Cost]] = {name: [] for name in commands}
    lost = samples = 0
    for turn in range(PAIRS + 1):
        for name in sorted(commands, reverse=turn % 2 == 1):
            cost = run_process(commands[name])
            if cost.status != 0:
                raise RuntimeError(f"status {cost.status} of {commands[name]}")
            taken[name].append(cost)
        manifest = read_manifest(folder / "ours" / "recording.json")
        lost, samples = lost + manifest.lost_samples, samples + manifest.samples
        shutil.rmtree(folder / "ours")
    bare = sorted(cost.cpu_s for cost in taken["bare"][1:])[PAIRS // 2]
    return [
        Case(
            name="g++ -O2 from exec",
            metric="CPU s of recorder and command",
            ours_command=" ".join(["stallscope-collect", *ours[1:-1], "DIR -- g++"]),
            peer_command=" ".join([*perf[:-1], "FILE -- g++"]),
            bar="ratio at most 1.0, nothing lost",
            ours=tuple(cost.cpu_s for cost in taken["ours"][1:]),
            peer=tuple(cost.cpu_s for cost in taken["perf"][1:]),
            notes=f"unobserved {bare:.2f} CPU s; {lost} of {samples:,} samples lost",
        )
    ]


def run() -> None:
    """Measure the command and both servers."""
    with tempfile.TemporaryDirectory() as name:
        cases = whole_command(Path(name))
    print(cases[-1].name, cases[-1].ours, cases[-1].peer, cases[-1].notes, flush=True)
    for make in (busy_pair, redis_under_load):
        with tempfile.TemporaryDirectory() as name, make(Path(name)) as target:
            time.sleep(1)
            cases += costs(target, RATE_HZ, Path(name), COPIED_STACKS)
            print(cases[-1].name, cases[-1].notes, flush=True)
    save("stack_cost", "./dev bench stack_cost", cases)
